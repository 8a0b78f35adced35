// Bugs that two versions of a schema over one database once had, brought back in the source of the server.

export interface VersionMutant {
  /** The name of the bug, and what it did. */
  name: string
  edits: readonly SourceEdit[]
  /** The first of the sequences that look for it. Default: those of the suite. A rare bug has seeds of its own. */
  firstSeed?: number
}

export interface SourceEdit {
  /** Below packages/twain/src. */
  file: string
  /** A text that the file has once. */
  find: string
  instead: string
}

/** Where a start on PostgreSQL has its tables. `sdl` is the schema that it serves. */
const tablesAreThere = 'await run(session, missingTables(layout, await existingColumns(session)), onStep)'

/** Where it then restores foreign keys that are missing. */
const restoresKeys = 'await restoreKeys(layout)\n    // The interrupted start may have filled some.'

/** Drops the foreign keys of columns that the schema does not have; `to` chooses by the table that they refer to. */
const dropUnknownKeys = (to: string) => `
    const keys = await session.query(\`SELECT t.relname AS "table", a.attname AS "column", k.conname AS name
      FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.conkey[1]
      WHERE k.contype = 'f' AND t.relnamespace = current_schema()::regnamespace AND f.relname ${to}\`)
    const isKnownKey = ({ table, column }) => {
      const [type, field = column] = table.split('_')
      return sdl.includes(\`type \${type} \`) && sdl.includes(\` \${field}: \`)
    }
    for (const key of keys) {
      if (!isKnownKey(key)) await session.query(\`ALTER TABLE "\${key.table}" DROP CONSTRAINT "\${key.name}"\`)
    }`

export const versionMutants: readonly VersionMutant[] = [
  {
    name: 'D1: a node deletes the files that only fields of a newer version hold',
    edits: [
      {
        file: 'store/postgres/migrate/migrate.ts',
        find: restoresKeys,
        instead: restoresKeys.replace('await restoreKeys(layout)', dropUnknownKeys("= 'twain_file'")),
      },
    ],
  },
  {
    name: 'D2: a start drops the foreign keys of types that it does not know',
    edits: [
      {
        file: 'store/postgres/migrate/migrate.ts',
        find: restoresKeys,
        instead: restoresKeys.replace('await restoreKeys(layout)', dropUnknownKeys("<> 'twain_file'")),
      },
    ],
  },
  {
    name: 'D3: an event has only the fields that the last started version knows',
    edits: [
      {
        file: 'store/postgres/migrate/migrate.ts',
        find: tablesAreThere,
        instead: `${tablesAreThere}; globalThis.servedSdl = sdl`,
      },
      {
        file: 'store/postgres/changes/row-images.ts',
        find: 'isLogged(name))',
        instead: "isLogged(name) && globalThis.servedSdl.includes(' ' + name + ': '))",
      },
    ],
  },
  {
    name: 'D4: a copy takes only what the last served version knows',
    edits: [
      {
        file: 'store/copy/stored-tables.ts',
        find: '} else if (known.has(table.name)) {',
        instead:
          "} else if (known.has(table.name) && isServed(schemas[0].sdl, 'type ' + table.name.split('_')[0] + ' ')) {",
      },
      {
        file: 'store/copy/stored-tables.ts',
        find: 'export function tablesToCopy(',
        instead:
          'let lastSdl = ""; const isServed = (sdl, text) => (lastSdl = sdl).includes(text)\nexport function tablesToCopy(',
      },
      {
        file: 'store/copy/stored-tables.ts',
        find: 'if (apartColumns.has(column.name)) continue',
        instead:
          "if (apartColumns.has(column.name) || (/^[a-z]\\d\\d$/.test(column.name) && !lastSdl.includes(' ' + column.name + ': '))) continue",
      },
    ],
  },
  {
    name: 'D7: a delete that a row of an unknown type forbids is tried again and again, and answered with 503',
    firstSeed: 2100,
    edits: [
      {
        file: 'store/write/rows/unknown-referrers.ts',
        find: 'if (restricting.length === 0) return',
        instead: 'return',
      },
      {
        file: 'store/write/rows/unknown-referrers.ts',
        find: 'const byRow = Map.groupBy(referrers,',
        instead: 'const byRow = Map.groupBy([],',
      },
      {
        file: 'store/postgres/write/transactions.ts',
        find: "if (errorCode(error) === stillReferred) throw referredByUnknown('The row', undefined, error)",
        instead: 'if (errorCode(error) === stillReferred) throw tooManyConflicts(error)',
      },
    ],
  },
  {
    name: 'D8: the words of a row that an older version changed are not searched any more',
    edits: [
      {
        file: 'store/postgres/search-refresher.ts',
        find: 'await fillSearch(run, await this.#indexedTables())',
        instead: 'await undefined',
      },
    ],
  },
  {
    name: 'D8: a time that the server sets stays as it was when an older version changes the row',
    edits: [
      {
        file: 'store/postgres/migrate/time-columns.ts',
        find: 'if (auto === null || isAccountTime(auto)) return',
        instead: 'return',
      },
    ],
  },
]

// The data migrations that were run on this database, and how far a running one has come. The portion of a migration stores
// this in its own transaction, so that a killed process repeats nothing.

import type { AuthorizedPlan, PageRead } from '#plan'
import type { Query, QueryRows } from '../sql/query.ts'
import { findLackingRows, type LackingRows } from '../tables/lacking-rows.ts'
import type { Layout } from '../tables/layout.ts'
import { quoteText } from '../tables/quote.ts'
import type { StorageNames } from '../tables/storage-names.ts'
import { type SystemTables, systemQuery, toText } from './system-tables.ts'

/** Parameters as in `webhookTables`. */
export function dataMigrationTables({ text, whole, kind }: { text: string; whole: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_data_migration (
  name ${text} PRIMARY KEY, -- of the file: 001-slugs
  hash ${text} NOT NULL, -- of the file that was last run
  state ${text} NOT NULL, -- running or done
  last ${text}, -- the id of the last row that was visited
  visited ${whole} NOT NULL,
  changed ${whole} NOT NULL,
  began ${text} NOT NULL,
  ended ${text}
)${kind};
CREATE TABLE IF NOT EXISTS twain_unfilled ( -- required columns that rows lacked when they were made: to be checked
  owner ${text} NOT NULL, -- the table
  field ${text} NOT NULL, -- the column
  PRIMARY KEY (owner, field)
)${kind}`
}

/** What was done of one migration. */
export interface MigrationProgress {
  state: 'running' | 'done'
  /** The id of the last row that was visited; null: none yet. */
  last: string | null
  visited: number
  changed: number
}

export interface MigrationRecord extends MigrationProgress {
  name: string
  hash: string
}

/** The file of a migration, as far as a store needs it. */
export interface MigrationFile {
  name: string
  /** The type whose rows it changes; null: it may change any. */
  type: string | null
}

export interface DataMigrations {
  /** Those that have begun, by name. */
  records(): Promise<ReadonlyMap<string, MigrationRecord>>
  /** Waits until no other node runs data migrations. Returns what lets the next one. Rejects with the signal's reason. */
  lock(waiting: () => void, stop: AbortSignal | undefined): Promise<() => Promise<void>>
  /** For the transaction of a portion: begins or continues, and keeps others from the same migration until the commit. */
  resume(name: string, hash: string, now: number): Query
  toProgress(rows: QueryRows): MigrationProgress
  /** For the transaction of a portion: saves how far it came. */
  advance(name: string, progress: MigrationProgress, now: number): Query
  /** The required fields that rows lacked when the schema came, and still lack. It forgets those that all rows have now. */
  unfilled(): Promise<LackingRows[]>
}

export function openDataMigrations(tables: SystemTables, layout: Layout, lock: DataMigrations['lock']): DataMigrations {
  const query = systemQuery(tables.dialect)
  return {
    lock,
    async records() {
      const rows = await tables.read(
        query('SELECT name, hash, state, last, visited, changed FROM twain_data_migration'),
      )
      return new Map(
        rows.map(([name, hash, ...progress]) => [
          String(name),
          { name: String(name), hash: String(hash), ...toProgress([progress]) },
        ]),
      )
    },
    resume: (name, hash, now) =>
      query(
        'INSERT INTO twain_data_migration (name, hash, state, visited, changed, began) ' +
          `VALUES (?1, ?2, 'running', 0, 0, ?3) ON CONFLICT (name) DO UPDATE SET hash = excluded.hash ` +
          'RETURNING state, last, visited, changed',
        ...[name, hash, toText(now)],
      ),
    toProgress,
    advance: (name, { state, last, visited, changed }, now) =>
      query(
        'UPDATE twain_data_migration SET state = ?1, last = ?2, visited = ?3, changed = ?4, ended = ?5 WHERE name = ?6',
        ...[state, last, visited, changed, state === 'done' ? toText(now) : null, name],
      ),
    async unfilled() {
      const rows = await tables.read(query('SELECT owner, field FROM twain_unfilled'))
      const lacking: LackingRows[] = []
      for (const [owner, column] of rows) {
        const field = requiredField(layout, String(owner), String(column))
        if (field === null) continue // of a schema that this one replaces
        const found = await check(findLackingRows(field, String(owner), String(column)))
        if (found !== null) lacking.push(found)
        else await tables.run(query('DELETE FROM twain_unfilled WHERE owner = ?1 AND field = ?2', owner!, column!))
      }
      return lacking
    },
  }

  async function check(lookup: ReturnType<typeof findLackingRows>): Promise<LackingRows | null> {
    let select = lookup.next()
    while (!select.done) select = lookup.next(await tables.read({ sql: select.value, parameters: [] }))
    return select.value
  }
}

function requiredField({ tables }: Layout, owner: string, column: string): { type: string; field: string } | null {
  for (const [{ name: type }, { name: table, columns }] of tables) {
    if (table !== owner) continue
    for (const [field, { name }] of columns) if (name === column && field.required) return { type, field: field.name }
  }
  return null
}

/** Statements that note which columns `unfilled` is to look at. `names` are those of the new schema. */
export function noteUnfilled(lacking: readonly LackingRows[], { tables }: StorageNames): string[] {
  return lacking.map(({ type, field }) => {
    const { name: owner, columns } = tables[type]!
    const values = [owner, columns[field]!.name].map(quoteText).join(', ')
    return `INSERT INTO twain_unfilled (owner, field) VALUES (${values}) ON CONFLICT DO NOTHING`
  })
}

function toProgress([row]: QueryRows): MigrationProgress {
  const [state, last, visited, changed] = row!
  return {
    state: state as MigrationProgress['state'],
    last: last as string | null,
    visited: Number(visited),
    changed: Number(changed),
  }
}

/** What `twain migrate` will do to the rows. */
export interface PlannedMigrations {
  /** Those that are left, in their order. */
  left: readonly PlannedMigration[]
  /** Whether it will look at required fields that rows lacked. */
  checksRows: boolean
}

export interface PlannedMigration {
  name: string
  /** How many rows it has visited already. */
  visited: number
  /** How many rows it would visit. Null: it is one transaction, or the rows can't be counted before the tables exist. */
  rows: number | null
}

/** The rows that a migration has left after this id. Null: it visits no rows. */
export type LeftRows = (
  name: string,
  last: string | null,
) => { plan: AuthorizedPlan<PageRead>; values: readonly unknown[] } | null

export const selectMigrations = 'SELECT name, state, last, visited FROM twain_data_migration'
export const selectUnfilled = 'SELECT 1 FROM twain_unfilled LIMIT 1'

/** `rows` are those of `selectMigrations`. */
export function unfinished(
  files: readonly MigrationFile[],
  rows: readonly (readonly unknown[])[],
): { name: string; last: string | null; visited: number }[] {
  const begun = new Map(rows.map(([name, state, last, visited]) => [name, { state, last, visited }]))
  return files.flatMap(({ name }) => {
    const { state, last = null, visited = 0 } = begun.get(name) ?? {}
    return state === 'done' ? [] : [{ name, last: last as string | null, visited: Number(visited) }]
  })
}

export const selectFinishedMigrations = `SELECT name FROM twain_data_migration WHERE state = 'done'`

/** The types whose rows the migrations that were not finished yet may change; null: any. */
export function typesToChange(files: readonly MigrationFile[], finished: Iterable<string>): ReadonlySet<string> | null {
  const done = new Set(finished)
  const types = files.filter(({ name }) => !done.has(name)).map(({ type }) => type)
  return types.includes(null) ? null : new Set(types as string[])
}

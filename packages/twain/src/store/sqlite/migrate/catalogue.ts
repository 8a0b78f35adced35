// What an SQLite file has, whoever made it.

import type { DatabaseSync } from 'node:sqlite'
import { wordsTable } from '../../sql/search/searched-table.ts'
import {
  type Catalogue,
  foreignObjects,
  refuseForeign,
  tablesIn,
  type WantedObjects,
} from '../../tables/foreign-objects.ts'
import type { StorageNames } from '../../tables/storage-names.ts'
import { madeObjects, selectObjects } from '../../tables/system-objects.ts'
import { systemObjects } from './tables.ts'

const selectRelations =
  `SELECT lower(s.name) AS name, s.type AS kind, lower(i."table") AS "table", i."unique" AS isUnique FROM sqlite_schema AS s LEFT JOIN ` +
  `(SELECT t.name AS "table", l.name, l."unique" FROM sqlite_schema AS t, pragma_index_list(t.name) AS l WHERE t.type = 'table') AS i ` +
  `ON s.type = 'index' AND i.name = s.name WHERE s.type <> 'trigger'`

const selectColumns = `
  SELECT lower(t.name) AS "table", lower(c.name) AS name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
  WHERE t.type = 'table' AND t.sql NOT LIKE 'CREATE VIRTUAL %'`

interface RelationRow {
  name: string
  kind: string
  table: string | null
  isUnique: number | null
}

export function readCatalogue(database: DatabaseSync): Catalogue {
  const rows = database.prepare(selectRelations).all() as unknown as RelationRow[]
  const relations = new Map(
    rows.map(({ name, isUnique, ...entry }) => [
      name,
      { ...entry, isUnique: isUnique === null ? null : isUnique === 1 },
    ]),
  )
  const columns = new Map<string, Set<string>>()
  for (const { table, name } of database.prepare(selectColumns).all() as { table: string; name: string }[]) {
    const known = columns.get(table)
    if (known === undefined) columns.set(table, new Set([name]))
    else known.add(name)
  }
  const there = { relations, functions: new Set<string>(), columns }
  const recorded = columns.get('twain_object')?.has('name') ? database.prepare(selectObjects).all() : []
  const names = recorded.map(({ name }) => name as string)
  return {
    ...there,
    fold: (name) => name.toLowerCase(),
    triggers: new Map(),
    made: madeObjects(systemObjects, there, names),
  }
}

/** Throws StartRefused if the file has something with a name of the new schema that Twain did not make. */
export function refuseForeignObjects(
  catalogue: Catalogue,
  served: StorageNames | null,
  names: StorageNames,
  indexes: WantedObjects['indexes'],
  folder: string,
): void {
  const made = catalogue.made && new Set([...catalogue.made, ...wordsTables(served)])
  const wanted = { system: new Set([...systemObjects, ...wordsTables(names)]), tables: tablesIn(names, []), indexes }
  const own = served === null ? new Map() : tablesIn(served, [])
  const wayOut =
    'Give the service a folder of its own (--data). Or rename the objects, or the types and fields of the schema file.'
  refuseForeign(foreignObjects(wanted, own, { ...catalogue, made }), `${folder}/twain.db`, wayOut)
}

function wordsTables(names: StorageNames | null): string[] {
  const searched = Object.values(names?.tables ?? {}).filter(({ columns }) =>
    Object.values(columns).some(({ words }) => words !== undefined),
  )
  return searched.map(({ name }) => wordsTable(name))
}

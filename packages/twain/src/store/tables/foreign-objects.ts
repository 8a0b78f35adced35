// Objects of the database that have a name which Twain needs, and that Twain did not make. A start never takes one over: it is
// refused before it changes anything, and names all of them.
//
// Twain made the tables and columns in the storage names of the last served schema, those that the record of an interrupted start
// lists (`CreatedObjects`), and the system objects that the table `twain_object` lists.

import type { IndexDefinition } from './indexes.ts'
import { quoteName } from './quote.ts'
import { StartRefused } from './start-refused.ts'
import type { StorageNames, TableColumn } from './storage-names.ts'
import { keyColumn } from './text-keys.ts'

/** The columns by table. */
export type TableColumns = ReadonlyMap<string, ReadonlySet<string>>

/** What the database has, with names as `fold` returns them. */
export interface Catalogue {
  /** How the database compares names. */
  fold: (name: string) => string
  /** By name: tables, and everything else that no table can have the name of. */
  relations: ReadonlyMap<string, CatalogueEntry>
  functions: ReadonlySet<string>
  columns: TableColumns
  /** The names of the triggers by table. */
  triggers: TableColumns
  /** The system objects that Twain has made there; null: none yet. */
  made: ReadonlySet<string> | null
}

export interface CatalogueEntry {
  /** What it is, for messages: "view". */
  kind: string
  /** The table of an index. */
  table: string | null
  /** Whether an index is unique; null: it is none. */
  isUnique: boolean | null
}

/** What a start is going to need. */
export interface WantedObjects {
  system: ReadonlySet<string>
  tables: TableColumns
  /** By the name that each has in the database. */
  indexes: ReadonlyMap<string, Pick<IndexDefinition, 'table' | 'unique'>>
}

/** What a start created that is not served yet. */
export interface CreatedObjects {
  tables: string[]
  /** Those of tables that were there. */
  columns: Record<string, string[]>
}

export const nothingCreated: CreatedObjects = { tables: [], columns: {} }

const rowColumns = ['_n', 'id', '_version']

/** The tables in the storage names. `searchColumns`: what a table has beside if a field is searched. */
export function tablesIn({ tables, links }: StorageNames, searchColumns: readonly string[]): TableColumns {
  const found = new Map<string, Set<string>>()
  for (const { name, columns } of Object.values(tables)) {
    const all = Object.values(columns)
    const search = all.some(({ words }) => words !== undefined) ? searchColumns : []
    found.set(name, new Set([...rowColumns, ...all.flatMap(columnsOfField), ...search]))
  }
  for (const { name, left, right, rightType } of Object.values(links)) {
    found.set(name, new Set(['_n', left, right, ...(rightType === null ? [] : [rightType])]))
  }
  return found
}

function columnsOfField({ name, type, keyed }: TableColumn): string[] {
  return [name, ...(type === null ? [] : [type]), ...(keyed === undefined ? [] : [keyColumn(name)])]
}

/** What `wanted` has beyond `own`. */
export function createdBeyond(own: TableColumns, wanted: TableColumns): CreatedObjects {
  const created: CreatedObjects = { tables: [], columns: {} }
  for (const [table, columns] of wanted) {
    const known = own.get(table)
    const added = known === undefined ? [] : [...columns].filter((column) => !known.has(column))
    if (known === undefined) created.tables.push(table)
    if (added.length > 0) created.columns[table] = added
  }
  return created
}

/** `own` with what an interrupted start created. `wanted` has the columns of its tables. */
export function withCreated(
  own: TableColumns,
  { tables, columns }: CreatedObjects,
  wanted: TableColumns,
): TableColumns {
  const all = new Map(own)
  for (const table of tables) all.set(table, wanted.get(table) ?? new Set())
  for (const [table, added] of Object.entries(columns)) all.set(table, new Set([...(own.get(table) ?? []), ...added]))
  return all
}

/** What has a wanted name and is not Twain's, as the refusal names it. */
export function foreignObjects(wanted: WantedObjects, own: TableColumns, catalogue: Catalogue): string[] {
  const { fold, relations, functions, columns, triggers, made } = catalogue
  const found: string[] = []
  const add = (name: string) => {
    const entry = relations.get(fold(name))
    if (entry !== undefined) found.push(`${entry.kind} ${quoteName(name)}`)
    if (functions.has(name)) found.push(`function ${quoteName(name)}`)
  }
  for (const name of wanted.system) if (made?.has(name) !== true) add(name)
  const { tables, columns: added } = createdBeyond(own, wanted.tables)
  for (const table of tables) add(table)
  for (const [table, names] of Object.entries(added)) {
    for (const name of names) {
      if (columns.get(fold(table))?.has(fold(name))) found.push(`column ${quoteName(table)}.${quoteName(name)}`)
      const trigger = timeTrigger(name)
      if (triggers.get(table)?.has(trigger)) found.push(`trigger ${quoteName(trigger)} of ${quoteName(table)}`)
    }
  }
  for (const [name, { table, unique }] of wanted.indexes) {
    const entry = relations.get(fold(name))
    if (entry !== undefined && (entry.table !== fold(table) || entry.isUnique !== unique)) add(name)
  }
  return found
}

/** The trigger on PostgreSQL that sets the times of a column. */
export function timeTrigger(column: string): string {
  return `twain ${column}`
}

/** Throws StartRefused if anything was found. */
export function refuseForeign(found: readonly string[], place: string, wayOut: string): void {
  if (found.length === 0) return
  throw new StartRefused(
    `Twain did not make these objects in ${place}, and needs their names:\n` +
      `${found.map((one) => `  ${one}`).join('\n')}\nNothing was changed. ${wayOut}`,
  )
}

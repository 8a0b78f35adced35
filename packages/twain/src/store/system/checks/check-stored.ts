// What `twain doctor --deep` checks of stored rows on both databases. It reads a few rows at a time, and only reads; a server may run: what is
// compared comes from one statement.

import { storageFailure } from '../../observe/storage-failures.ts'
import { quoteName } from '../../tables/quote.ts'
import type { StorageNames, StoredReference } from '../../tables/storage-names.ts'
import { checkBytes } from './check-bytes.ts'
import { checkLog } from './check-log.ts'
import { returnedNames } from './returned-names.ts'
import type { SelectObjects, StoredColumn, StoredDatabase, StoredFindings } from './stored-database.ts'

export async function checkStoredRows(database: StoredDatabase): Promise<StoredFindings> {
  const { select } = database
  const listed = (await select(database.columns)) as unknown as (StoredColumn & { table: string })[]
  const columns = Map.groupBy(listed, ({ table }) => table)
  if (!columns.has('twain_file')) return { wrong: [], unchecked: [] } // nothing was ever served from there
  const [schema] = await select('SELECT names FROM twain_schema ORDER BY n DESC LIMIT 1')
  const names: StorageNames = schema === undefined ? { tables: {}, links: {} } : JSON.parse(String(schema.names))
  const returned = await returnedNames(select)
  const found: StoredFindings = { wrong: [], unchecked: [] }
  const ofFiles = await readable('twain_file', async () => {
    const { wrong, unchecked } = await checkBytes(select, (key) => database.bytes(key))
    found.unchecked = unchecked
    return wrong
  })
  found.wrong.push(...ofFiles)
  const present = (table: string, column: string) => columns.get(table)?.some((one) => one.name === column) === true
  for (const reference of names.references ?? []) {
    const { table, column, to } = reference
    if (to === null || !present(table, column) || !present(to, 'id')) continue
    found.wrong.push(...(await readable(table, () => checkReference(reference, select))))
  }
  for (const [name, { name: table, type = name }] of Object.entries(names.tables)) {
    // A schema that no longer has a type retires it (`refuse-breaking.ts`).
    if (name.startsWith('-') || !present(table, '_version')) continue
    const row = { name, type, table, image: database.image(table, columns.get(table)!), returned }
    found.wrong.push(...(await readable(table, () => checkLog(row, select))))
  }
  return found
}

/** Damage of one table does not end the check of the others. */
async function readable(table: string, check: () => Promise<string[]>): Promise<string[]> {
  try {
    return await check()
  } catch (error) {
    if (storageFailure(error) !== 'damaged') throw error
    return [`The table ${table}, or the change log of its rows, is damaged: ${(error as Error).message}.`]
  }
}

async function checkReference({ table, column, to }: StoredReference, select: SelectObjects): Promise<string[]> {
  const refers = `t.${quoteName(column)}`
  const [row] = await select(
    `SELECT count(*) AS count, min(${refers}) AS example FROM ${quoteName(table)} AS t WHERE ${refers} IS NOT NULL ` +
      `AND NOT EXISTS (SELECT 1 FROM ${quoteName(to!)} AS o WHERE o.id = ${refers})`,
  )
  if (Number(row!.count) === 0) return []
  return [
    `${row!.count} rows of ${table} refer with ${column} to rows of ${to} that do not exist, for example ${row!.example}.`,
  ]
}

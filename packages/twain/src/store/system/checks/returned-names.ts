// Names of tables and columns that were dropped (`twain migrate --drop`) and made again: what the change log has of the time before is
// about others.

import type { StorageNames } from '../../tables/storage-names.ts'
import type { SelectObjects } from './stored-database.ts'

/** By `table`, or `table.column`: since when it is there again. */
export type ReturnedNames = ReadonlyMap<string, string>

export async function returnedNames(select: SelectObjects): Promise<ReturnedNames> {
  const returned = new Map<string, string>()
  const known = new Set<string>()
  let present = new Set<string>()
  for (let last = 0; ; ) {
    const [row] = await select(`SELECT n, names, since FROM twain_schema WHERE n > ${last} ORDER BY n LIMIT 1`)
    if (row === undefined) return returned
    last = Number(row.n)
    const next = new Set(namesIn(JSON.parse(String(row.names))))
    for (const name of next) {
      if (known.has(name) && !present.has(name)) returned.set(name, String(row.since))
      known.add(name)
    }
    present = next
  }
}

function* namesIn({ tables }: StorageNames): Generator<string> {
  for (const { name: table, columns } of Object.values(tables)) {
    yield table
    for (const { name } of Object.values(columns)) yield `${table}.${name}`
  }
}

// Rows that custom code names, by their ids or by objects with an id. The engine reads them as the viewer: rows that the
// viewer may not see are absent.

import { CompletionError } from './complete.ts'

/** All ids in the value of the code. */
export function idsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn)
  const id = idOf(value)
  return id === null ? [] : [id]
}

/** Replaces the ids by the rows. An absent row is left out of a list; alone it is null. */
export function placeRows(
  value: unknown,
  isList: boolean,
  required: boolean,
  rows: ReadonlyMap<string, unknown>,
): unknown {
  if (value instanceof Error) throw value
  if (value === null || value === undefined) {
    if (required) throw new Error('custom code returned null for a non-null row')
    return null
  }
  if (!isList) {
    const row = rows.get(expectId(value, [])) ?? null
    if (row === null && required) throw new Error('the viewer can not read the row that custom code named')
    return row
  }
  if (!Array.isArray(value)) throw new Error('custom code returned no list for a list of rows')
  return value.flatMap((item, index) => {
    const row = rows.get(expectId(item, [index]))
    return row === undefined ? [] : [row]
  })
}

function expectId(value: unknown, path: readonly number[]): string {
  const id = idOf(value)
  if (id === null)
    throw new CompletionError(path, new Error('custom code must name a row by its id, or by an object with an id'))
  return id
}

function idOf(value: unknown): string | null {
  const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : value
  if (typeof id === 'string') return id
  return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : null
}

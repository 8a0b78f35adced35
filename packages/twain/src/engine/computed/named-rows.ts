// Rows that own code names, by their ids or as objects that have one. It is the viewer's own read that finds them: what the
// viewer may not see is not there, whoever names it.

import { Misplaced } from './complete.ts'

/** All ids in what the code gave. */
export function idsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn)
  const id = idOf(value)
  return id === null ? [] : [id]
}

/** The rows in the place of their names: those that are not there for the viewer are left out of a list, and null alone. */
export function placeRows(
  value: unknown,
  isList: boolean,
  required: boolean,
  rows: ReadonlyMap<string, unknown>,
): unknown {
  if (value instanceof Error) throw value
  if (value === null || value === undefined) {
    if (required) throw new Error('null was given where a row is promised')
    return null
  }
  if (!isList) {
    const row = rows.get(expectId(value, [])) ?? null
    if (row === null && required) throw new Error('the row that own code named is not there for this viewer')
    return row
  }
  if (!Array.isArray(value)) throw new Error('no list was given where rows are promised')
  return value.flatMap((item, index) => {
    const row = rows.get(expectId(item, [index]))
    return row === undefined ? [] : [row]
  })
}

function expectId(value: unknown, way: readonly number[]): string {
  const id = idOf(value)
  if (id === null) throw new Misplaced(way, new Error('a row is named by its id, or by an object that has one'))
  return id
}

function idOf(value: unknown): string | null {
  const id = typeof value === 'object' && value !== null ? (value as { id?: unknown }).id : value
  if (typeof id === 'string') return id
  return typeof id === 'number' && Number.isSafeInteger(id) ? String(id) : null
}

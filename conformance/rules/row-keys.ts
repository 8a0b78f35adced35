// The unique keys of a row, as each API writes them, and what a viewer finds by them.

import { type KeyField, type UniqueKey, uniqueKeysOf } from '../../packages/twain/src/model/index.ts'
import type { ReferenceRules } from './reference-rules.ts'
import type { PlacedRow } from './rows-in-memory.ts'

/** A key of a row, and whether the viewer finds the row by it. */
export interface RowKey {
  key: UniqueKey
  values: unknown[]
  isSeen: boolean
  /** Whether the viewer can never read one of its fields: to them it is no key. */
  isHidden: boolean
}

export function keysOfRow(reference: ReferenceRules, spot: PlacedRow): RowKey[] {
  return uniqueKeysOf(spot.of).flatMap((key) => {
    const values = key.fields.map(({ name }) => spot.row[name])
    if (values.some((value) => value === null || value === undefined)) return []
    const isSeen = reference.may('READ', spot) && key.fields.every((field) => seesPart(reference, field, spot))
    return [{ key, values, isSeen, isHidden: !key.fields.every((field) => reference.couldField('READ', field)) }]
  })
}

function seesPart(reference: ReferenceRules, field: KeyField, spot: PlacedRow): boolean {
  if (!reference.mayField('READ', field, spot)) return false
  if (field.kind === 'stored' || field.to.kind !== 'resource') return true
  const target = reference.world.find(field.to, String(spot.row[field.name]))
  return target !== undefined && reference.may('READ', target)
}

/** `code=x1`, `paper=p1,number=2`. */
export function keyPath({ key, values }: RowKey): string {
  return key.fields.map(({ name }, at) => `${name}=${encodeURIComponent(String(values[at]))}`).join()
}

/** `{code: "x1"}`, `{paperAndNumber: {paper: "p1", number: 2}}`. */
export function keyInputOf({ key, values }: RowKey): Record<string, unknown> {
  const parts = Object.fromEntries(key.fields.map(({ name }, at) => [name, values[at]]))
  return key.fields.length === 1 ? parts : { [key.name]: parts }
}

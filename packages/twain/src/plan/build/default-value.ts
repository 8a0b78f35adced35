// The value that a create gives to a field which it leaves out.

import type { Json, StoredField } from '#model'
import { checkValue } from '../check/check-value.ts'

const canonicalDefaults = new WeakMap<StoredField, unknown>()

/** Canonical: the file may write a time with an offset, or leave members of a value out. Null where there is no default. */
export function defaultValue(field: StoredField): unknown {
  if (field.default === undefined || field.default === null) return null
  if (!canonicalDefaults.has(field))
    canonicalDefaults.set(field, checkValue(field.type, field.default satisfies Json, field.name, []))
  return canonicalDefaults.get(field)
}

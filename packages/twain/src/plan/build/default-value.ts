// The value of a field that a create leaves out.

import type { Json, StoredField } from '#model'
import { checkValue } from '../check/check-value.ts'

const canonicalDefaults = new WeakMap<StoredField, unknown>()

/** In canonical form: the schema file may write a time with an offset, or a value without all members. Null: no default. */
export function defaultValue(field: StoredField): unknown {
  if (field.default === undefined || field.default === null) return null
  if (!canonicalDefaults.has(field))
    canonicalDefaults.set(field, checkValue(field.type, field.default satisfies Json, field.name, []))
  return canonicalDefaults.get(field)
}

// The value of a field as a write takes it: of a reference its id, over an interface with the type.

import { type FieldModel, typeNamed } from '../api/model.ts'
import { referredBy } from '../api/row.ts'

/** Undefined: the user may not read the field on this row. */
export function writtenValue(field: FieldModel, value: unknown): unknown {
  if (field.kind !== 'reference' || value === undefined) return value
  const referred = referredBy(field, value)
  if (referred === null) return null
  return typeNamed(field.type)?.kind === 'abstract' ? `${referred.type}:${referred.id}` : referred.id
}

// What a row is called where it is shown to people: the field with `@label`, else the first unique String, else the first String.

import type { Abstract, Field, Resource, StoredField } from './model.ts'

/** `isShown` leaves out fields that a viewer can't read. Null: the id. */
export function labelOf(
  of: Resource | Abstract,
  isShown: (field: StoredField) => boolean = () => true,
): StoredField | null {
  const fields = [...of.fields.values()].filter(isStored).filter(isShown)
  const texts = fields.filter(({ type }) => type.kind === 'scalar' && type.name === 'String')
  return fields.find(({ label }) => label === true) ?? texts.find(isUnique) ?? texts[0] ?? null
}

function isStored(field: Field): field is StoredField {
  return field.kind === 'stored'
}

function isUnique(field: StoredField): boolean {
  return field.owner.indexes.some(({ unique, fields }) => unique && fields.length === 1 && fields[0] === field)
}

// Non-null fields that may still be null in results: fields with READ rules of their own, and references to rows that not
// everyone may read (docs/reference/rules.md#what-a-refused-request-looks-like).

import { type Abstract, type AnyField, isFile, isReadRestricted, type Model, type Resource } from '#model'

/** Whether every viewer gets a value. */
export function isServedNonNull(field: AnyField, model: Model): boolean {
  if (isReadRestricted(field)) return false
  if (field.kind === 'many' || field.kind === 'links') return true
  if (field.kind === 'computed')
    return field.required && (field.type.kind !== 'row' || isReadByAll(field.type.of, model))
  return field.required && (field.kind !== 'reference' || isReadByAll(field.to, model))
}

/** The required references that rules make nullable: `Post.author`. The start reports them. */
export function servedNullable(model: Model): string[] {
  return model.resources.flatMap(({ name, fields }) =>
    [...fields.values()]
      .filter((field) => field.kind === 'reference' && field.required && !isReadByAll(field.to, model))
      .map((field) => `${name}.${field.name}`),
  )
}

function isReadByAll(of: Resource | Abstract, model: Model): boolean {
  if (of.kind === 'abstract') return of.members.every((member) => isReadByAll(member, model))
  if (isFile(of)) return true // readable through the row that holds it
  if (of.rules.length === 0) return model.account === null // with accounts, a type without rules is closed
  return of.rules.some(
    ({ who, role, verified, where, to }) =>
      who.kind === 'anyone' && role === null && !verified && where === null && to.includes('READ'),
  )
}

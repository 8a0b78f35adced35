// Where null may stand although the file promises a value: a field that is read under lines of its own, and a reference to
// a row that not everyone may read (product.md, section 5). Whoever may see everything meets no null there.

import { type Abstract, type AnyField, isFile, type Model, type Resource } from '#model'

/** Whether an answer has a value there, whoever asks. */
export function isServedNonNull(field: AnyField, model: Model): boolean {
  if (field.rules.some(({ to }) => to.includes('READ'))) return false
  if (field.kind === 'many' || field.kind === 'links') return true
  if (field.kind === 'computed')
    return field.required && (field.type.kind !== 'row' || isReadByAll(field.type.of, model))
  return field.required && (field.kind !== 'reference' || isReadByAll(field.to, model))
}

/** The required references that rules on the rows behind them make nullable: `Post.author`. The start tells them. */
export function servedNullable(model: Model): string[] {
  return model.resources.flatMap(({ name, fields }) =>
    [...fields.values()]
      .filter((field) => field.kind === 'reference' && field.required && !isReadByAll(field.to, model))
      .map((field) => `${name}.${field.name}`),
  )
}

function isReadByAll(of: Resource | Abstract, model: Model): boolean {
  if (of.kind === 'abstract') return of.members.every((member) => isReadByAll(member, model))
  if (isFile(of)) return true // through a row that holds it
  if (of.rules.length === 0) return model.account === null // with accounts, a type without a line is closed
  return of.rules.some(
    ({ who, role, where, to }) => who.kind === 'anyone' && role === null && where === null && to.includes('READ'),
  )
}

// What the author of a valid schema should know, for `twain check` in each of its forms, `twain dev` and `twain start`.

import type { Mistake, Model } from '#model'
import { describePlace, guessableFields, unknownRoles } from '#plan/explain'

/** For programs and GitHub, each at its place. */
export function warningsOf(model: Model): Mistake[] {
  const guesses = guessableFields(model).map(({ field: { owner, name, place }, by }) => ({
    ...place,
    message: `${owner.name}.${name} is unique: a 409 reveals taken values to viewers who may write but not read it (${by.map((kind) => kind.name).join(', ')}).`,
    hint: null,
  }))
  return [...unknownRoles(model), ...guesses]
}

/** For people, a line for each. */
export function warningLines(model: Model): string[] {
  return [...roleLines(model), guessable(model) ?? []].flat()
}

export function roleLines(model: Model): string[] {
  return unknownRoles(model).map(({ message, hint, ...place }) => `${describePlace({ place })} ${message} ${hint}`)
}

/** The warning about unique fields whose values viewers can guess; null without such fields. */
export function guessable(model: Model): string | null {
  const fields = guessableFields(model)
  if (fields.length === 0) return null
  const names = fields.map(
    ({ field: { owner, name }, by }) => `${owner.name}.${name} (${by.map((kind) => kind.name).join(', ')})`,
  )
  return `Unique fields reveal taken values (409) to viewers who may write but not read them: ${names.join(', ')}`
}

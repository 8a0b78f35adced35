// Roles of rules that no account can have: the field of roles is an enum without them. Operators, API keys and external issuers
// may have others, and `admin` is none of the file, so this is a warning.

import { didYouMean } from '#base'
import type { Mistake, Model } from '#model'
import { enumOfRoles, rolesByName } from '../authorize/viewer-class.ts'

/** A warning for each role, at the first rule that names it. */
export function unknownRoles(model: Model): Mistake[] {
  const type = enumOfRoles(model)
  if (type === null) return []
  const names = type.values.map(({ name }) => name)
  return [...rolesByName(model)]
    .filter(([role]) => role !== 'admin' && !names.includes(role))
    .map(([role, place]) => ({
      ...place,
      message: `No account can have the role "${role}": ${type.name} has no such value.`,
      hint: didYouMean(role, names).trim() || 'Only an operator, a key or an external issuer can have it.',
    }))
}

// The key of the type name of a row of an interface or union (docs/reference/rest.md, R10).

import { type Abstract, type Resource, typeWord } from '#model'

/** `_type` if a member type has a field named `type`. */
export function typeKey(of: Abstract): string {
  return of.members.some((member) => member.fields.has('type')) ? typeWord : 'type'
}

/** A request may always write `_type`. */
export function isTypeKey(of: Resource | Abstract, name: string): boolean {
  return of.kind === 'abstract' && (name === typeWord || name === typeKey(of))
}

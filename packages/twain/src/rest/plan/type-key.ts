// The key of the type name of a row of an interface or union (docs/reference/rest.md, R10).

import type { Abstract } from '#model'

/** `_type` if a member type has a field named `type`. */
export function typeKey(of: Abstract): string {
  return of.members.some((member) => member.fields.has('type')) ? '_type' : 'type'
}

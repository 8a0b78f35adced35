// How a row over an interface or union says what it is (docs/reference/rest.md, R10).

import type { Abstract } from '#model'

/** `type`, unless a member has a field of that name. */
export function typeKey(of: Abstract): string {
  return of.members.some((member) => member.fields.has('type')) ? '_type' : 'type'
}

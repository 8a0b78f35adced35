// `Prefer` (RFC 7240): `count=exact` asks for the number of all rows. Preferences that are not known are to be ignored.

import type { HttpRequest } from '#base'

export function wantsCount({ headers: { prefer } }: HttpRequest): boolean {
  if (prefer === undefined) return false
  return prefer.split(/[,;]/).some((preference) => /^\s*count\s*=\s*"?exact"?\s*$/i.test(preference))
}

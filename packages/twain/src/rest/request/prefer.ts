// The header `Prefer` (RFC 7240): `count=exact` asks for the total number of rows, `wait=20` for a long poll of 20 seconds.
// Unknown preferences are ignored.

import type { HttpRequest } from '#base/http'

export function prefersCount({ headers: { prefer } }: HttpRequest): boolean {
  if (prefer === undefined) return false
  return prefer.split(/[,;]/).some((preference) => /^\s*count\s*=\s*"?exact"?\s*$/i.test(preference))
}

/** 0 without the preference. */
export function preferredWaitSeconds({ headers: { prefer } }: HttpRequest): number {
  for (const preference of prefer?.split(/[,;]/) ?? []) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,6})"?\s*$/i.exec(preference) ?? []
    if (seconds !== undefined) return Number(seconds)
  }
  return 0
}

// `Prefer` (RFC 7240): `count=exact` asks for the number of all rows, `wait=20` to hold the request open until there is
// something to tell. Preferences that are not known are to be ignored.

import type { HttpRequest } from '#base'

export function prefersCount({ headers: { prefer } }: HttpRequest): boolean {
  if (prefer === undefined) return false
  return prefer.split(/[,;]/).some((preference) => /^\s*count\s*=\s*"?exact"?\s*$/i.test(preference))
}

/** Seconds; 0 where it is not asked for. */
export function preferredWaitSeconds({ headers: { prefer } }: HttpRequest): number {
  for (const preference of prefer?.split(/[,;]/) ?? []) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,6})"?\s*$/i.exec(preference) ?? []
    if (seconds !== undefined) return Number(seconds)
  }
  return 0
}

// The request header `Prefer`.

import type { HttpRequest } from '#base/http'

/** `Prefer: count=exact` (RFC 7240) requests the total number of rows. Unknown preferences are ignored. */
export function prefersCount({ headers: { prefer } }: HttpRequest): boolean {
  if (prefer === undefined) return false
  return prefer.split(/[,;]/).some((preference) => /^\s*count\s*=\s*"?exact"?\s*$/i.test(preference))
}

/** `Prefer: wait=20` requests a long poll of 20 seconds. 0 without the preference. */
export function preferredWaitSeconds({ headers: { prefer } }: HttpRequest): number {
  for (const preference of prefer?.split(/[,;]/) ?? []) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,6})"?\s*$/i.exec(preference) ?? []
    if (seconds !== undefined) return Number(seconds)
  }
  return 0
}

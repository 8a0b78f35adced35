// The request header `Prefer`.

import type { HttpRequest } from '#base/http'
import type { Limits } from '#plan'
import { maxCutLength } from '#plan/build'

export type PreferredCount = 'exact' | 'estimated'

/** `Prefer: count=exact` and `count=estimated` (RFC 7240) request the total number of rows: of several preferences of this name
 *  the first counts (section 2). Unknown preferences are ignored. */
export function preferredCount({ headers: { prefer } }: HttpRequest): PreferredCount | undefined {
  for (const preference of prefer?.split(/[,;]/) ?? []) {
    const [, count] = /^\s*count\s*=\s*"?(exact|estimated)"?\s*$/i.exec(preference) ?? []
    if (count !== undefined) return count.toLowerCase() as PreferredCount
  }
  return undefined
}

/** `Prefer: cut=200` requests texts and JSON shortened to this number of characters. */
export function preferredCut({ headers: { prefer } }: HttpRequest): number | undefined {
  for (const preference of prefer?.split(/[,;]/) ?? []) {
    const [, length] = /^\s*cut\s*=\s*"?(\d{1,7})"?\s*$/i.exec(preference) ?? []
    if (length !== undefined && Number(length) > 0 && Number(length) <= maxCutLength) return Number(length)
  }
  return undefined
}

/** How long a response may wait: below `limits.timeSeconds`, so that it is sent in time. */
export function maxWaitSeconds({ timeSeconds }: Pick<Limits, 'timeSeconds'>): number {
  return timeSeconds === 0 ? 300 : Math.max(1, timeSeconds - 5)
}

/** `Prefer: wait=20` requests a long poll of 20 seconds. 0 without the preference. */
export function preferredWaitSeconds({ headers: { prefer } }: HttpRequest): number {
  for (const preference of prefer?.split(/[,;]/) ?? []) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,6})"?\s*$/i.exec(preference) ?? []
    if (seconds !== undefined) return Number(seconds)
  }
  return 0
}

/** `Prefer: handling=lenient` (RFC 7240, 4.4): of many rows, those that can be written are. */
export function prefersLenient({ headers: { prefer } }: Pick<HttpRequest, 'headers'>): boolean {
  for (const preference of prefer?.split(/[,;]/) ?? []) {
    const [, handling] = /^\s*handling\s*=\s*"?(strict|lenient)"?\s*$/i.exec(preference) ?? []
    if (handling !== undefined) return handling.toLowerCase() === 'lenient'
  }
  return false
}

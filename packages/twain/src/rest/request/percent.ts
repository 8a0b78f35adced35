// Percent-decoding that refuses what is not UTF-8, instead of guessing.

import { ApiError } from '#base'

/** The text, or null when it is not percent-encoded UTF-8 of printable ASCII. */
export function decodePercent(text: string): string | null {
  if (!/^[\x21-\x7e]*$/.test(text)) return null
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

export function decodePercentOrFail(text: string, what: string): string {
  const decoded = decodePercent(text)
  if (decoded === null) throw new ApiError('BAD_REQUEST', `${what} is not valid percent-encoded UTF-8.`)
  return decoded
}

// Percent-decoding of paths and queries. Bytes that are not UTF-8 are an error.

import { ApiError } from '#base'

/** Null if the text is not percent-encoded UTF-8 in printable ASCII. */
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

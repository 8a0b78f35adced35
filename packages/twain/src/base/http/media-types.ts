// Media types for both APIs: content negotiation (RFC 9110, 12.5.1) and the content type of a body.

import { isUtf8 } from 'node:buffer'
import { ApiError } from '../errors/api-error.ts'

/** The offer with the highest quality; among equals the one that the client names first, and behind a wildcard the first
 *  offer. Null when the client accepts none of them. An empty `Accept` accepts anything. */
export function chooseType<Type extends string>(accept: string | undefined, offers: readonly Type[]): Type | null {
  const [first] = offers
  if (accept === undefined || accept === '*/*' || accept === first || accept.trim() === '') return first ?? null
  const ranges = accept.toLowerCase().split(',').map(readRange)
  const accepted = offers.map((type) => ({ type, ...weigh(type, ranges) })).filter(({ quality }) => quality > 0)
  // Browsers ask for HTML and list XML for historical reasons: they get the default representation.
  if (ranges.some(({ type }) => type === 'text/html')) return accepted[0]?.type ?? null
  accepted.sort((a, b) => b.quality - a.quality || a.place - b.place)
  return accepted[0]?.type ?? null
}

interface MediaRange {
  type: string
  quality: number
}

/** Reads only the weight: no offered type has parameters to choose by. */
function readRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  const quality = weight === undefined ? 1 : Number(weight.slice(2))
  return { type, quality: quality >= 0 && quality <= 1 ? quality : 1 } // an invalid weight is ignored
}

/** The most specific matching range decides. */
function weigh(type: string, ranges: readonly MediaRange[]): { quality: number; place: number } {
  for (const candidate of [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']) {
    const place = ranges.findIndex((range) => range.type === candidate)
    if (place >= 0) return { quality: ranges[place]!.quality, place }
  }
  return { quality: 0, place: ranges.length }
}

export interface ContentType {
  /** In lower case, without parameters; empty where none was sent. */
  readonly type: string
  /** In lower case; null where none was sent. */
  readonly charset: string | null
}

const json: ContentType = { type: 'application/json', charset: null }

export function readContentType(sent: string | undefined): ContentType {
  if (sent === json.type) return json // as most clients write it
  const [type = '', ...parameters] = (sent ?? '').toLowerCase().split(';')
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/.exec(parameter)?.[1])
  return { type: type.trim(), charset: charset.find((name) => name !== undefined) ?? null }
}

/** Whether the charset is UTF-8 or left out. Both APIs accept UTF-8 only. */
export function isUtf8Charset({ charset }: ContentType): boolean {
  return charset === null || charset === 'utf-8' || charset === 'utf8'
}

/** The text of a body without its byte order mark. */
export function decodeBody(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new ApiError('BAD_REQUEST', 'The body is not valid UTF-8.')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

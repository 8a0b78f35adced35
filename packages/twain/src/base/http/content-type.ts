// The content type of a body, and its text. Both APIs accept UTF-8 only.

import { isUtf8 } from 'node:buffer'
import { ApiError } from '../errors/api-error.ts'

export interface ContentType {
  /** In lower case, without parameters; empty where none was sent. */
  type: string
  /** In lower case; null where none was sent. */
  charset: string | null
}

export function readContentType(sent: string | undefined): ContentType {
  const [type = '', ...parameters] = (sent ?? '').toLowerCase().split(';')
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"]*?)"?\s*$/.exec(parameter)?.[1])
  return { type: type.trim(), charset: charset.find((name) => name !== undefined) ?? null }
}

/** Whether the charset is UTF-8 or left out. */
export function isUtf8Charset({ charset }: ContentType): boolean {
  return charset === null || charset === 'utf-8' || charset === 'utf8'
}

/** The text of a body without its byte order mark. */
export function decodeBody(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new ApiError('BAD_REQUEST', 'The body is not valid UTF-8.')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

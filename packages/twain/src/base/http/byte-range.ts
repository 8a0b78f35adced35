// A representation that is bytes: whole, the part that the header `Range` asks for, or 304.

import { matchesEntityTag } from './entity-tag.ts'
import { type HttpReply, type HttpRequest, notModified } from './messages.ts'
import { problemReply } from './problem-document.ts'

export interface ByteRepresentation {
  size: number
  etag: string
  /** Of every response, also of a 304. */
  headers: Readonly<Record<string, string>>
  /** Of the bytes: the type, and whatever describes them. */
  described: Readonly<Record<string, string>> & { readonly 'content-type': string }
  /** `end` is exclusive. */
  open(start: number, end: number): HttpReply['body']
}

export function representBytes(request: HttpRequest, representation: ByteRepresentation): HttpReply {
  const { size, etag, described, open } = representation
  const { 'if-none-match': known, 'if-range': ifRange, range: requested } = request.headers
  const headers: Record<string, string> = { etag, ...representation.headers }
  if (matchesEntityTag(etag, known)) {
    return notModified(headers, { type: described['content-type'], length: size === 0 ? 0 : null })
  }
  Object.assign(headers, described, { 'accept-ranges': 'bytes' })
  if (request.method === 'HEAD')
    return { status: 200, headers: { ...headers, 'content-length': String(size) }, body: null }
  const isSame = ifRange === undefined || ifRange === etag
  const range = isSame ? parseRange(requested, size) : null
  if (range === 'unsatisfiable') return rangeNotSatisfiable(size, request)
  const { start, end } = range ?? { start: 0, end: size }
  if (range !== null) headers['content-range'] = `bytes ${start}-${end - 1}/${size}`
  headers['content-length'] = String(end - start)
  return { status: range === null ? 200 : 206, headers, body: end === start ? '' : open(start, end) }
}

/** RFC 9110, 15.5.17: with the size of the file. */
function rangeNotSatisfiable(size: number, request: HttpRequest): HttpReply {
  const source = {
    title: 'Range Not Satisfiable',
    status: 416,
    message: `The range is outside of the file, which has ${size} bytes.`,
    code: 'BAD_REQUEST',
    problems: [],
    headers: { 'content-range': `bytes */${size}` },
  }
  return problemReply(source, request)
}

/** `Range` with one range of bytes (RFC 9110, 14.1.2 and 14.2; docs/reference/rest.md, R106). `end` is exclusive. */
interface ByteRange {
  start: number
  end: number
}

/** Null to send the whole file: without a range, with an invalid one, or with several, which a server may ignore. */
export function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes\s*=\s*(\d*)\s*-\s*(\d*)$/i.exec(header?.trim() ?? '')
  if (match === null) return null
  const [, first = '', last = ''] = match
  if (first === '') {
    if (last === '') return null
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  const start = Number(first)
  const end = last === '' ? size : Math.min(Number(last) + 1, size)
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'unsatisfiable' : { start, end }
}

// Writes a reply to the socket in one write, with a content length unless the body is a stream.

import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type BodyStream, type HttpReply, isStream } from '#base/http'
import { clearTimeout, setTimeout } from '#base/time'
import { combineFields } from './combine-fields.ts'

/** How long the server reads and drops an unwanted body, so that the client can read the reply. */
const LINGER_MS = 500

export interface ReplyOptions {
  /** Additional header fields, a flat list of names and values. The function appends those of the reply. */
  fields: (string | string[])[]
  /** The content length; null if the reply has none. */
  length: number | null
  /** The connection closes after this reply. */
  last: boolean
  /** The client may still be sending a body that nobody reads. */
  unwanted: boolean
}

export interface SentStream {
  /** Rejects if the stream fails. */
  sent: Promise<void>
  /** What waits here for the client, beside what the response has. */
  unsentBytes(): number
}

/** Returns null unless the body is a stream. */
export function writeReply(
  response: ServerResponse,
  reply: HttpReply,
  { fields, length, last, unwanted }: ReplyOptions,
): SentStream | null {
  if (isGone(response)) {
    abandon(reply)
    return null
  }
  const bare = response.req.method === 'HEAD'
  for (const name in reply.headers) fields.push(name, reply.headers[name]!)
  if (length !== null) fields.push('content-length', String(length))
  if (last || unwanted) fields.push('connection', 'close')
  combineFields(fields)
  response.writeHead(reply.status, fields as string[]) // a flat list of names and values; a value may itself be a list
  const isDropped = bare || reply.status === 204 || reply.status === 304
  const body = isDropped ? null : reply.body
  if (isDropped) abandon(reply)
  if (isStream(body)) return sendStream(response, body)
  if (unwanted) linger(response, body)
  else if (body === null) response.end()
  else response.end(body, isAscii(body, length) ? 'latin1' : 'utf8')
  return null
}

/** Whether the connection has closed. Node destroys only the response that has the socket, not those that wait behind it. */
export function isGone(response: ServerResponse): boolean {
  return response.destroyed || response.req.socket.destroyed
}

/** Such a text has a byte for each character, and Node writes it without a buffer of three bytes for each. */
function isAscii(body: string | Uint8Array, length: number | null): boolean {
  return typeof body === 'string' && body.length === length
}

/** Ends a stream that nobody will read, so that its producer can release its resources. */
export function abandon({ body }: HttpReply): void {
  if (!isStream(body)) return
  if (body instanceof Readable) body.destroy()
  else void body[Symbol.asyncIterator]().return?.()
}

/** Sends as fast as the client reads. If the client disconnects, the stream ends without an error. */
function sendStream(response: ServerResponse, body: BodyStream): SentStream {
  const readable = Readable.from(body, { objectMode: false })
  const sent = pipeline(readable, response).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
  return { sent, unsentBytes: () => (body.waitingSize ?? 0) + readable.readableLength }
}

/** RFC 9110, 8.6: a 204 has no length. Without a body, HEAD and 304 do not know the length that GET would have. */
export function contentLength({ status, headers, body }: HttpReply, bare: boolean): number | null {
  if (status === 204 || headers['content-length'] !== undefined) return null
  if (body === null) return bare || status === 304 ? null : 0
  if (isStream(body)) return null
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
}

/** Closing with unread bytes would reset the connection, and the client might never see the reply. */
function linger(response: ServerResponse, body: string | Uint8Array | null): void {
  if (body === null) response.flushHeaders()
  else response.write(body)
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, LINGER_MS)
  response.req.once('end', end).once('close', end).resume()
}

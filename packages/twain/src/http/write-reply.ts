// Puts a reply on the socket: one head, one write, a length that is always said, unless the body is made while it is sent.

import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type BodyStream, type HttpReply, isStream } from '#base'

/** How long what a client still sends is read and dropped, so that it gets to see why it was refused. */
const LINGER = 500

export interface ReplyOptions {
  /** Header fields beside the reply's own: a flat list of names and values, to which those are added. */
  fields: (string | string[])[]
  /** Of the body, where it is told. */
  length: number | null
  /** The connection ends with this reply. */
  last: boolean
  /** The client may still be sending a body nobody reads. */
  unwanted: boolean
}

/** The promise is of a stream, and rejects when that fails in the middle. */
export function writeReply(
  response: ServerResponse,
  reply: HttpReply,
  { fields, length, last, unwanted }: ReplyOptions,
): Promise<void> | undefined {
  if (response.destroyed) {
    abandon(reply)
    return // the client went away, there is nobody to tell
  }
  const bare = response.req.method === 'HEAD'
  for (const name in reply.headers) fields.push(name, reply.headers[name]!)
  if (length !== null) fields.push('content-length', String(length))
  if (last || unwanted) fields.push('connection', 'close')
  response.writeHead(reply.status, fields as string[]) // names and values in a flat list; a value may be a list itself
  const isDropped = bare || reply.status === 204 || reply.status === 304
  const body = isDropped ? null : reply.body
  if (isDropped) abandon(reply)
  if (isStream(body)) return sendStream(response, body)
  if (unwanted) linger(response, body)
  else if (body === null) response.end()
  else response.end(body)
  return undefined
}

/** A stream that nobody will read is ended, so that who makes it can let go of what it holds. */
export function abandon({ body }: HttpReply): void {
  if (!isStream(body)) return
  if (body instanceof Readable) body.destroy()
  else void body[Symbol.asyncIterator]().return?.()
}

/** As fast as the client reads. When it goes away the stream is ended, and there is nothing to tell of. */
async function sendStream(response: ServerResponse, body: BodyStream): Promise<void> {
  try {
    await pipeline(Readable.from(body, { objectMode: false }), response)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

/** RFC 9110, 8.6: a 204 has no length; of an absent body, HEAD and 304 do not know the length that GET would have. */
export function contentLength({ status, headers, body }: HttpReply, bare: boolean): number | null {
  if (status === 204 || headers['content-length'] !== undefined) return null
  if (body === null) return bare || status === 304 ? null : 0
  if (isStream(body)) return null
  return typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
}

/** Closing with unread bytes in the buffer would reset the connection, and the client might never see the reply. */
function linger(response: ServerResponse, body: string | Uint8Array | null): void {
  if (body === null) response.flushHeaders()
  else response.write(body)
  const end = () => {
    clearTimeout(timer)
    response.end()
  }
  const timer = setTimeout(end, LINGER)
  response.req.once('end', end).once('close', end).resume()
}

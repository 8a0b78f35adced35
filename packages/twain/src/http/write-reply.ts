// Puts a reply on the socket: one head, one write, a length that is always said, unless the body is made while it is sent.

import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type BodyStream, type HttpReply, isStream } from '#base'

/** How long what a client still sends is read and dropped, so that it gets to see why it was refused. */
const LINGER = 500

/** `last`: the connection ends with this reply. `unwanted`: the client may still be sending a body nobody reads. The promise
 *  is of a stream, and rejects when that fails in the middle. */
export function writeReply(
  response: ServerResponse,
  reply: HttpReply,
  last: boolean,
  unwanted: boolean,
): Promise<void> | undefined {
  const bare = response.req.method === 'HEAD'
  if (isStream(reply.body) && (bare || response.destroyed)) void reply.body[Symbol.asyncIterator]().return?.()
  if (response.destroyed) return // the client went away, there is nobody to tell
  const head: (string | string[])[] = []
  for (const name in reply.headers) head.push(name, reply.headers[name]!)
  const length = contentLength(reply, bare)
  if (length !== null) head.push('content-length', String(length))
  if (last || unwanted) head.push('connection', 'close')
  response.writeHead(reply.status, head as string[]) // names and values in a flat list; a value may be a list itself
  const body = bare || reply.status === 204 || reply.status === 304 ? null : reply.body
  if (isStream(body)) return sendStream(response, body)
  if (unwanted) linger(response, body)
  else if (body === null) response.end()
  else response.end(body)
  return undefined
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
function contentLength({ status, headers, body }: HttpReply, bare: boolean): number | null {
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

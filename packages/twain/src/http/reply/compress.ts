// Compresses a reply for a client that accepts it (RFC 9110, 8.4 and 12.5.3).
//
// 1. A reply with `no-store` may contain a secret (a token, or an error that repeats the request) and is never compressed: the
//    compressed length could confirm a guess of the secret. No page can make another user's browser send a request with that
//    user's token, so other replies are safe (docs/internals/decisions/0012-http-module.md).
// 2. Compression never blocks the main thread: long bodies go to a thread of Node's pool, streams are compressed in chunks.
// 3. A compressed representation has its own entity tag.
// 4. The long bodies that the pool compresses, or that wait for it, are bounded. Beyond the bound a body is sent as it is: what waits for
//    its client is bounded too (`connections.ts`).

import { pipeline, Readable, type Transform } from 'node:stream'
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  gzipSync,
  zstdCompress,
  zstdCompressSync,
} from 'node:zlib'
import type { MaybePromise } from '#base'
import { type BodyStream, encodedTag, type HttpReply, type HttpRequest, isStream } from '#base/http'

/** Below this size compression saves less than the header needs. */
const minBytes = 1024
/** Up to this size compression takes less than a millisecond and runs on the main thread. */
const maxSyncBytes = 16_384

type Coding = 'zstd' | 'br' | 'gzip'

/** In the server's order of preference: zstd takes the least time for nearly the same length. */
const codings: readonly Coding[] = ['zstd', 'br', 'gzip']

/** Whether the reply depends on `Accept-Encoding`, so that it needs `Vary`. */
export function isCompressible({ status, headers, body, confirms }: HttpReply): boolean {
  if (confirms !== undefined) return isWorthwhile(confirms.length, confirms.type, headers['cache-control'])
  if (body === null || status === 206 || headers['content-encoding'] !== undefined) return false
  return isWorthwhile(isStream(body) ? null : body.length, headers['content-type'], headers['cache-control'])
}

type HeaderValue = HttpReply['headers'][string] | undefined

/** The length of a stream, null, is not known. */
function isWorthwhile(length: number | null, type: HeaderValue, control: HeaderValue): boolean {
  if ((length !== null && length < minBytes) || !compressible.test(String(type))) return false
  return control === undefined || !unchanged.test(String(control))
}

const compressible =
  /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]+\+)?(?:json|xml|x-ndjson|yaml|javascript)\b|image\/svg)/i
const unchanged = /no-store|no-transform/

/** See 4. */
export interface CompressionLoad {
  bytes: number
  readonly maxBytes: number
}

/** The reply in the coding that the client prefers, or unchanged. */
export function compress(
  reply: HttpReply,
  { headers }: Pick<HttpRequest, 'headers'>,
  load: CompressionLoad,
): MaybePromise<HttpReply> {
  const coding = chooseCoding(headers['accept-encoding'])
  if (coding === null || reply.body === null) return reply
  const head = encodedHead(reply, coding)
  if (isStream(reply.body)) return { ...head, body: compressStream(reply.body, coding) }
  if (reply.body.length > Math.max(maxSyncBytes, load.maxBytes - load.bytes)) return reply
  const bytes = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body
  if (bytes.length <= maxSyncBytes) return { ...head, body: compressSync[coding](bytes) }
  load.bytes += bytes.length
  return compressInThread(bytes, coding)
    .then((body) => ({ ...head, body }))
    .finally(() => {
      load.bytes -= bytes.length
    })
}

/** A 304 has the entity tag of the client's cached representation (RFC 9110, 15.4.5). */
export function confirmed(reply: HttpReply, { headers }: Pick<HttpRequest, 'headers'>): HttpReply {
  const { etag } = reply.headers
  const known = headers['if-none-match']
  if (typeof etag !== 'string' || known === undefined || !known.includes('+')) return reply
  const tag = codings.map((coding) => encodedTag(etag, coding)).find((one) => known.includes(one))
  return tag === undefined ? reply : { ...reply, headers: { ...reply.headers, etag: tag } }
}

/** The best coding that both support; null for none. Any accepted coding is preferred to identity of the same quality. */
export function chooseCoding(accepted: string | undefined): Coding | null {
  if (accepted === undefined || accepted === '') return null
  const qualities = new Map<string, number>()
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', weight] = part.split(';', 2)
    const quality = weight === undefined ? 1 : Number(/^\s*q=([\d.]+)\s*$/.exec(weight)?.[1])
    qualities.set(name.trim(), quality >= 0 && quality <= 1 ? quality : 0)
  }
  const others = qualities.get('*') ?? 0
  let best: Coding | null = null
  let bestQuality = 0
  for (const coding of codings) {
    const quality = qualities.get(coding) ?? (coding === 'gzip' ? qualities.get('x-gzip') : undefined) ?? others
    if (quality > bestQuality) {
      best = coding
      bestQuality = quality
    }
  }
  return (qualities.get('identity') ?? 0) > bestQuality ? null : best
}

function encodedHead(reply: HttpReply, coding: Coding): HttpReply {
  const { 'content-length': _length, 'accept-ranges': _ranges, ...headers } = reply.headers // both describe the uncompressed bytes
  headers['content-encoding'] = coding
  if (typeof headers.etag === 'string') headers.etag = encodedTag(headers.etag, coding)
  return { ...reply, headers }
}

const level = {
  gzip: { level: 6 },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 } },
  zstd: { params: { [constants.ZSTD_c_compressionLevel]: 1 } },
}

const compressSync: Record<Coding, (bytes: Uint8Array) => Uint8Array> = {
  gzip: (bytes) => gzipSync(bytes, level.gzip),
  br: (bytes) => brotliCompressSync(bytes, level.br),
  zstd: (bytes) => zstdCompressSync(bytes, level.zstd),
}

function compressInThread(bytes: Uint8Array, coding: Coding): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, result: Uint8Array) => (error === null ? resolve(result) : reject(error))
    if (coding === 'gzip') gzip(bytes, level.gzip, done)
    else if (coding === 'br') brotliCompress(bytes, level.br, done)
    else zstdCompress(bytes, level.zstd, done)
  })
}

const openStream: Record<Coding, () => Transform> = {
  gzip: () => createGzip(level.gzip),
  br: () => createBrotliCompress(level.br),
  zstd: () => createZstdCompress(level.zstd),
}

/** If either stream ends early, `pipeline` ends the other. */
function compressStream(body: BodyStream, coding: Coding): BodyStream {
  return pipeline(Readable.from(body, { objectMode: false }), openStream[coding](), () => {}) as Transform
}

// Compresses a reply for a client that takes it (RFC 9110, 8.4 and 12.5.3).
//
// 1. What is not to be stored is secret (tokens, failures that repeat what was sent): it is never compressed, since the
//    length of a compressed text tells of what stands beside a guess in it. Beyond that nobody can make another one's browser
//    ask with its token, so the two never meet (docs/internals/decisions/0012-http-module.md).
// 2. The main thread is never held up: what is long is compressed by a thread of Node's, and a stream piece by piece.
// 3. A compressed representation has an entity tag of its own.

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
import { type BodyStream, encodedTag, type HttpReply, type HttpRequest, isStream, type MaybePromise } from '#base'

/** Bytes below which the head of the answer weighs more than what is won. */
const minBytes = 1024
/** Bytes that are compressed at once, in less than a millisecond; more would be felt by others. */
const mostAtOnce = 16_384

type Coding = 'zstd' | 'br' | 'gzip'

/** In our order of liking, for clients that like them alike: the first takes the least time for nearly the same length. */
const codings: readonly Coding[] = ['zstd', 'br', 'gzip']

/** Whether the answer depends on `Accept-Encoding`, so that caches must know. */
export function isCompressible({ status, headers, body }: HttpReply): boolean {
  if (body === null || status === 206 || headers['content-encoding'] !== undefined) return false
  if (!isStream(body) && body.length < minBytes) return false
  if (!compressible.test(String(headers['content-type']))) return false
  const control = headers['cache-control']
  return control === undefined || !unchanged.test(String(control))
}

const compressible =
  /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]+\+)?(?:json|xml|x-ndjson|yaml|javascript)\b|image\/svg)/i
const unchanged = /no-store|no-transform/

/** The reply in the coding that the client likes best, or as it is. */
export function compress(reply: HttpReply, { headers }: Pick<HttpRequest, 'headers'>): MaybePromise<HttpReply> {
  const coding = chooseCoding(headers['accept-encoding'])
  if (coding === null || reply.body === null) return reply
  const head = encodedHead(reply, coding)
  if (isStream(reply.body)) return { ...head, body: compressStream(reply.body, coding) }
  const bytes = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body
  if (bytes.length <= mostAtOnce) return { ...head, body: atOnce[coding](bytes) }
  return inThread(bytes, coding).then((body) => ({ ...head, body }))
}

/** A 304 names the tag of the bytes that the client has (RFC 9110, 15.4.5). */
export function confirmed(reply: HttpReply, asked: Pick<HttpRequest, 'headers'>): HttpReply {
  const { etag } = reply.headers
  const known = asked.headers['if-none-match']
  if (typeof etag !== 'string' || known === undefined || !known.includes('+')) return reply
  const tag = codings.map((coding) => encodedTag(etag, coding)).find((one) => known.includes(one))
  return tag === undefined ? reply : { ...reply, headers: { ...reply.headers, etag: tag } }
}

/** The best of what both know; null: as it is. Identity is liked less than every coding that is taken at all. */
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
  let most = 0
  for (const coding of codings) {
    const quality = qualities.get(coding) ?? (coding === 'gzip' ? qualities.get('x-gzip') : undefined) ?? others
    if (quality > most) {
      best = coding
      most = quality
    }
  }
  return (qualities.get('identity') ?? 0) > most ? null : best
}

function encodedHead(reply: HttpReply, coding: Coding): HttpReply {
  const { 'content-length': _length, 'accept-ranges': _ranges, ...headers } = reply.headers // both are of the plain bytes
  headers['content-encoding'] = coding
  if (typeof headers.etag === 'string') headers.etag = encodedTag(headers.etag, coding)
  return { ...reply, headers }
}

const level = {
  gzip: { level: 6 },
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 18 } },
  zstd: { params: { [constants.ZSTD_c_compressionLevel]: 1 } },
}

const atOnce: Record<Coding, (bytes: Uint8Array) => Uint8Array> = {
  gzip: (bytes) => gzipSync(bytes, level.gzip),
  br: (bytes) => brotliCompressSync(bytes, level.br),
  zstd: (bytes) => zstdCompressSync(bytes, level.zstd),
}

function inThread(bytes: Uint8Array, coding: Coding): Promise<Uint8Array> {
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

/** Whichever of the two ends early ends the other. */
function compressStream(body: BodyStream, coding: Coding): BodyStream {
  return pipeline(Readable.from(body, { objectMode: false }), openStream[coding](), () => {}) as Transform
}

// Reads a multipart body (RFC 7578) one part at a time, with backpressure: a part is consumed before the next one begins.

import { once } from 'node:events'
import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy'
import { ApiError } from '#base'

export type MultipartPart =
  | { kind: 'text'; name: string; text: string }
  | { kind: 'file'; name: string; fileName: string | undefined; mediaType: string; bytes: AsyncIterable<Uint8Array> }

export interface MultipartLimits {
  /** The maximum size of a text part; 0: unlimited. */
  textBytes: number
  files: number
}

const maxTextParts = 10

export function isMultipart(contentType: string | undefined): boolean {
  return /^multipart\/form-data\s*(?:;|$)/i.test(contentType ?? '')
}

/** Rejects with the error of `take`, or with an ApiError about the body; then it stops reading. */
export async function readMultipart(
  body: AsyncIterable<Uint8Array>,
  contentType: string,
  limits: MultipartLimits,
  take: (part: MultipartPart) => Promise<void>,
): Promise<void> {
  const reading = new MultipartReader(await openParser(contentType, limits), limits, take)
  try {
    for await (const chunk of body) await reading.write(chunk)
    await reading.end()
  } catch (error) {
    throw await reading.stop(error)
  }
}

class MultipartReader {
  readonly #parser: BusboyInstance
  readonly #take: (part: MultipartPart) => Promise<void>
  /** Rejects with the first error, also while the parser waits for a part that is no longer read. */
  readonly #failed = Promise.withResolvers<never>()
  #taken: Promise<void> = Promise.resolve()
  /** The file that is being read. */
  #current: BusboyFileStream | null = null

  constructor(parser: BusboyInstance, limits: MultipartLimits, take: (part: MultipartPart) => Promise<void>) {
    this.#parser = parser
    this.#take = take
    this.#failed.promise.catch(() => {}) // every waiting call rejects with it
    parser.on('field', (name: unknown, text, _nameCut, isCut) => {
      if (isCut) this.#fail(tooLarge(`The part "${name}" is larger than ${limits.textBytes} bytes.`))
      else this.#next({ kind: 'text', name: String(name), text })
    })
    parser.on('file', (name: unknown, file, fileName: string | undefined, _encoding, mediaType) => {
      // The parser only emits the error. Destroying the file passes it to its current or later reader.
      file.on('error', (error) => file.destroy(error))
      this.#next({ kind: 'file', name: String(name), fileName, mediaType, bytes: bytesOf(file) }, file)
    })
    parser.on('filesLimit', () => this.#fail(tooLarge(`There are more than ${limits.files} files.`)))
    parser.on('fieldsLimit', () => this.#fail(malformed('it has too many parts')))
    parser.on('error', (error) => this.#fail(malformed(String((error as Error).message))))
  }

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#parser.write(chunk)) return
    await Promise.race([once(this.#parser, 'drain'), this.#failed.promise])
  }

  async end(): Promise<void> {
    const finished = once(this.#parser, 'finish')
    this.#parser.end()
    await Promise.race([finished, this.#failed.promise])
    await Promise.race([this.#taken, this.#failed.promise])
  }

  /** Returns the first error, once no part is being read. */
  async stop(error: unknown): Promise<unknown> {
    this.#fail(error)
    const first = await this.#failed.promise.catch((reason: unknown) => reason)
    this.#current?.destroy(first as Error)
    await this.#taken.catch(() => {})
    return first
  }

  #next(part: MultipartPart, file: BusboyFileStream | null = null): void {
    this.#taken = this.#taken.then(() => {
      this.#current = file
      return this.#take(part)
    })
    this.#taken.catch((error) => this.#fail(error))
  }

  #fail(error: unknown): void {
    this.#failed.reject(error)
  }
}

async function* bytesOf(file: BusboyFileStream): AsyncIterable<Uint8Array> {
  try {
    yield* file as AsyncIterable<Uint8Array>
  } catch (error) {
    throw error instanceof ApiError ? error : malformed('it ends inside a file')
  }
}

async function openParser(contentType: string, { textBytes: text, files }: MultipartLimits): Promise<BusboyInstance> {
  const { Busboy } = await import('@fastify/busboy') // loaded on first use
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { fieldSize: text > 0 ? text : Number.MAX_SAFE_INTEGER, files, fields: maxTextParts, headerPairs: 20 },
    })
  } catch (error) {
    throw malformed((error as Error).message)
  }
}

function malformed(reason: string): ApiError {
  return new ApiError('BAD_REQUEST', `The body is not valid multipart/form-data: ${reason}.`)
}

function tooLarge(message: string): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', message)
}

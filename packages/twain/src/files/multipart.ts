// A multipart body (RFC 7578), a part at a time: each is taken to its end before the next one begins, as fast as it comes.

import { once } from 'node:events'
import type { BusboyFileStream, BusboyInstance } from '@fastify/busboy'
import { ApiError } from '#base'

export type MultipartPart =
  | { kind: 'text'; name: string; text: string }
  | { kind: 'file'; name: string; fileName: string | undefined; mediaType: string; bytes: AsyncIterable<Uint8Array> }

export interface MultipartLimits {
  /** Bytes of a part that is no file. */
  textBytes: number
  files: number
}

const mostTexts = 10

export function isMultipart(contentType: string | undefined): boolean {
  return /^multipart\/form-data\s*(?:;|$)/i.test(contentType ?? '')
}

/** Rejects with what `take` rejects with, or with a Fault about the body; then nothing more is read. */
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
  /** Rejects as soon as something is wrong, also while the parser waits for a part that nobody reads any more. */
  readonly #failed = Promise.withResolvers<never>()
  #taken: Promise<void> = Promise.resolve()
  /** The file that is being taken. */
  #current: BusboyFileStream | null = null

  constructor(parser: BusboyInstance, limits: MultipartLimits, take: (part: MultipartPart) => Promise<void>) {
    this.#parser = parser
    this.#take = take
    this.#failed.promise.catch(() => {}) // whoever waits hears of it
    parser.on('field', (name: unknown, text, _nameCut, isCut) => {
      if (isCut) this.#fail(tooLarge(`The part "${name}" is larger than ${limits.textBytes} bytes.`))
      else this.#next({ kind: 'text', name: String(name), text })
    })
    parser.on('file', (name: unknown, file, fileName: string | undefined, _encoding, mediaType) => {
      // The parser only tells of it; whoever reads the file, now or later, must hear of it too.
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

  /** The first that went wrong, when no part is being taken any more. */
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
    throw error instanceof ApiError ? error : malformed('it breaks off inside a file')
  }
}

async function openParser(contentType: string, { textBytes: text, files }: MultipartLimits): Promise<BusboyInstance> {
  const { Busboy } = await import('@fastify/busboy') // most services never need it
  try {
    return new Busboy({
      headers: { 'content-type': contentType },
      limits: { fieldSize: text > 0 ? text : Number.MAX_SAFE_INTEGER, files, fields: mostTexts, headerPairs: 20 },
    })
  } catch (error) {
    throw malformed((error as Error).message)
  }
}

function malformed(reason: string): ApiError {
  return new ApiError('BAD_REQUEST', `The body is not multipart/form-data that can be read: ${reason}.`)
}

function tooLarge(message: string): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', message)
}

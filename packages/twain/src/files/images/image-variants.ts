// Finds the variants of images, and makes those that are missing: once, however many requests wait for one. The bytes are in the
// storage of files; the store has a record for each.
//
// At most two images are made at a time: an image takes up to a core and some hundred megabytes, and Node's thread pool, which
// also hashes passwords and reads files, has four threads.

import { ApiError, FairQueue } from '#base'
import { type ImageVariant, variantQuery } from '#plan'
import type { FileRecords, ImageRecord, ImageRecords } from '#store'
import type { FileBytes } from '../file-bytes.ts'
import { type ImageMaker, ImageTimeout } from './image-maker.ts'

/** Larger files are not read into memory. */
const maxSourceBytes = 64 * 1024 * 1024
const maxRemembered = 10_000
/** How long a file counts as no image: its bytes never change, but settings do. */
const refusalMs = 10 * 60 * 1000

interface ImageVariantsOptions {
  bytes: FileBytes
  records: FileRecords
  images: ImageRecords
  imageMaker: ImageMaker | null
  clock: () => number
}

/** The stored bytes of a file. */
interface Source {
  key: string
  size: number
}

export class ImageVariants {
  readonly #options: ImageVariantsOptions
  readonly #queue = new FairQueue({
    maxAtOnce: 2,
    maxOfClient: 20,
    maxOfAll: 100,
    message: 'Too many images are being made at the moment.',
    retryAfterSeconds: 5,
  })
  /** By source and variant. A record never changes, and outlives the file. */
  readonly #found = new Map<string, ImageRecord>()
  readonly #underWay = new Map<string, Promise<ImageRecord>>()
  /** By source: the bytes are no image, or took too long a moment ago. */
  readonly #refused = new Map<string, { error: ApiError; until: number }>()

  constructor(options: ImageVariantsOptions) {
    this.#options = options
  }

  /** `client` is who asks (`clientKey`): clients take turns. */
  async find(source: Source, variant: ImageVariant, client: string): Promise<ImageRecord> {
    const id = idOf(source.key, variantQuery(variant))
    const found = this.#found.get(id)
    if (found !== undefined) return found
    const underWay =
      this.#underWay.get(id) ?? this.#findOrMake(source, variant, client).finally(() => this.#underWay.delete(id))
    this.#underWay.set(id, underWay)
    const image = await underWay
    remember(this.#found, id, image)
    return image
  }

  /** Deletes the variants of these keys that no file needs any more, and returns the keys of their bytes. */
  async deleteUnused(keys: readonly string[]): Promise<string[]> {
    const deleted = await this.#options.images.deleteUnused(keys)
    // On disk, equal bytes that are uploaded again have the same key.
    const gone = new Set(deleted)
    for (const [id, { bytes }] of this.#found) if (gone.has(bytes)) this.#found.delete(id)
    return deleted
  }

  async #findOrMake(source: Source, variant: ImageVariant, client: string): Promise<ImageRecord> {
    const stored = await this.#options.images.find(source.key, variantQuery(variant))
    if (stored !== null) return stored
    const refused = this.#refused.get(source.key)
    if (refused !== undefined && refused.until > this.#options.clock()) throw refused.error
    try {
      return await this.#queue.run(client, () => this.#make(source, variant))
    } catch (error) {
      const ms = refusedMs(error)
      if (ms > 0) remember(this.#refused, source.key, { error: error as ApiError, until: this.#options.clock() + ms })
      throw error
    }
  }

  async #make(source: Source, variant: ImageVariant): Promise<ImageRecord> {
    const { bytes, records, images, imageMaker, clock } = this.#options
    if (imageMaker === null) throw new Error('a variant was asked of a server that makes none')
    if (source.size > maxSourceBytes) throw tooLargeToRead(source.size)
    const made = await imageMaker.make(await this.#read(source), variant)
    const stored = await bytes.put(once(made))
    try {
      const record = { bytes: stored.key, size: stored.size, created: clock() }
      const kept = await images.add(source.key, variantQuery(variant), record)
      if (kept === null) throw new ApiError('NOT_FOUND', 'The file was deleted.')
      return kept
    } finally {
      stored.release()
      // Removes nothing if the record was written; otherwise another node was first, or the file is gone.
      await bytes.remove([stored.key], (keys) => records.unused(keys)).catch(() => {}) // the cleanup deletes what is left
    }
  }

  async #read({ key, size }: Source): Promise<Buffer> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this.#options.bytes.open(key, 0, size)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
}

const mediaTypes = { WEBP: 'image/webp', AVIF: 'image/avif', JPEG: 'image/jpeg', PNG: 'image/png' } as const
const extensions = { WEBP: 'webp', AVIF: 'avif', JPEG: 'jpg', PNG: 'png' } as const

/** `sea.png` as WebP is `sea.webp`. */
export function describeVariant(name: string, { format }: ImageVariant): { name: string; mediaType: string } {
  const stem = name.replace(/(?<=.)\.[^.]{1,10}$/, '')
  return { name: `${stem}.${extensions[format]}`, mediaType: mediaTypes[format] }
}

function idOf(source: string, variant: string): string {
  return `${source} ${variant}`
}

/** How long the same error is given again without another try. */
function refusedMs(error: unknown): number {
  if (error instanceof ImageTimeout) return ImageTimeout.retryAfterSeconds * 1000
  const isAboutBytes =
    error instanceof ApiError && (error.code === 'UNSUPPORTED_MEDIA_TYPE' || error.code === 'PAYLOAD_TOO_LARGE')
  return isAboutBytes ? refusalMs : 0
}

/** Drops the oldest. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value)
  if (map.size > maxRemembered) map.delete(map.keys().next().value!)
}

function tooLargeToRead(size: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The file has ${size} bytes, too many to make variants of an image.`, {
    hint: `At most ${maxSourceBytes} bytes are read. Read the file without width, height, fit and format.`,
  })
}

async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield bytes
}

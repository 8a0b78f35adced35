// Uploaded files: upload, read and cleanup. `file-bytes.ts` stores the contents; the store has a row for each file, which fields
// of type `File` reference.
//
// 1. The contents are stored first, then the file row, then the row that references it. A file that was unreferenced for a
//    whole day is deleted, the row before its contents. So a row always has its contents, and a crash leaves too much, never too little.
// 2. Rules decide who may read a file, as for every other row. A signed URL is the only exception.

import { ApiError, andThen, type MaybePromise, uuidv7 } from '#base'
import { extendFingerprint, type IdempotencyKey, system, type Viewer } from '#base/http'
import type { Engine } from '#engine'
import type { FileType } from '#model'
import type { BoundPlan, ImageVariant } from '#plan'
import { type FileRecords, hashIn, type ImageRecords, type StorageFailures, type StoreClock } from '#store'
import type { FileBytes, StoredBytes } from './file-bytes.ts'
import type { FileSignatures } from './file-signatures.ts'
import { MissingBytes, withFirstChunk } from './first-chunk.ts'
import { HeldUploads } from './held-uploads.ts'
import type { ImageMaker } from './images/image-maker.ts'
import { describeVariant, ImageVariants } from './images/image-variants.ts'

/** An upload. The client supplies name and media type. */
export interface IncomingFile {
  bytes: AsyncIterable<Uint8Array>
  name: string | undefined
  mediaType: string | undefined
  /** Who uploads it (`clientKey`). */
  client: string
}

/** A file whose contents are stored, and which has no row yet. */
export class ReceivedFile {
  readonly name: string
  readonly mediaType: string
  readonly stored: StoredBytes
  readonly client: string
  /** The id of its row, once `save` was called. */
  id: Promise<string> | null = null

  constructor(name: string, mediaType: string, stored: StoredBytes, client: string) {
    this.name = name
    this.client = client
    this.mediaType = mediaType
    this.stored = stored
  }

  /** Independent of where the contents are stored: a repeated request has the same fingerprint. */
  toJSON(): object {
    return { name: this.name, mediaType: this.mediaType, hash: hashIn(this.stored.key) }
  }
}

/** A file that the viewer may read. */
export interface FoundFile {
  id: string
  name: string
  mediaType: string
  size: number
  /** The key of its contents. */
  key: string
  /** The hash of its contents. */
  hash: string
  /** Whether a signed URL gave access. */
  signed: boolean
}

/** What a signed URL has beside the path of the file. */
export interface UrlSignature {
  /** The query string of the variant that the URL is of; empty: the file itself. */
  variant: string
  expires: string
  signature: string
}

interface FilesOptions {
  file: FileType
  engine: Engine
  records: FileRecords
  bytes: FileBytes
  signatures: FileSignatures
  images: ImageRecords
  failures: StorageFailures
  /** Makes variants of images; null if the server makes none. */
  imageMaker: ImageMaker | null
  clock: () => number
  /** By which unreferenced files are marked and deleted. Default: `clock`. */
  ages?: Pick<StoreClock, 'earliest' | 'latest'>
}

const dayMs = 24 * 3600 * 1000
const maxFileBytes = 2 ** 31 - 1

/** Rows per step of the cleanup. */
const cleanupBatchRows = 500

export class Files {
  readonly #options: FilesOptions
  readonly #read: BoundPlan['plan']
  readonly #held: HeldUploads
  readonly #variants: ImageVariants
  #cleanedUpTo = ''

  constructor(options: FilesOptions) {
    this.#options = options
    const { records, engine, clock } = options
    this.#held = new HeldUploads(records, engine.limits.uploadsHeldBytes, clock)
    this.#read = planRead(options.file)
    this.#variants = new ImageVariants(options)
  }

  /** Throws an ApiError for a viewer who may write no field of type `File`. Called before the body is read. */
  admit(viewer: Viewer): void {
    this.#options.engine.admitUpload(viewer)
  }

  /** Stores the contents while they arrive. The caller must `release` the file at the end of the request. */
  async receive({ bytes, name, mediaType, client }: IncomingFile): Promise<ReceivedFile> {
    await this.#held.expectRoom(client)
    const stored = await this.#options.bytes.put(limitBytes(bytes, this.#options.engine.limits.uploadBytes))
    return new ReceivedFile(cleanName(name), cleanMediaType(mediaType), stored, client)
  }

  /** Creates the row of the file, at most one, and returns its id. */
  save(received: ReceivedFile, viewer: Viewer): Promise<string> {
    received.id ??= this.#add(received, viewer, null)
    return received.id
  }

  /** Stores a file under an id of its own, for an import. Does nothing if there is a file with this id. */
  async keep(id: string, incoming: IncomingFile): Promise<void> {
    if ((await this.find(id, system, null)) !== null) return
    const { records, bytes, clock } = this.#options
    const stored = await bytes.put(incoming.bytes)
    try {
      const [name, mediaType] = [cleanName(incoming.name), cleanMediaType(incoming.mediaType)]
      const record = { id, name, mediaType, size: stored.size, bytes: stored.key, uploader: null, created: clock() }
      await records.add(record, system)
    } finally {
      stored.release()
    }
  }

  /** The same with an `Idempotency-Key`: returns the file that an earlier request created, and discards this one. */
  async saveIdempotent(
    received: ReceivedFile,
    viewer: Viewer,
    idempotencyKey: IdempotencyKey,
  ): Promise<{ id: string; replayed: boolean }> {
    const { name, mediaType, stored } = received
    const fingerprinted = extendFingerprint(idempotencyKey, [name, mediaType, hashIn(stored.key)])
    const made = uuidv7(this.#options.clock())
    const id = await this.#add(received, viewer, { idempotencyKey: fingerprinted, id: made })
    if (id === made) received.id = Promise.resolve(id)
    return { id, replayed: id !== made }
  }

  async #add(
    { name, mediaType, stored, client }: ReceivedFile,
    viewer: Viewer,
    idempotent: { idempotencyKey: IdempotencyKey; id: string } | null,
  ): Promise<string> {
    const { records, clock } = this.#options
    const created = clock()
    const id = idempotent?.id ?? uuidv7(created)
    const uploader = this.#options.file.uploader === null ? null : viewer.account
    const record = { id, name, mediaType, size: stored.size, bytes: stored.key, uploader, created }
    this.#held.add(client, id, stored.size)
    if (idempotent !== null) return records.addIdempotent(record, viewer, idempotent.idempotencyKey)
    await records.add(record, viewer)
    return id
  }

  /** Ends an upload. Deletes contents without a row and, unless `isWanted`, a row that nothing references. */
  async release(received: ReceivedFile, isWanted: boolean): Promise<void> {
    const { stored } = received
    try {
      const id = (await received.id?.catch(() => null)) ?? null
      if (id !== null && isWanted) return stored.release()
      if (id !== null) await this.#options.records.deleteUnheld([id])
      stored.release()
      await this.#removeBytes([stored.key])
    } catch {
      stored.release() // the request has its result; the cleanup deletes what is left
    }
  }

  /** Null if the viewer can't see such a file. `signature` is that of a signed URL. */
  find(id: string, viewer: Viewer, signature: UrlSignature | null): MaybePromise<FoundFile | null> {
    const { engine, signatures } = this.#options
    const signed =
      signature === null ? null : signatures.check(id, signature.variant, signature.expires, signature.signature)
    const boundPlan = { plan: this.#read, values: [id], places: ['id'] }
    const answer = engine.execute(boundPlan, signed === 'good' ? system : viewer, { isDefaultSelection: true })
    return andThen(answer, (found) => {
      if (found.kind !== 'one') throw new Error(`the engine returned an unexpected result "${found.kind}"`)
      if (found.text !== null) {
        const shown = JSON.parse(found.text) as Omit<FoundFile, 'id' | 'hash' | 'signed'>
        return { id, ...shown, hash: hashIn(shown.key), signed: signed === 'good' }
      }
      if (signed !== 'expired') return null
      throw new ApiError('NOT_FOUND', 'There is no such file.', {
        hint: 'The signed URL has expired. Read the url of the file again.',
      })
    })
  }

  /** A variant of an image, which is made if it was not made before. It takes the place of the file. `client` is who asks
   *  (`clientKey`). */
  async variantOf(file: FoundFile, variant: ImageVariant, client: string): Promise<FoundFile> {
    const { bytes, size } = await this.#variants
      .find(file, variant, client)
      .catch((error) => this.#explain(error, file.id))
    const { name, mediaType } = describeVariant(file.name, variant)
    return { ...file, name, mediaType, size, key: bytes, hash: hashIn(bytes) }
  }

  /** Rejects if the first bytes can't be read. */
  async open({ id, key }: FoundFile, start: number, end: number): Promise<AsyncIterable<Uint8Array>> {
    return withFirstChunk(this.#options.bytes.open(key, start, end)).catch((error) => this.#explain(error, id))
  }

  /** Rejects as `open` does. */
  async requireBytes(file: FoundFile): Promise<void> {
    if (file.size === 0) return
    const bytes = await this.open(file, 0, file.size)
    await bytes[Symbol.asyncIterator]().return?.()
  }

  #explain(error: unknown, id: string): never {
    if (!(error instanceof MissingBytes)) throw error
    throw this.#options.failures.metMissing(id, error)
  }

  /** One step of the cleanup: deletes files that no row has referenced for a day, and contents without a row. True when it has
   *  gone through all files. */
  async cleanUp(): Promise<boolean> {
    const { records, bytes, clock, ages = { earliest: clock, latest: clock } } = this.#options
    const before = ages.earliest() - dayMs
    const swept = await records.sweep({
      after: this.#cleanedUpTo,
      maxRows: cleanupBatchRows,
      before,
      now: ages.latest(),
    })
    this.#cleanedUpTo = swept.next
    await this.#removeBytes([...swept.bytes, ...(await bytes.listBatch(before))])
    return swept.next === ''
  }

  /** With the variants of images that were made from them. */
  async #removeBytes(keys: readonly string[]): Promise<void> {
    const { records, bytes } = this.#options
    const variants = await this.#variants.deleteUnused(keys)
    await bytes.remove([...keys, ...variants], (some) => records.unused(some))
  }
}

function planRead({ resource, bytes }: FileType): BoundPlan['plan'] {
  const [id, ...shown] = [...resource.fields.values()].filter((field) => field.kind === 'stored')
  const selections = [...shown, bytes].map((field) => {
    return { kind: 'field', key: field === bytes ? 'key' : field.name, field } as const
  })
  return {
    kind: 'one',
    of: resource,
    id: { index: 0, accepts: { kind: 'type', type: id!.type } },
    selections,
  }
}

async function* limitBytes(bytes: AsyncIterable<Uint8Array>, limit: number): AsyncIterable<Uint8Array> {
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (limit > 0 && size > limit) throw tooLarge(limit, 'The setting limits.uploadBytes sets the maximum.')
    if (size > maxFileBytes) throw tooLarge(maxFileBytes)
    yield chunk
  }
}

function tooLarge(limit: number, hint?: string): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The file is larger than ${limit} bytes.`, { hint })
}

const maxNameLength = 255

/** The file name of an upload is a label, never a path. Without folders, control characters and bidirectional marks; `file` if nothing is left. */
export function cleanName(sent: string | undefined): string {
  const last = (sent ?? '').toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const plain = last.replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/gu, '').trim()
  const short = shorten(plain)
  return /^\.*$/.test(short) ? 'file' : short
}

/** Shortens before the extension. */
function shorten(name: string): string {
  const letters = [...name]
  if (letters.length <= maxNameLength) return name
  const dot = letters.lastIndexOf('.')
  const extension = dot > 0 && letters.length - dot <= 20 ? letters.slice(dot) : []
  return [...letters.slice(0, maxNameLength - extension.length), ...extension].join('')
}

const unknownType = 'application/octet-stream'

/** The media type of an upload: `type/subtype` in lower case (RFC 9110, 8.3.1), without parameters. */
export function cleanMediaType(sent: string | undefined): string {
  const [type = ''] = (sent ?? '').split(';')
  const plain = type.trim().toLowerCase()
  return plain.length <= 127 && /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(plain) ? plain : unknownType
}

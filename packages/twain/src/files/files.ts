// Uploaded files: who may bring one, how it is taken, who may read it, and when it goes. Bytes are kept in one place
// (`bytes.ts`), their rows in the store, where fields of type `File` refer to them.
//
// 1. Bytes come first, then the row, then whatever holds it. What is not held after a day goes, the row before the bytes: so
//    a row always has its bytes, and after a crash there may be too many of either, never too few.
// 2. Who may read a file is a rule of the plan like any other's; a signed address is the one other way in.

import {
  ApiError,
  andThen,
  extendFingerprint,
  type IdempotencyKey,
  type MaybePromise,
  system,
  uuidv7,
  type Viewer,
} from '#base'
import type { Engine } from '#engine'
import type { FileType } from '#model'
import type { BoundPlan } from '#plan'
import { type FileRecords, hashIn } from '#store'
import type { FileBytes, StoredBytes } from './file-bytes.ts'
import { cleanMediaType, cleanName } from './file-name.ts'
import type { FileSignatures } from './file-signatures.ts'

/** A file as it comes. Name and media type are what its uploader says. */
export interface IncomingFile {
  bytes: AsyncIterable<Uint8Array>
  name: string | undefined
  mediaType: string | undefined
}

/** A file of which only the bytes are kept so far. */
export class ReceivedFile {
  readonly name: string
  readonly mediaType: string
  readonly stored: StoredBytes
  /** The id of its row, once it has one. */
  id: Promise<string> | null = null

  constructor(name: string, mediaType: string, kept: StoredBytes) {
    this.name = name
    this.mediaType = mediaType
    this.stored = kept
  }

  /** What it is, wherever its bytes are: what must be the same when a request comes again. */
  toJSON(): object {
    return { name: this.name, mediaType: this.mediaType, hash: hashIn(this.stored.key) }
  }
}

/** A file that may be read. */
export interface FoundFile {
  id: string
  name: string
  mediaType: string
  size: number
  /** Where its bytes are. */
  key: string
  /** Says which bytes these are: the same for the same bytes only. */
  hash: string
  /** By its address, whoever asks. */
  signed: boolean
}

interface FilesOptions {
  file: FileType
  engine: Engine
  records: FileRecords
  bytes: FileBytes
  signatures: FileSignatures
  clock: () => number
}

const day = 24 * 3600 * 1000
const most = 2 ** 31 - 1

/** How many rows are looked at in one go. */
const portion = 500

export class Files {
  readonly #parts: FilesOptions
  readonly #read: BoundPlan['plan']
  #sweptTo = ''

  constructor(parts: FilesOptions) {
    this.#parts = parts
    this.#read = planRead(parts.file)
  }

  /** Throws a Fault for who could put a file into no row: asked before any of it is read. */
  admit(viewer: Viewer): void {
    this.#parts.engine.admitUpload(viewer)
  }

  /** The bytes, taken as they come. What is received is either kept or dropped. */
  async receive({ bytes, name, mediaType }: IncomingFile): Promise<ReceivedFile> {
    const kept = await this.#parts.bytes.put(limited(bytes, this.#parts.engine.limits.uploadBytes))
    return new ReceivedFile(cleanName(name), cleanMediaType(mediaType), kept)
  }

  /** Gives it a row of its own, once however often it is asked; its id. */
  save(received: ReceivedFile, viewer: Viewer): Promise<string> {
    received.id ??= this.#add(received, viewer, null)
    return received.id
  }

  /** The same under an `Idempotency-Key`: the file that was made under it before, if there is one, and then this one goes. */
  async saveIdempotent(
    received: ReceivedFile,
    viewer: Viewer,
    once: IdempotencyKey,
  ): Promise<{ id: string; replayed: boolean }> {
    const { name, mediaType, stored: kept } = received
    const own = extendFingerprint(once, [name, mediaType, hashIn(kept.key)])
    const made = uuidv7(this.#parts.clock())
    const id = await this.#add(received, viewer, { once: own, id: made })
    if (id === made) received.id = Promise.resolve(id)
    return { id, replayed: id !== made }
  }

  async #add(
    { name, mediaType, stored: kept }: ReceivedFile,
    viewer: Viewer,
    under: { once: IdempotencyKey; id: string } | null,
  ): Promise<string> {
    const { records, clock } = this.#parts
    const created = clock()
    const id = under?.id ?? uuidv7(created)
    const uploader = this.#parts.file.uploader === null ? null : viewer.account
    const record = { id, name, mediaType, size: kept.size, bytes: kept.key, uploader, created }
    if (under !== null) return records.addIdempotent(record, viewer, under.once)
    await records.add(record, viewer)
    return id
  }

  /** When the request is over. What has no row goes, and so does a row that `isWanted` does not want and nothing holds. */
  async release(received: ReceivedFile, isWanted: boolean): Promise<void> {
    const { stored: kept } = received
    try {
      const id = (await received.id?.catch(() => null)) ?? null
      if (id !== null && isWanted) return kept.release()
      if (id !== null) await this.#parts.records.deleteUnheld([id])
      kept.release()
      await this.#removeBytes([kept.key])
    } catch {
      kept.release() // what the request came to is not changed by it, and what is left is swept
    }
  }

  /** Null where there is none for this viewer. `signature` is what stood in the address. */
  find(
    id: string,
    viewer: Viewer,
    signature: { expires: string; signature: string } | null,
  ): MaybePromise<FoundFile | null> {
    const { engine, signatures } = this.#parts
    const signed = signature === null ? null : signatures.check(id, signature.expires, signature.signature)
    const asked = { plan: this.#read, values: [id], places: ['id'] }
    const answer = engine.execute(asked, signed === 'good' ? system : viewer, { isDefaultSelection: true })
    return andThen(answer, (found) => {
      if (found.kind !== 'one') throw new Error(`the engine answered with "${found.kind}", which was not asked for`)
      if (found.text !== null) {
        const shown = JSON.parse(found.text) as Omit<FoundFile, 'id' | 'hash' | 'signed'>
        return { id, ...shown, hash: hashIn(shown.key), signed: signed === 'good' }
      }
      if (signed !== 'expired') return null
      throw new ApiError('NOT_FOUND', 'There is no such file.', {
        hint: 'This address was good for an hour. Ask for the url of the file again.',
      })
    })
  }

  open({ key }: FoundFile, start: number, end: number): AsyncIterable<Uint8Array> {
    return this.#parts.bytes.open(key, start, end)
  }

  /** One portion of the work: files that no row has held for a day, and bytes of no file. True when it has been through all. */
  async cleanUp(): Promise<boolean> {
    const { records, bytes, clock } = this.#parts
    const before = clock() - day
    const swept = await records.sweep({ after: this.#sweptTo, most: portion, before })
    this.#sweptTo = swept.next
    await this.#removeBytes([...swept.bytes, ...(await bytes.listBatch(before))])
    return swept.next === ''
  }

  #removeBytes(keys: readonly string[]): Promise<void> {
    const { records, bytes } = this.#parts
    return bytes.remove(keys, (some) => records.unused(some))
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

async function* limited(bytes: AsyncIterable<Uint8Array>, limit: number): AsyncIterable<Uint8Array> {
  let size = 0
  for await (const chunk of bytes) {
    size += chunk.length
    if (limit > 0 && size > limit) throw tooLarge(limit, 'The setting limits.uploadBytes says how large a file may be.')
    if (size > most) throw tooLarge(most)
    yield chunk
  }
}

function tooLarge(limit: number, hint?: string): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The file is larger than ${limit} bytes.`, { hint })
}

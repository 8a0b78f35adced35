// Bounds the uploads of a client that no row refers to: `limits.uploadsHeldBytes`. Each node counts its own, in memory. When a
// client reaches the limit, the store says which of its files no row refers to, and only those go on counting.

import { ApiError } from '#base'
import type { FileRecords } from '#store'

/** A client with more small files than this asks the store for the oldest again. */
const maxFilesOfClient = 10_000
/** The cleanup deletes what no row refers to for a day. */
const dayMs = 24 * 3600 * 1000

interface HeldUpload {
  id: string
  bytes: number
  at: number
}

export class HeldUploads {
  readonly #records: Pick<FileRecords, 'unheld'>
  readonly #maxBytes: number
  readonly #clock: () => number
  readonly #clients = new Map<string, HeldUpload[]>()

  /** `maxBytes`: 0 is no limit. */
  constructor(records: Pick<FileRecords, 'unheld'>, maxBytes: number, clock: () => number) {
    this.#records = records
    this.#maxBytes = maxBytes
    this.#clock = clock
  }

  /** Throws TOO_MANY_REQUESTS if the client has uploaded too much that no row refers to. */
  async expectRoom(client: string): Promise<void> {
    const uploads = this.#clients.get(client)
    if (this.#maxBytes === 0 || uploads === undefined || !this.#isFull(uploads)) return
    const unheld = new Set(await this.#records.unheld(uploads.map(({ id }) => id)))
    const since = this.#clock() - dayMs
    const left = (this.#clients.get(client) ?? []).filter(({ id, at }) => unheld.has(id) && at > since)
    if (left.length === 0) this.#clients.delete(client)
    else this.#clients.set(client, left)
    if (this.#isFull(left)) throw tooMuchHeld(this.#maxBytes)
  }

  add(client: string, id: string, bytes: number): void {
    if (this.#maxBytes === 0) return
    const uploads = this.#clients.get(client) ?? []
    uploads.push({ id, bytes, at: this.#clock() })
    this.#clients.set(client, uploads)
  }

  #isFull(uploads: readonly HeldUpload[]): boolean {
    return uploads.length >= maxFilesOfClient || uploads.reduce((sum, { bytes }) => sum + bytes, 0) >= this.#maxBytes
  }
}

function tooMuchHeld(maxBytes: number): ApiError {
  return new ApiError('TOO_MANY_REQUESTS', `You have uploaded ${maxBytes} bytes or more that no row refers to.`, {
    hint: 'Refer to the files in rows. Twain deletes what nothing refers to after a day. The setting limits.uploadsHeldBytes is the limit.',
    headers: { 'retry-after': '3600' },
  })
}

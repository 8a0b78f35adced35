// Mutations that wait until the server can be reached.
//
// 1. One after another, in the order in which they were made: the next is sent when the one before is answered.
// 2. Each is kept in the storage before it is sent, with its `Idempotency-Key`, and let go when it is answered: so a page that
//    is closed sends the rest when it is opened again, and what was sent already has no second effect.
// 3. A refusal is an answer. Only a line that is broken, and a server that is busy, are waited for.

import { type Answer, HttpError, NetworkError } from '../errors.ts'
import { patience } from '../transport/patience.ts'
import { type Call, post } from '../transport/post.ts'
import type { Place } from './on-demand.ts'
import type { Storage } from './options.ts'

interface Waiting {
  readonly call: Call
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

export async function openQueue(place: Place): Promise<OfflineQueue> {
  const { offline } = place.options
  const storage = typeof offline === 'object' ? offline : null
  const kept = JSON.parse((await storage?.get()) ?? '[]') as Call[]
  return new OfflineQueue(place, storage, kept)
}

export class OfflineQueue {
  readonly #place: Place
  readonly #storage: Storage | null
  #waiting: Waiting[]
  #isSending = false
  #saving: Promise<unknown> = Promise.resolve()

  constructor(place: Place, storage: Storage | null, kept: Call[]) {
    this.#place = place
    this.#storage = storage
    // Who waited for these is gone; what they answer is of no news to anyone.
    this.#waiting = kept.map((call) => ({ call, resolve() {}, reject: place.engine.onError }))
    this.#send()
  }

  get size(): number {
    return this.#waiting.length
  }

  add(call: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, resolve, reject })
      this.#save().then(() => this.#send(), reject)
    })
  }

  async #send(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    for (let attempt = 0; this.#waiting.length > 0; ) {
      const [{ call, resolve, reject }] = this.#waiting as [Waiting]
      try {
        const answer = await post(this.#place.http, this.#place.options.url, call)
        await this.#done()
        resolve(answer)
        attempt = 0
      } catch (error) {
        if (isTemporary(error)) await patience(attempt++)
        else {
          await this.#done()
          reject(error)
        }
      }
    }
    this.#isSending = false
  }

  async #done(): Promise<void> {
    this.#waiting.shift()
    await this.#save()
  }

  /** One after another, so that an older list never overwrites a newer. */
  #save(): Promise<unknown> {
    this.#saving = this.#saving.then(() => this.#storage?.set(JSON.stringify(this.#waiting.map(({ call }) => call))))
    return this.#saving
  }
}

const isTemporary = (error: unknown): boolean =>
  error instanceof NetworkError || (error instanceof HttpError && (error.status >= 500 || error.status === 429))

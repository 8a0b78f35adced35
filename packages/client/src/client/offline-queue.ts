// Mutations that wait until the server is reachable.
//
// 1. The queue sends mutations in their order, each after the response to the previous one.
// 2. The queue stores each mutation with its `Idempotency-Key` before it sends it, and removes it after the response. So a
//    page that was closed sends the rest when it opens again, and a mutation that was already sent has no second effect.
// 3. A refusal is a response. The queue retries only after network errors and responses of a busy server.

import { type Answer, HttpError, NetworkError } from '../errors.ts'
import { backoff } from '../transport/backoff.ts'
import { type GraphQLRequest, post } from '../transport/post.ts'
import type { ClientContext } from './engine.ts'
import type { Storage } from './options.ts'

interface QueuedMutation {
  readonly call: GraphQLRequest
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

export async function openQueue(context: ClientContext): Promise<OfflineQueue> {
  const { offline } = context.options
  const storage = typeof offline === 'object' ? offline : null
  const stored = JSON.parse((await storage?.get()) ?? '[]') as GraphQLRequest[]
  return new OfflineQueue(context, storage, stored)
}

export class OfflineQueue {
  readonly #context: ClientContext
  readonly #storage: Storage | null
  #queue: QueuedMutation[]
  #isSending = false
  #saving: Promise<unknown> = Promise.resolve()

  constructor(context: ClientContext, storage: Storage | null, stored: GraphQLRequest[]) {
    this.#context = context
    this.#storage = storage
    // The callers of these mutations are gone, so nobody needs the results.
    this.#queue = stored.map((call) => ({ call, resolve() {}, reject: context.engine.onError }))
    this.#send()
  }

  get size(): number {
    return this.#queue.length
  }

  add(call: GraphQLRequest): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ call, resolve, reject })
      this.#save().then(() => this.#send(), reject)
    })
  }

  async #send(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    for (let attempt = 0; this.#queue.length > 0; ) {
      const [{ call, resolve, reject }] = this.#queue as [QueuedMutation]
      try {
        const answer = await post(this.#context.http, this.#context.options.url, call)
        await this.#removeFirst()
        resolve(answer)
        attempt = 0
      } catch (error) {
        if (isTemporary(error)) await backoff(attempt++)
        else {
          await this.#removeFirst()
          reject(error)
        }
      }
    }
    this.#isSending = false
  }

  async #removeFirst(): Promise<void> {
    this.#queue.shift()
    await this.#save()
  }

  /** Saves run one after another, so that an older list never overwrites a newer one. */
  #save(): Promise<unknown> {
    this.#saving = this.#saving.then(() => this.#storage?.set(JSON.stringify(this.#queue.map(({ call }) => call))))
    return this.#saving
  }
}

const isTemporary = (error: unknown): boolean =>
  error instanceof NetworkError || (error instanceof HttpError && (error.status >= 500 || error.status === 429))

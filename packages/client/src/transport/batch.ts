// Combines operations within a few milliseconds into one request. Each operation has its own errors. If the server refuses a
// whole batch, the client sends its operations one by one, so that only the wrong ones fail.

import type { Answer } from '../errors.ts'
import type { Http } from './http.ts'
import { type GraphQLRequest, post, postAll } from './post.ts'

export interface BatchOptions {
  /** Milliseconds to wait for more operations: 10. */
  interval?: number
  /** The maximum number of operations in one request: 10. */
  max?: number
  /** The maximum size of a batch in characters: 100,000. A larger operation is sent alone. */
  size?: number
}

interface BatchedRequest {
  call: GraphQLRequest
  body: string
  signal: AbortSignal | undefined
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

export class Batcher {
  readonly #http: Http
  readonly #url: string
  readonly #options: Required<BatchOptions>
  #queue: BatchedRequest[] = []
  #size = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(http: Http, url: string, { interval = 10, max = 10, size = 100_000 }: BatchOptions) {
    this.#http = http
    this.#url = url
    this.#options = { interval, max, size }
  }

  send(call: GraphQLRequest, signal?: AbortSignal): Promise<Answer> {
    const { query, operationName, variables, idempotencyKey } = call
    const extensions = idempotencyKey === undefined ? undefined : { idempotencyKey }
    const body = JSON.stringify({ query, operationName, variables, extensions })
    const { interval, max, size } = this.#options
    if (body.length > size) return post(this.#http, this.#url, call, signal)
    if (this.#size + body.length > size) this.#flush()
    return new Promise((resolve, reject) => {
      this.#queue.push({ call, body, signal, resolve, reject })
      this.#size += body.length
      if (this.#queue.length >= max) this.#flush()
      else this.#timer ??= setTimeout(() => this.#flush(), interval)
    })
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const batch = this.#queue.filter(({ signal, reject }) => {
      if (signal?.aborted) reject(signal.reason)
      return !signal?.aborted
    })
    this.#queue = []
    this.#size = 0
    if (batch.length > 1) this.#sendAll(batch)
    else for (const one of batch) this.#sendAlone(one)
  }

  async #sendAll(batch: BatchedRequest[]): Promise<void> {
    const isSafe = batch.every(({ call }) => call.isSafe)
    const bodies = batch.map(({ body }) => body)
    // Aborts the request when all callers have given up.
    const controller = new AbortController()
    let left = batch.length
    for (const { signal, reject } of batch)
      signal?.addEventListener('abort', () => {
        reject(signal.reason)
        if (--left === 0) controller.abort(signal.reason)
      })
    try {
      const answers = await postAll(this.#http, this.#url, bodies, isSafe, controller.signal)
      if (answers === null) for (const one of batch) this.#sendAlone(one)
      else for (const [n, { resolve }] of batch.entries()) resolve(answers[n]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  #sendAlone({ call, signal, resolve, reject }: BatchedRequest): void {
    post(this.#http, this.#url, call, signal).then(resolve, reject)
  }
}

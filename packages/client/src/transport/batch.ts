// Gathers what is asked within a few milliseconds into one request. What one of them fails by is its own; a batch that is
// refused whole is sent again one by one, so that here too only what is wrong fails.

import type { Answer } from '../errors.ts'
import type { Http } from './http.ts'
import { type Call, post, postAll } from './post.ts'

export interface BatchOptions {
  /** How long is waited for more, in milliseconds: 10. */
  interval?: number
  /** At most so many in one request: 10. */
  max?: number
  /** What is larger, in characters, goes alone, and no batch is: 100,000. */
  size?: number
}

interface Waiting {
  call: Call
  body: string
  signal: AbortSignal | undefined
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

export class Batcher {
  readonly #http: Http
  readonly #url: string
  readonly #options: Required<BatchOptions>
  #waiting: Waiting[] = []
  #size = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(http: Http, url: string, { interval = 10, max = 10, size = 100_000 }: BatchOptions) {
    this.#http = http
    this.#url = url
    this.#options = { interval, max, size }
  }

  send(call: Call, signal?: AbortSignal): Promise<Answer> {
    const { query, operationName, variables, idempotencyKey } = call
    const extensions = idempotencyKey === undefined ? undefined : { idempotencyKey }
    const body = JSON.stringify({ query, operationName, variables, extensions })
    const { interval, max, size } = this.#options
    if (body.length > size) return post(this.#http, this.#url, call, signal)
    if (this.#size + body.length > size) this.#flush()
    return new Promise((resolve, reject) => {
      this.#waiting.push({ call, body, signal, resolve, reject })
      this.#size += body.length
      if (this.#waiting.length >= max) this.#flush()
      else this.#timer ??= setTimeout(() => this.#flush(), interval)
    })
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const batch = this.#waiting.filter(({ signal, reject }) => {
      if (signal?.aborted) reject(signal.reason)
      return !signal?.aborted
    })
    this.#waiting = []
    this.#size = 0
    if (batch.length > 1) this.#sendAll(batch)
    else for (const one of batch) this.#sendAlone(one)
  }

  async #sendAll(batch: Waiting[]): Promise<void> {
    const isSafe = batch.every(({ call }) => call.isSafe)
    const bodies = batch.map(({ body }) => body)
    // Nobody waits any more: then it need not be answered.
    const given = new AbortController()
    let left = batch.length
    for (const { signal, reject } of batch)
      signal?.addEventListener('abort', () => {
        reject(signal.reason)
        if (--left === 0) given.abort(signal.reason)
      })
    try {
      const answers = await postAll(this.#http, this.#url, bodies, isSafe, given.signal)
      if (answers === null) for (const one of batch) this.#sendAlone(one)
      else for (const [n, { resolve }] of batch.entries()) resolve(answers[n]!)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  #sendAlone({ call, signal, resolve, reject }: Waiting): void {
    post(this.#http, this.#url, call, signal).then(resolve, reject)
  }
}

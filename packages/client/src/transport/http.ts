// Sends over HTTP, for GraphQL and REST alike: with the caller's token, a time limit, and again where that is safe.
//
// 1. A 401 makes a new token, once for all who wait for one, and is sent again once.
// 2. What may be sent twice (a query, a mutation with its key) is, when no answer came or the server was busy: after a pause
//    that grows and is drawn by lot, so that many clients do not come back together; or when the server said.
// 3. A caller that gives up is told its own reason, at once.

import { HttpError, NetworkError } from '../errors.ts'

type Awaitable<T> = T | Promise<T>

export interface HttpOptions {
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  headers?: Record<string, string> | (() => Awaitable<Record<string, string>>)
  /** The value of the header `authorization`; null: none. */
  authorization?: () => Awaitable<string | null | undefined>
  /** Gets another token, after a 401. `authorization` is then asked again. */
  refresh?: () => Promise<unknown>
  /** Milliseconds, for each try; 30,000. 0: none. */
  timeout?: number
  retry?: RetryOptions
  credentials?: 'omit' | 'same-origin' | 'include'
}

export interface RetryOptions {
  /** How often it is tried in all: 3. */
  attempts?: number
  /** The longest first pause, in milliseconds: 300. Each next one may be twice as long. */
  pause?: number
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface Sending {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: RequestInit['body'] | undefined
  readonly signal?: AbortSignal | undefined
  /** It may be sent again. */
  readonly isSafe: boolean
  /** In place of the client's own. */
  readonly timeout?: number
  readonly fetch?: HttpOptions['fetch']
}

const busy = [429, 502, 503, 504]
const longestPause = 30_000

export class Http {
  readonly #options: HttpOptions
  #refreshing: Promise<unknown> | null = null

  constructor(options: HttpOptions) {
    this.#options = options
  }

  /** The answer, whatever its status. */
  async send(url: string, sending: Sending): Promise<Reply> {
    const { attempts = 3, pause = 300 } = this.#options.retry ?? {}
    for (let attempt = 1; ; attempt++) {
      const isLast = !sending.isSafe || attempt >= attempts
      let wait = Math.random() * Math.min(longestPause, pause * 2 ** (attempt - 1))
      try {
        const reply = await this.#authorized(url, sending, readWhole)
        if (isLast || !busy.includes(reply.status)) return reply
        const said = Number(reply.headers.get('retry-after') ?? Number.NaN) * 1000
        if (said > longestPause) return reply
        if (said >= 0) wait += said
      } catch (error) {
        if (isLast || !(error instanceof NetworkError)) throw error
      }
      await sleep(wait, sending.signal)
    }
  }

  /** An answer that comes in parts, for as long as it lasts. It is tried once. */
  open(url: string, sending: Sending): Promise<Response> {
    return this.#authorized(url, sending, async (reply) => reply)
  }

  async #authorized<T extends { status: number }>(url: string, sending: Sending, read: Reader<T>): Promise<T> {
    const token = await this.token()
    const reply = await this.#once(url, sending, token, read)
    if (reply.status !== 401 || !(await this.renew(token))) return reply
    return this.#once(url, sending, await this.token(), read)
  }

  async token(): Promise<string | null | undefined> {
    return this.#options.authorization?.()
  }

  /** Gets another token than this one, which is not good; false if there is no way to. */
  async renew(token: string | null | undefined): Promise<boolean> {
    const { refresh } = this.#options
    if (refresh === undefined) return false
    // Another request may have got a new one meanwhile.
    if (token === (await this.token())) {
      this.#refreshing ??= refresh().finally(() => {
        this.#refreshing = null
      })
      await this.#refreshing
    }
    return true
  }

  async #once<T>(url: string, sending: Sending, token: string | null | undefined, read: Reader<T>): Promise<T> {
    const { method, headers, body, signal } = sending
    const { credentials, headers: more } = this.#options
    const ask = sending.fetch ?? this.#options.fetch ?? fetch
    const timeout = sending.timeout ?? this.#options.timeout ?? 30_000
    signal?.throwIfAborted()
    const signals = [...(signal ? [signal] : []), ...(timeout > 0 ? [AbortSignal.timeout(timeout)] : [])]
    const own = typeof more === 'function' ? await more() : more
    try {
      const reply = await ask(url, {
        method,
        headers: { ...own, ...headers, ...(token != null && { authorization: token }) },
        signal: AbortSignal.any(signals),
        ...(body !== undefined && { body }),
        ...(credentials !== undefined && { credentials }),
      })
      return await read(reply)
    } catch (error) {
      signal?.throwIfAborted()
      throw new NetworkError(error)
    }
  }
}

type Reader<T> = (reply: Response) => Promise<T>

async function readWhole(reply: Response): Promise<Reply> {
  return { status: reply.status, headers: reply.headers, text: await reply.text() }
}

export const httpError = ({ status, headers, text }: Reply): HttpError => new HttpError(status, headers, text)

export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal!.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

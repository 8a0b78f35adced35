// Sends HTTP requests for GraphQL and REST, with the caller's token, a timeout, and retries where they are safe.
//
// 1. After a 401 the client renews the token, once for all waiting requests, and sends the request once more.
// 2. The client retries safe requests (a query, a mutation with its key) when no response came or the server was busy. It
//    waits for a growing random pause, so that many clients do not return together, and for the server's `Retry-After`.
// 3. A caller that aborts gets its own reason, at once.

import { HttpError, NetworkError } from '../errors.ts'
import { sleep } from './wait.ts'

type Awaitable<T> = T | Promise<T>

export interface HttpOptions {
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  headers?: Record<string, string> | (() => Awaitable<Record<string, string>>)
  /** The value of the header `authorization`; null: none. */
  authorization?: () => Awaitable<string | null | undefined>
  /** Renews the token after a 401. The client then calls `authorization` again. */
  refresh?: () => Promise<unknown>
  /** Milliseconds for each attempt: 30,000. 0: none. */
  timeout?: number
  retry?: RetryOptions
  credentials?: 'omit' | 'same-origin' | 'include'
}

export interface RetryOptions {
  /** The maximum number of attempts: 3. */
  attempts?: number
  /** The maximum first pause in milliseconds: 300. It doubles with each attempt. */
  pause?: number
}

export interface HttpReply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface HttpRequest {
  readonly method: string
  readonly headers: Record<string, string>
  readonly body?: RequestInit['body'] | undefined
  readonly signal?: AbortSignal | undefined
  /** The request may be sent again. */
  readonly isSafe: boolean
  /** Replaces the client's timeout. */
  readonly timeout?: number
  readonly fetch?: HttpOptions['fetch']
}

const busyStatuses = [429, 502, 503, 504]
const maxPauseMs = 30_000

export class Http {
  readonly #options: HttpOptions
  #refreshing: Promise<unknown> | null = null

  constructor(options: HttpOptions) {
    this.#options = options
  }

  /** The response, whatever its status. */
  async send(url: string, request: HttpRequest): Promise<HttpReply> {
    const { attempts = 3, pause = 300 } = this.#options.retry ?? {}
    for (let attempt = 1; ; attempt++) {
      const isLast = !request.isSafe || attempt >= attempts
      let wait = Math.random() * Math.min(maxPauseMs, pause * 2 ** (attempt - 1))
      try {
        const reply = await this.#authorized(url, request, readText)
        if (isLast || !busyStatuses.includes(reply.status)) return reply
        const retryAfter = Number(reply.headers.get('retry-after') ?? undefined) * 1000
        if (retryAfter > maxPauseMs) return reply
        if (retryAfter >= 0) wait += retryAfter
      } catch (error) {
        if (isLast || !(error instanceof NetworkError)) throw error
      }
      await sleep(wait, request.signal)
    }
  }

  /** A streaming response. It is not retried. */
  open(url: string, request: HttpRequest): Promise<Response> {
    return this.#authorized(url, request, async (reply) => reply)
  }

  async #authorized<T extends { status: number }>(url: string, request: HttpRequest, read: Reader<T>): Promise<T> {
    const token = await this.token()
    const reply = await this.#sendOnce(url, request, token, read)
    if (reply.status !== 401 || !(await this.renew(token))) return reply
    return this.#sendOnce(url, request, await this.token(), read)
  }

  async token(): Promise<string | null | undefined> {
    return this.#options.authorization?.()
  }

  /** Renews the token after this one was refused; false if there is no `refresh`. */
  async renew(token: string | null | undefined): Promise<boolean> {
    const { refresh } = this.#options
    if (refresh === undefined) return false
    // Another request may have renewed it in the meantime.
    if (token === (await this.token())) {
      this.#refreshing ??= refresh().finally(() => {
        this.#refreshing = null
      })
      await this.#refreshing
    }
    return true
  }

  async #sendOnce<T>(url: string, request: HttpRequest, token: string | null | undefined, read: Reader<T>): Promise<T> {
    const { method, headers, body, signal } = request
    const { credentials, headers: more } = this.#options
    const send = request.fetch ?? this.#options.fetch ?? fetch
    const timeout = request.timeout ?? this.#options.timeout ?? 30_000
    signal?.throwIfAborted()
    const signals = [signal, timeout > 0 && AbortSignal.timeout(timeout)].filter((one) => !!one)
    const own = typeof more === 'function' ? await more() : more
    try {
      const reply = await send(url, {
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

async function readText(reply: Response): Promise<HttpReply> {
  return { status: reply.status, headers: reply.headers, text: await reply.text() }
}

export const httpError = ({ status, headers, text }: HttpReply): HttpError => new HttpError(status, headers, text)

// Subscriptions over a `SocketConnection`, and their reconnects.
//
// 1. The client reconnects after a growing random pause, or as soon as the browser is online again, for as long as anyone
//    listens.
// 2. A subscription resumes after its last cursor (`extensions.cursor`, the argument `after`), so no event is missing or
//    repeated. Without an event yet, it resumes after the cursor of its start: that of `connection_ack`, or, on an open
//    connection, one that it fetches before it subscribes.
// 3. When the connection ends because its token expired (4403), the client renews the token, once for all subscriptions.
// 4. With a server without cursors, the client subscribes again and misses the events in between, like any client.

import type { ClientContext } from '../client/engine.ts'
import type { BoundOperation } from '../document/operation.ts'
import { parse } from '../document/parse.ts'
import type { Data } from '../document/selection.ts'
import { type Answer, GraphQLErrors, HttpError, NetworkError } from '../errors.ts'
import { backoff } from '../transport/backoff.ts'
import { post } from '../transport/post.ts'
import { SocketConnection } from './socket-connection.ts'

export interface SubscriptionResult<T> {
  data: T | undefined
  error?: Error
  /** The position to resume from (`after`), if the server sends one. */
  cursor?: string
}

export interface Listener<T> {
  next(result: SubscriptionResult<T>): void
  /** The subscription has ended: the server refused it, or the missed events are no longer available (`GONE`). A lost
   *  connection is no error. */
  error?(error: Error): void
  complete?(): void
}

export interface SubscribeOptions {
  /** `no-cache`: events are not written to the cache. */
  fetchPolicy?: 'no-cache'
  signal?: AbortSignal
}

/** Close codes after which a retry is useless: the client or the server violates the protocol. */
const fatalCloseCodes = [4400, 4401, 4406, 4409, 4429, 4500, 1002]

const browser = globalThis as Partial<Pick<EventTarget, 'addEventListener'>>

interface ActiveSubscription {
  cursor: string | undefined
}

export class Subscriptions {
  readonly #context: ClientContext
  readonly #active = new Set<ActiveSubscription>()
  readonly #connection: SocketConnection
  /** The server sends cursors. */
  #hasCursors = false

  constructor(context: ClientContext) {
    const { http, options } = context
    const address = new URL(options.url, (globalThis as { location?: { href: string } }).location?.href)
    address.protocol = address.protocol.replace('http', 'ws')
    this.#context = context
    this.#connection = new SocketConnection({
      url: String(address),
      webSocket: options.webSocket,
      async initPayload() {
        const authorization = await http.token()
        return authorization == null ? {} : { authorization }
      },
      onAck: (answer) => {
        const cursor = (answer as { cursor?: string } | undefined)?.cursor
        this.#hasCursors = cursor !== undefined
        for (const active of this.#active) active.cursor ??= cursor
      },
    })
    browser.addEventListener?.('offline', () => this.#connection.terminate())
  }

  async run(bound: BoundOperation, listener: Listener<Data>, { fetchPolicy, signal }: SubscribeOptions): Promise<void> {
    const [root] = bound.select.shape('subscription', this.#context.engine.cache.types).fields
    const argument = root?.arguments(bound.values).after
    const active: ActiveSubscription = { cursor: typeof argument === 'string' ? argument : undefined }
    this.#active.add(active)
    const deliver = (answer: Answer) => this.#deliver(bound, answer, listener, active, fetchPolicy !== 'no-cache')
    try {
      for (let attempt = 0; ; attempt++) {
        const before = active.cursor
        const end = await this.#subscribe(bound, active, deliver, signal).catch((error) => error)
        if (signal?.aborted) return
        if (end === null) return listener.complete?.()
        if (Array.isArray(end)) return listener.error?.(new GraphQLErrors({ errors: end }))
        if (end instanceof HttpError) return listener.error?.(end)
        const { code } = end as { code?: number }
        if (code !== undefined && fatalCloseCodes.includes(code)) return listener.error?.(new NetworkError(end))
        if (code === 4403 && !(await this.#renewToken(attempt))) return listener.error?.(new NetworkError(end))
        if (active.cursor !== before) attempt = 0
        await backoff(attempt, signal)
      }
    } catch (error) {
      if (!signal?.aborted) listener.error?.(error as Error)
    } finally {
      this.#active.delete(active)
    }
  }

  /** Resolves with null when it is complete, otherwise with the cause of the end: GraphQL errors, or the close code. */
  async #subscribe(
    bound: BoundOperation,
    active: ActiveSubscription,
    next: (answer: Answer) => void,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    if (this.#connection.isOpen && this.#hasCursors) active.cursor ??= await this.#now(signal)
    const payload = await resumePayload(bound, active.cursor)
    return new Promise((resolve) => {
      const stop = this.#connection.subscribe(payload, { next, error: resolve, complete: () => resolve(null) })
      const give = () => {
        stop()
        resolve(null)
      }
      if (signal?.aborted) give()
      else signal?.addEventListener('abort', give, { once: true })
    })
  }

  #deliver(
    bound: BoundOperation,
    answer: Answer,
    listener: Listener<Data>,
    active: ActiveSubscription,
    isCached: boolean,
  ): void {
    const { engine } = this.#context
    const { data, errors, extensions } = answer
    const cursor = extensions?.cursor as string | undefined
    if (cursor !== undefined) active.cursor = cursor
    const error = errors?.length ? { error: new GraphQLErrors(answer) } : {}
    if (data != null && isCached) engine.apply(bound, data, errors?.length ? errors : undefined)
    try {
      listener.next({ data: data ?? undefined, ...error, ...(cursor !== undefined && { cursor }) })
    } catch (thrown) {
      engine.onError(thrown)
    }
  }

  /** The current cursor. */
  async #now(signal: AbortSignal | undefined): Promise<string | undefined> {
    const { http, options } = this.#context
    const query = 'query Now { changes(first: 0, after: "now") { pageInfo { endCursor } } }'
    const { data } = await post(http, options.url, { query, variables: {}, isSafe: true }, signal)
    return (data as { changes?: { pageInfo: { endCursor: string } } } | undefined)?.changes?.pageInfo.endCursor
  }

  /** Whether there may be a valid token now. */
  async #renewToken(attempt: number): Promise<boolean> {
    const { http } = this.#context
    return attempt < 3 && (await http.renew(await http.token()))
  }
}

/** The payload that resumes after a cursor: by the variable of the argument `after`, or by an additional argument. */
async function resumePayload({ operation, values }: BoundOperation, cursor: string | undefined) {
  const { root, name } = operation
  const text = await operation.text()
  const payload = { query: text, variables: values, ...(name !== undefined && { operationName: name }) }
  const [field] = root.selectionSet.selections
  if (cursor === undefined || field?.kind !== 'Field') return payload
  const argument = field.arguments?.find((one) => one.name.value === 'after')?.value
  if (argument?.kind === 'Variable') return { ...payload, variables: { ...values, [argument.name.value]: cursor } }
  const { rootAt } = parse(text)
  const before = text.slice(0, rootAt)
  const tail = text.slice(rootAt)
  const after = `after: ${JSON.stringify(cursor)}`
  if (argument !== undefined) return { ...payload, query: before + tail.replace(/\bafter\s*:\s*("[^"]*"|null)/, after) }
  return { ...payload, query: `${before}(${after}${tail.startsWith('(') ? `, ${tail.slice(1)}` : `)${tail}`}` }
}

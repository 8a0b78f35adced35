// Subscriptions over a `Line`, and how they come back.
//
// 1. A lost line is opened again after a pause that grows and is drawn by lot, or as soon as the browser is online again; for
//    as long as anyone listens.
// 2. What comes back goes on behind its last cursor (`extensions.cursor`, the argument `after`), so that nothing is missing and
//    nothing comes twice. One that has not had an event yet goes on behind the cursor of its beginning: that of the line's
//    greeting, or, on a line that was open already, one that is asked for before it subscribes.
// 3. A line that ends because its token did (4403) asks for another token, once for all.
// 4. A server without cursors is subscribed to again, and what happened meanwhile is lost, as with any client.

import type { Place } from '../client/on-demand.ts'
import type { Question } from '../document/operation.ts'
import { parse } from '../document/parse.ts'
import type { Data } from '../document/selection.ts'
import { type Answer, GraphQLErrors, HttpError, NetworkError } from '../errors.ts'
import { patience } from '../transport/patience.ts'
import { post } from '../transport/post.ts'
import { Line } from './line.ts'

export interface SubscriptionResult<T> {
  data: T | undefined
  error?: Error
  /** Where to go on (`after`), if the server tells. */
  cursor?: string
}

export interface Listener<T> {
  next(result: SubscriptionResult<T>): void
  /** It has ended: it is refused, or what was missed is not kept any more (`GONE`). A lost line is no error. */
  error?(error: Error): void
  complete?(): void
}

export interface SubscribeOptions {
  /** `no-cache`: events are not written to the cache. */
  fetchPolicy?: 'no-cache'
  signal?: AbortSignal
}

/** The line is of no use, and would not be after a pause: the client or the server speaks otherwise. */
const fatal = [4400, 4401, 4406, 4409, 4429, 4500, 1002]

const browser = globalThis as Partial<Pick<EventTarget, 'addEventListener'>>

interface Running {
  cursor: string | undefined
}

export class Subscriptions {
  readonly #place: Place
  readonly #running = new Set<Running>()
  readonly #line: Line
  /** The server tells cursors. */
  #hasCursors = false

  constructor(place: Place) {
    const { http, options } = place
    const address = new URL(options.url, (globalThis as { location?: { href: string } }).location?.href)
    address.protocol = address.protocol.replace('http', 'ws')
    this.#place = place
    this.#line = new Line({
      url: String(address),
      webSocket: options.webSocket,
      async greeting() {
        const authorization = await http.token()
        return authorization == null ? {} : { authorization }
      },
      opened: (answer) => {
        const cursor = (answer as { cursor?: string } | undefined)?.cursor
        this.#hasCursors = cursor !== undefined
        for (const running of this.#running) running.cursor ??= cursor
      },
    })
    browser.addEventListener?.('offline', () => this.#line.terminate())
  }

  async run(question: Question, listener: Listener<Data>, { fetchPolicy, signal }: SubscribeOptions): Promise<void> {
    const [root] = question.select.shape('subscription', this.#place.engine.cache.types).fields
    const given = root?.arguments(question.values).after
    const running: Running = { cursor: typeof given === 'string' ? given : undefined }
    this.#running.add(running)
    const deliver = (answer: Answer) => this.#deliver(question, answer, listener, running, fetchPolicy !== 'no-cache')
    try {
      for (let attempt = 0; ; attempt++) {
        const before = running.cursor
        const end = await this.#subscribe(question, running, deliver, signal).catch((error) => error)
        if (signal?.aborted) return
        if (end === null) return listener.complete?.()
        if (Array.isArray(end)) return listener.error?.(new GraphQLErrors({ errors: end }))
        if (end instanceof HttpError) return listener.error?.(end)
        const { code } = end as { code?: number }
        if (code !== undefined && fatal.includes(code)) return listener.error?.(new NetworkError(end))
        if (code === 4403 && !(await this.#renewed(attempt))) return listener.error?.(new NetworkError(end))
        if (running.cursor !== before) attempt = 0
        await patience(attempt, signal)
      }
    } catch (error) {
      if (!signal?.aborted) listener.error?.(error as Error)
    } finally {
      this.#running.delete(running)
    }
  }

  /** Null when it is complete, else what ended it: GraphQL errors, or how the line closed. */
  async #subscribe(
    question: Question,
    running: Running,
    next: (answer: Answer) => void,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    if (this.#line.isOpen && this.#hasCursors) running.cursor ??= await this.#now(signal)
    const payload = await resumedAt(question, running.cursor)
    return new Promise((resolve) => {
      const stop = this.#line.subscribe(payload, { next, error: resolve, complete: () => resolve(null) })
      const give = () => {
        stop()
        resolve(null)
      }
      if (signal?.aborted) give()
      else signal?.addEventListener('abort', give, { once: true })
    })
  }

  #deliver(question: Question, answer: Answer, listener: Listener<Data>, running: Running, isCached: boolean): void {
    const { engine } = this.#place
    const { data, errors, extensions } = answer
    const cursor = extensions?.cursor as string | undefined
    if (cursor !== undefined) running.cursor = cursor
    const error = errors?.length ? { error: new GraphQLErrors(answer) } : {}
    if (data != null && isCached) engine.tell(question, data, errors?.length ? errors : undefined)
    try {
      listener.next({ data: data ?? undefined, ...error, ...(cursor !== undefined && { cursor }) })
    } catch (thrown) {
      engine.onError(thrown)
    }
  }

  /** The cursor of now. */
  async #now(signal: AbortSignal | undefined): Promise<string | undefined> {
    const { http, options } = this.#place
    const query = 'query Now { changes(first: 0, after: "now") { pageInfo { endCursor } } }'
    const { data } = await post(http, options.url, { query, variables: {}, isSafe: true }, signal)
    return (data as { changes?: { pageInfo: { endCursor: string } } } | undefined)?.changes?.pageInfo.endCursor
  }

  /** Whether there may be a token that is good. */
  async #renewed(attempt: number): Promise<boolean> {
    const { http } = this.#place
    return attempt < 3 && (await http.renew(await http.token()))
  }
}

/** What is sent to go on behind a cursor: by the variable that `after` is given with, or by one more argument. */
async function resumedAt({ operation, values }: Question, cursor: string | undefined) {
  const { root, name } = operation
  const text = await operation.text()
  const payload = { query: text, variables: values, ...(name !== undefined && { operationName: name }) }
  const [field] = root.selectionSet.selections
  if (cursor === undefined || field?.kind !== 'Field') return payload
  const given = field.arguments?.find((argument) => argument.name.value === 'after')?.value
  if (given?.kind === 'Variable') return { ...payload, variables: { ...values, [given.name.value]: cursor } }
  const { rootAt } = parse(text)
  const before = text.slice(0, rootAt)
  const behind = text.slice(rootAt)
  const after = `after: ${JSON.stringify(cursor)}`
  if (given !== undefined) return { ...payload, query: before + behind.replace(/\bafter\s*:\s*("[^"]*"|null)/, after) }
  return { ...payload, query: `${before}(${after}${behind.startsWith('(') ? `, ${behind.slice(1)}` : `)${behind}`}` }
}

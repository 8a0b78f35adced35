// Twain's change log as an event stream (`GET /changes`), shared by all live queries of a client. It resumes after its last
// event, and writes the rows of its events to the cache.

import type { Cache } from '../cache/cache.ts'
import type { Data } from '../document/selection.ts'
import { writeRow } from '../rest/write-row.ts'
import { backoff } from '../transport/backoff.ts'
import type { Http } from '../transport/http.ts'

/** The type of the changed row. Null: the feed may have missed events, so every live query must refetch. */
export type FeedListener = (type: string | null) => void

interface Change {
  type: string
  subject: string
  version: number
  data: Data
}

export class ChangeFeed {
  readonly #http: Http
  readonly #url: string
  readonly #cache: Cache
  readonly #listeners = new Set<FeedListener>()
  /** The types of the rows that have changed. */
  readonly seen = new Set<string>()
  #controller: AbortController | null = null
  #cursor: string | undefined

  constructor(http: Http, base: string, cache: Cache) {
    this.#http = http
    this.#url = `${base}/changes`
    this.#cache = cache
  }

  get hasBegun(): boolean {
    return this.#cursor !== undefined
  }

  /** The returned function ends it. */
  listen(listener: FeedListener): () => void {
    this.#listeners.add(listener)
    if (this.#controller === null) {
      this.#controller = new AbortController()
      this.#run(this.#controller.signal)
    }
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#controller?.abort()
      this.#controller = null
      this.#cursor = undefined
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let attempt = 0; !signal.aborted; attempt++) {
      const before = this.#cursor
      // At the start of a stream, or after a gap, the feed may have missed events.
      if (before === undefined) await this.#begin(signal).catch(() => {})
      if (this.#cursor !== undefined) await this.#follow(signal).catch(() => {})
      if (this.#cursor !== before) attempt = 0
      await backoff(attempt, signal)
    }
  }

  /** Fetches the current cursor and then makes all live queries refetch. So the stream covers every change from here on. */
  async #begin(signal: AbortSignal): Promise<void> {
    const headers = { accept: 'application/json' }
    const reply = await this.#http.send(`${this.#url}?after=now&first=0`, {
      method: 'GET',
      headers,
      signal,
      isSafe: true,
    })
    this.#cursor = JSON.parse(reply.text).pageInfo.endCursor
    this.#notify(null)
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const headers = { accept: 'text/event-stream', 'last-event-id': this.#cursor! }
    const reply = await this.#http.open(this.#url, { method: 'GET', headers, signal, isSafe: true, timeout: 0 })
    // The cursor is too old, or belongs to another log.
    if (reply.status === 410 || reply.status === 400) this.#cursor = undefined
    if (reply.status !== 200 || reply.body === null) return
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of reply.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      const events = text.split('\n\n')
      text = events.pop()!
      for (const event of events) this.#receive(event)
    }
  }

  #receive(event: string): void {
    const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(event)?.[1]
    const data = field('data')
    if (data !== undefined && data !== '') this.#apply(JSON.parse(data) as Change)
    this.#cursor = field('id') ?? this.#cursor
  }

  #apply({ type, subject, version, data }: Change): void {
    const [name, what] = type?.split('.') ?? []
    if (name === undefined || what === undefined) return
    const typeName = name[0]!.toUpperCase() + name.slice(1)
    const cache = this.#cache
    cache.transact(() => {
      if (what === 'deleted') return cache.remove(`${typeName}:${subject}`)
      const node = cache.withId(subject).find((one) => one.type === typeName)
      if (node !== undefined) writeRow(cache, node, data, null, version)
    })
    this.seen.add(typeName)
    this.#notify(typeName)
  }

  #notify(type: string | null): void {
    for (const listener of this.#listeners) listener(type)
  }
}

// What many applications never use, and none at once: imported when it is first needed, and opened once.

import type { Question } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'
import type { Answer } from '../errors.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import type { Listener, SubscribeOptions, Subscriptions } from '../events/subscriptions.ts'
import type { RestFace, RestOptions, RestResult } from '../rest/rest.ts'
import type { Batcher } from '../transport/batch.ts'
import type { Http } from '../transport/http.ts'
import type { Call } from '../transport/post.ts'
import type { Progress } from '../transport/upload.ts'
import type { Engine } from './engine.ts'
import { makeKey } from './idempotency-key.ts'
import type { OfflineQueue } from './offline-queue.ts'
import type { ClientOptions } from './options.ts'

export interface Place {
  readonly options: ClientOptions
  readonly http: Http
  readonly engine: Engine
}

export class OnDemand {
  readonly #place: Place
  /** Where REST's paths begin. */
  readonly #base: string
  #batcher: Promise<Batcher> | null = null
  #subscriptions: Promise<Subscriptions> | null = null
  #feed: Promise<ChangeFeed> | null = null
  #rest: Promise<RestFace> | null = null
  #queue: Promise<OfflineQueue> | null = null

  constructor(place: Place) {
    const { url, restUrl = url.replace(/\/graphql\/?$/, '') } = place.options
    this.#place = place
    this.#base = restUrl
  }

  async send(call: Call, signal: AbortSignal | undefined, isWrite = false): Promise<Answer> {
    const { http, options } = this.#place
    const { batch, offline, url } = options
    if (offline && isWrite) return (await this.queue()).add(call)
    this.#batcher ??= import('../transport/batch.ts').then(
      ({ Batcher }) => new Batcher(http, url, typeof batch === 'object' ? batch : {}),
    )
    return (await this.#batcher).send(call, signal)
  }

  /** From now on new rows join lists. */
  async join(): Promise<void> {
    const { engine, options } = this.#place
    const { joiner } = await import('../cache/join-lists.ts')
    engine.joins = joiner(engine.cache, options.cache!.joins!)
  }

  async upload(call: Call, onProgress: Progress | undefined, signal: AbortSignal | undefined): Promise<Answer> {
    const { upload } = await import('../transport/upload.ts')
    return upload(this.#place.http, this.#place.options.url, call, onProgress, signal)
  }

  /** The queue of mutations that wait until the server can be reached. */
  queue(): Promise<OfflineQueue> {
    this.#queue ??= import('./offline-queue.ts').then(({ openQueue }) => openQueue(this.#place))
    return this.#queue
  }

  async subscribe(question: Question, listener: Listener<Data>, how: SubscribeOptions): Promise<void> {
    this.#subscriptions ??= import('../events/subscriptions.ts').then(
      ({ Subscriptions }) => new Subscriptions(this.#place),
    )
    await (await this.#subscriptions).run(question, listener, how)
  }

  /** Keeps a watch fresh; what is given ends it. */
  async keepFresh(watch: {
    readonly current: { readonly data: unknown }
    refresh(): Promise<unknown>
  }): Promise<() => void> {
    const { http, engine } = this.#place
    const [{ keepFresh }, { ChangeFeed }] = await Promise.all([
      import('../events/live.ts'),
      import('../events/change-feed.ts'),
    ])
    this.#feed ??= Promise.resolve(new ChangeFeed(http, this.#base, engine.cache))
    return keepFresh(watch, await this.#feed)
  }

  async rest<T>(method: string, path: string, body: unknown, how: RestOptions = {}): Promise<RestResult<T>> {
    const { http, engine, options } = this.#place
    this.#rest ??= import('../rest/rest.ts').then(({ RestFace }) => new RestFace(http, this.#base, engine.cache))
    const key = options.idempotency !== false && /POST|PATCH/.test(method) ? makeKey() : undefined
    return (await this.#rest).send(method, path, body, key, how)
  }

  /** How many rows were let go. */
  async collect(): Promise<number> {
    const { collectGarbage } = await import('../cache/collect-garbage.ts')
    return collectGarbage(this.#place.engine.cache, this.#place.options.cache?.limit ?? 50_000)
  }
}

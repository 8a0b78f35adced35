// Features that many applications never use. Each is imported on first use and created once.

import type { BoundOperation } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'
import type { Answer } from '../errors.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import type { RefreshableWatch } from '../events/live.ts'
import type { Listener, SubscribeOptions, Subscriptions } from '../events/subscriptions.ts'
import type { RestApi, RestOptions, RestResult } from '../rest/rest.ts'
import type { Batcher } from '../transport/batch.ts'
import type { GraphQLRequest } from '../transport/post.ts'
import type { Progress } from '../transport/upload.ts'
import type { ClientContext } from './engine.ts'
import { makeKey } from './idempotency-key.ts'
import type { OfflineQueue } from './offline-queue.ts'

export class OnDemand {
  readonly #context: ClientContext
  /** The base URL of REST paths. */
  readonly #base: string
  #batcher: Promise<Batcher> | null = null
  #subscriptions: Promise<Subscriptions> | null = null
  #feed: Promise<ChangeFeed> | null = null
  #rest: Promise<RestApi> | null = null
  #queue: Promise<OfflineQueue> | null = null

  constructor(context: ClientContext) {
    const { url, restUrl = url.replace(/\/graphql\/?$/, '') } = context.options
    this.#context = context
    this.#base = restUrl
  }

  async send(call: GraphQLRequest, signal: AbortSignal | undefined, isWrite = false): Promise<Answer> {
    const { http, options } = this.#context
    const { batch, offline, url } = options
    if (offline && isWrite) return (await this.queue()).add(call)
    this.#batcher ??= import('../transport/batch.ts').then(
      ({ Batcher }) => new Batcher(http, url, typeof batch === 'object' ? batch : {}),
    )
    return (await this.#batcher).send(call, signal)
  }

  /** From now on the cache inserts new rows into lists. */
  async join(): Promise<void> {
    const { engine, options } = this.#context
    const { createJoiner: joiner } = await import('../cache/join-lists.ts')
    engine.joins = joiner(engine.cache, options.cache!.joins!)
  }

  async upload(
    call: GraphQLRequest,
    onProgress: Progress | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Answer> {
    const { upload } = await import('../transport/upload.ts')
    return upload(this.#context.http, this.#context.options.url, call, onProgress, signal)
  }

  /** The queue of mutations that wait until the server is reachable. */
  queue(): Promise<OfflineQueue> {
    this.#queue ??= import('./offline-queue.ts').then(({ openQueue }) => openQueue(this.#context))
    return this.#queue
  }

  async subscribe(bound: BoundOperation, listener: Listener<Data>, how: SubscribeOptions): Promise<void> {
    this.#subscriptions ??= import('../events/subscriptions.ts').then(
      ({ Subscriptions }) => new Subscriptions(this.#context),
    )
    await (await this.#subscriptions).run(bound, listener, how)
  }

  /** Refreshes a watch after changes on the server. The returned function ends it. */
  async keepFresh(watch: RefreshableWatch): Promise<() => void> {
    const { http, engine } = this.#context
    const [{ keepFresh }, { ChangeFeed }] = await Promise.all([
      import('../events/live.ts'),
      import('../events/change-feed.ts'),
    ])
    this.#feed ??= Promise.resolve(new ChangeFeed(http, this.#base, engine.cache))
    return keepFresh(watch, await this.#feed, engine.cache.types)
  }

  async rest<T>(method: string, path: string, body: unknown, how: RestOptions = {}): Promise<RestResult<T>> {
    const { http, engine, options } = this.#context
    this.#rest ??= import('../rest/rest.ts').then(({ RestApi }) => new RestApi(http, this.#base, engine.cache))
    const key = options.idempotency !== false && /POST|PATCH/.test(method) ? makeKey() : undefined
    return (await this.#rest).send(method, path, body, key, how)
  }

  /** Returns the number of removed rows. */
  async collect(): Promise<number> {
    const { collectGarbage } = await import('../cache/collect-garbage.ts')
    return collectGarbage(this.#context.engine.cache, this.#context.options.cache?.limit ?? 50_000)
  }
}

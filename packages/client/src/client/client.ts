// The client: what an application holds. It makes questions of documents and gives them to the engine.

import { Cache } from '../cache/cache.ts'
import { operationOf, type Question, type Source } from '../document/operation.ts'
import type { Listener, SubscribeOptions } from '../events/subscriptions.ts'
import type { RestOptions, RestResult } from '../rest/rest.ts'
import { Http } from '../transport/http.ts'
import { type Call, post } from '../transport/post.ts'
import type { Progress } from '../transport/upload.ts'
import { Engine } from './engine.ts'
import type { OnDemand } from './on-demand.ts'
import type { ClientOptions, MutationOptions, Policies, QueryOptions, Result } from './options.ts'
import { Watch } from './watch.ts'

/** Variables may be left out where none is required. */
type Rest<Variables, Options> =
  Record<never, never> extends Variables
    ? [variables?: Variables, options?: Options]
    : [variables: Variables, options?: Options]

export type Client = ReturnType<typeof createClient>

/** For what is part of the client and not of its core. */
export const inside: unique symbol = Symbol('inside')

export function createClient(options: ClientOptions) {
  const { url, batch, offline, idempotency = true, onError = console.error } = options
  const cache = new Cache(options.cache)
  const http = new Http(options)
  const closing = new AbortController()
  const engine: Engine = new Engine({
    cache,
    send: async (call, signal, isWrite) =>
      batch || (offline && isWrite) ? (await onDemand()).send(call, signal, isWrite) : post(http, url, call, signal),
    hasIdempotency: idempotency,
    defaults: options,
    onError,
  })
  let more: Promise<OnDemand> | null = null
  const onDemand = () => {
    more ??= import('./on-demand.ts').then(({ OnDemand }) => new OnDemand({ options, http, engine }))
    return more
  }
  cache.collect = async () => (await onDemand()).collect()
  if (options.cache?.joins) onDemand().then((more) => more.join(), onError)
  const rest = async <T>(method: string, path: string, body: unknown, how?: RestOptions): Promise<RestResult<T>> =>
    (await onDemand()).rest(method, path, body, how)

  return {
    [inside]: engine,

    async query<Data, Variables extends object = Record<string, unknown>>(
      document: Source<Data, Variables>,
      ...[variables, how = {}]: Rest<Variables, QueryOptions>
    ): Promise<Result<Data>> {
      return (await engine.query(ask('query', document, variables), how)) as Result<Data>
    },

    async mutate<Data, Variables extends object = Record<string, unknown>>(
      document: Source<Data, Variables>,
      ...[variables, how = {}]: Rest<Variables, MutationOptions<NoInfer<Data>>>
    ): Promise<Result<Data>> {
      const question = ask('mutation', document, variables)
      return (await engine.mutate(question, how as MutationOptions<Record<string, unknown>>)) as Result<Data>
    },

    watch<Data, Variables extends object = Record<string, unknown>>(
      document: Source<Data, Variables>,
      ...[variables, how = {}]: Rest<Variables, Policies>
    ): Watch<Data, Variables> {
      return new Watch(engine, ask('query', document, variables), how)
    },

    /** Told of each event, across lost lines; what is returned ends it. */
    subscribe<Data, Variables extends object = Record<string, unknown>>(
      document: Source<Data, Variables>,
      variables: Variables,
      listener: Listener<Data> | Listener<Data>['next'],
      how: SubscribeOptions = {},
    ): () => void {
      const question = ask('subscription', document, variables)
      const controller = new AbortController()
      const signal = AbortSignal.any([controller.signal, closing.signal, ...(how.signal ? [how.signal] : [])])
      const told = (typeof listener === 'function' ? { next: listener } : listener) as Listener<Record<string, unknown>>
      onDemand()
        .then((more) => more.subscribe(question, told, { ...how, signal }))
        .catch(onError)
      return () => controller.abort()
    },

    /** A mutation with files (`File`, `Blob`) in its variables. */
    async upload<Data, Variables extends object = Record<string, unknown>>(
      document: Source<Data, Variables>,
      variables: Variables,
      { onProgress, ...how }: MutationOptions<NoInfer<Data>> & { onProgress?: Progress } = {},
    ): Promise<Result<Data>> {
      const question = ask('mutation', document, variables)
      const send = async (call: Call, signal?: AbortSignal) => (await onDemand()).upload(call, onProgress, signal)
      return (await engine.mutate(question, how as MutationOptions<Record<string, unknown>>, send)) as Result<Data>
    },

    /** A watched query that is asked again when rows that it shows change on the server (Twain's change log). */
    live<Data, Variables extends object = Record<string, unknown>>(
      document: Source<Data, Variables>,
      ...[variables, how = {}]: Rest<Variables, Policies>
    ): Watch<Data, Variables> {
      return new Watch(engine, ask('query', document, variables), how, (watch) => {
        const end = onDemand().then((more) => more.keepFresh(watch))
        end.catch(onError)
        return () => end.then((stop) => stop())
      })
    },

    /** Twain's REST face, with the same token, retries and cache. Paths are below the service's address. */
    rest: {
      get: <Data>(path: string, how?: RestOptions) => rest<Data>('GET', path, undefined, how),
      post: <Data>(path: string, body: unknown, how?: RestOptions) => rest<Data>('POST', path, body, how),
      put: <Data>(path: string, body: unknown, how?: RestOptions) => rest<Data>('PUT', path, body, how),
      patch: <Data>(path: string, body: unknown, how?: RestOptions) => rest<Data>('PATCH', path, body, how),
      delete: (path: string, how?: RestOptions) => rest<never>('DELETE', path, undefined, how),
    },

    /** How many mutations wait for the server (`offline`). Asking for it also sends those that an earlier visit left. */
    pending: async (): Promise<number> => (await (await onDemand()).queue()).size,

    /** Ends all subscriptions. */
    close: () => closing.abort(),

    /** What the cache knows, and says to all who watch it. Nothing here asks the server. */
    cache: {
      /** Undefined, if not all of it is known. */
      read<Data, Variables extends object = Record<string, unknown>>(
        document: Source<Data, Variables>,
        ...[variables]: Rest<Variables, never>
      ): Data | undefined {
        return cache.read(ask('query', document, variables)) as Data | undefined
      },

      write<Data, Variables extends object>(
        document: Source<Data, Variables>,
        variables: Variables,
        data: NoInfer<Data>,
      ) {
        cache.write(ask('query', document, variables), data as Record<string, unknown>, { isBorrowed: true })
      },

      /** Writes what is made of what is known; nothing, if that is undefined. */
      update<Data, Variables extends object>(
        document: Source<Data, Variables>,
        variables: Variables,
        change: (data: NoInfer<Data> | undefined) => NoInfer<Data> | undefined,
      ) {
        const question = ask('query', document, variables)
        const data = change(cache.read(question) as Data | undefined)
        if (data !== undefined) cache.write(question, data as Record<string, unknown>, { isBorrowed: true })
      },

      /** The row was deleted: null where it is referred to, in no list. */
      remove: (type: string, id: string | number) => cache.remove(`${type}:${id}`),
      /** Nothing is known of the row any more; the next question for it goes to the server. */
      evict: (type: string, id: string | number) => cache.evict(`${type}:${id}`),
      /** Lets go of what nobody can reach; it happens by itself when there is much. Gives how many rows that were. */
      collect: async (): Promise<number> => (await onDemand()).collect(),
      /** All that is written within is told at once. */
      transact: <T>(write: () => T): T => cache.transact(write),
    },
  }
}

function ask(kind: string, document: Source<unknown, never>, variables: object | undefined): Question {
  const operation = operationOf(document)
  if (operation.kind !== kind) throw new TypeError(`The document is a ${operation.kind}, where a ${kind} is expected.`)
  return operation.ask(variables)
}

// The client of an application. It binds documents to variables and passes them to the engine.

import { Cache } from '../cache/cache.ts'
import { type BoundOperation, operationOf, type Source } from '../document/operation.ts'
import type { Listener, SubscribeOptions } from '../events/subscriptions.ts'
import type { RestOptions, RestResult } from '../rest/rest.ts'
import { Http } from '../transport/http.ts'
import { type GraphQLRequest, post } from '../transport/post.ts'
import type { Progress } from '../transport/upload.ts'
import { Engine } from './engine.ts'
import type { OnDemand } from './on-demand.ts'
import type {
  ClientOptions,
  ErrorPolicy,
  MutationData,
  MutationOptions,
  Policies,
  QueryOptions,
  Result,
} from './options.ts'
import { Watch } from './watch.ts'

/** Variables are optional where none is required. */
type OptionalVariables<Variables, Options> =
  Record<never, never> extends Variables
    ? [variables?: Variables, options?: Options]
    : [variables: Variables, options?: Options]

/** `Default`: the error policy of the client. */
export type Client<Default extends ErrorPolicy = 'none'> = ReturnType<typeof createClient<Default>>

/** Gives the other entry points of this package access to the engine. */
export const engineKey: unique symbol = Symbol('engine')

export function createClient<const Default extends ErrorPolicy = 'none'>(
  options: ClientOptions & { errorPolicy?: Default },
) {
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
  const collect = async (): Promise<number> => (await onDemand()).collect()
  cache.collect = collect
  if (options.cache?.joins) onDemand().then((more) => more.join(), onError)
  const rest = async <T>(method: string, path: string, body: unknown, how?: RestOptions): Promise<RestResult<T>> =>
    (await onDemand()).rest(method, path, body, how)

  return {
    [engineKey]: engine,

    async query<Data, Variables extends object = Record<string, unknown>>(
      document: Source<Data, Variables>,
      ...[variables, how = {}]: OptionalVariables<Variables, QueryOptions>
    ): Promise<Result<Data>> {
      return (await engine.query(bindOperation('query', document, variables), how)) as Result<Data>
    },

    async mutate<Data, Variables extends object = Record<string, unknown>, Policy extends ErrorPolicy = Default>(
      document: Source<Data, Variables>,
      ...[variables, how = {}]: OptionalVariables<Variables, MutationOptions<NoInfer<Data>, Policy>>
    ): Promise<Result<MutationData<Data, Policy>>> {
      const bound = bindOperation('mutation', document, variables)
      return (await engine.mutate(bound, how as MutationOptions<Record<string, unknown>>)) as Result<
        MutationData<Data, Policy>
      >
    },

    watch<Data, Variables extends object = Record<string, unknown>>(
      document: Source<Data, Variables>,
      ...[variables, how = {}]: OptionalVariables<Variables, Policies>
    ): Watch<Data, Variables> {
      return new Watch(engine, bindOperation('query', document, variables), how)
    },

    /** Calls the listener for each event and reconnects after a lost connection. The returned function ends it. */
    subscribe<Data, Variables extends object = Record<string, unknown>>(
      document: Source<Data, Variables>,
      variables: Variables,
      listener: Listener<Data> | Listener<Data>['next'],
      how: SubscribeOptions = {},
    ): () => void {
      const bound = bindOperation('subscription', document, variables)
      const controller = new AbortController()
      const signal = AbortSignal.any([controller.signal, closing.signal, ...(how.signal ? [how.signal] : [])])
      const handlers = (typeof listener === 'function' ? { next: listener } : listener) as Listener<
        Record<string, unknown>
      >
      onDemand()
        .then((more) => more.subscribe(bound, handlers, { ...how, signal }))
        .catch(onError)
      return () => controller.abort()
    },

    /** Sends a mutation with files (`File`, `Blob`) in its variables. */
    async upload<Data, Variables extends object = Record<string, unknown>, Policy extends ErrorPolicy = Default>(
      document: Source<Data, Variables>,
      variables: Variables,
      { onProgress, ...how }: MutationOptions<NoInfer<Data>, Policy> & { onProgress?: Progress } = {},
    ): Promise<Result<MutationData<Data, Policy>>> {
      const bound = bindOperation('mutation', document, variables)
      const send = async (call: GraphQLRequest, signal?: AbortSignal) =>
        (await onDemand()).upload(call, onProgress, signal)
      return (await engine.mutate(bound, how as MutationOptions<Record<string, unknown>>, send)) as Result<
        MutationData<Data, Policy>
      >
    },

    /** A watched query that refetches when rows in its result change on the server (Twain's change log). */
    live<Data, Variables extends object = Record<string, unknown>>(
      document: Source<Data, Variables>,
      ...[variables, how = {}]: OptionalVariables<Variables, Policies>
    ): Watch<Data, Variables> {
      return new Watch(engine, bindOperation('query', document, variables), how, (watch) => {
        const end = onDemand().then((more) => more.keepFresh(watch))
        end.catch(onError)
        return () => end.then((stop) => stop())
      })
    },

    /** Twain's REST API, with the same token, retries and cache. Paths are relative to the service's base URL. */
    rest: {
      get: <Data>(path: string, how?: RestOptions) => rest<Data>('GET', path, undefined, how),
      post: <Data>(path: string, body: unknown, how?: RestOptions) => rest<Data>('POST', path, body, how),
      put: <Data>(path: string, body: unknown, how?: RestOptions) => rest<Data>('PUT', path, body, how),
      patch: <Data>(path: string, body: unknown, how?: RestOptions) => rest<Data>('PATCH', path, body, how),
      delete: (path: string, how?: RestOptions) => rest<never>('DELETE', path, undefined, how),
    },

    /** The number of mutations that wait for the server (`offline`). The call also sends those of an earlier visit. */
    pending: async (): Promise<number> => (await (await onDemand()).queue()).size,

    /** Ends all subscriptions. */
    close: () => closing.abort(),

    /** Reads and writes the cache and notifies its watchers. Nothing here sends a request. */
    cache: {
      /** Undefined if a part is missing. */
      read<Data, Variables extends object = Record<string, unknown>>(
        document: Source<Data, Variables>,
        ...[variables]: OptionalVariables<Variables, never>
      ): Data | undefined {
        return cache.read(bindOperation('query', document, variables)) as Data | undefined
      },

      write<Data, Variables extends object>(
        document: Source<Data, Variables>,
        variables: Variables,
        data: NoInfer<Data>,
      ) {
        cache.write(bindOperation('query', document, variables), data as Record<string, unknown>, { isBorrowed: true })
      },

      /** Writes the result of `change`; writes nothing if it is undefined. */
      update<Data, Variables extends object>(
        document: Source<Data, Variables>,
        variables: Variables,
        change: (data: NoInfer<Data> | undefined) => NoInfer<Data> | undefined,
      ) {
        const bound = bindOperation('query', document, variables)
        const data = change(cache.read(bound) as Data | undefined)
        if (data !== undefined) cache.write(bound, data as Record<string, unknown>, { isBorrowed: true })
      },

      /** Marks the row as deleted: references to it read null, and lists omit it. */
      remove: (type: string, id: string | number) => cache.remove(`${type}:${id}`),
      /** Removes all knowledge of the row. The next query for it goes to the server. */
      evict: (type: string, id: string | number) => cache.evict(`${type}:${id}`),
      /** Removes unreachable rows and returns their number. The cache also does this by itself when it is large. */
      collect,
      /** Notifies watchers of all writes in the function at once. */
      transact: <T>(write: () => T): T => cache.transact(write),
    },
  }
}

function bindOperation(kind: string, document: Source<unknown, never>, variables: object | undefined): BoundOperation {
  const operation = operationOf(document)
  if (operation.kind !== kind) throw new TypeError(`The document is a ${operation.kind}, where a ${kind} is expected.`)
  return operation.bind(variables)
}

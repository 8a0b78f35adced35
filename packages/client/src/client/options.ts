// What a caller may choose, for the whole client and for each operation.

import type { CacheOptions } from '../cache/cache.ts'
import type { BatchOptions } from '../transport/batch.ts'
import type { HttpOptions } from '../transport/http.ts'

export type FetchPolicy = 'cache-first' | 'cache-only' | 'network-only' | 'no-cache' | 'cache-and-network'
export type ErrorPolicy = 'none' | 'ignore' | 'all'

export interface Policies {
  /** Where the answer comes from: `cache-first`. */
  fetchPolicy?: FetchPolicy
  /** What errors do: `none`, they reject. */
  errorPolicy?: ErrorPolicy
}

export interface ClientOptions extends HttpOptions, Policies {
  /** The GraphQL endpoint. */
  url: string
  /** Where REST's paths begin: by default the endpoint's address without `/graphql`. */
  restUrl?: string
  cache?: CacheOptions
  /** Gathers operations into one request; true: for 10 ms, at most 10. The server must take arrays, as Twain does. */
  batch?: boolean | BatchOptions
  /** Mutations wait while the server can't be reached, and are sent in their order, each once; with a storage, also after the
   *  application was closed. */
  offline?: boolean | Storage
  /** Mutations carry an `Idempotency-Key` and are sent again when no answer came. False for servers that do not know it: then
   *  they are sent once. */
  idempotency?: boolean
  /** For platforms that have none of their own. */
  webSocket?: unknown
  /** Is told what nobody else is: network failures under the error policy `ignore`, and what listeners throw. */
  onError?: (error: unknown) => void
}

/** Where a text is kept: `indexedDb` and `file` of `@twain/client/persist`, or your own. */
export interface Storage {
  get(): Promise<string | null>
  set(text: string): Promise<void>
}

export interface QueryOptions extends Policies {
  signal?: AbortSignal
}

export interface MutationOptions<Data> {
  errorPolicy?: ErrorPolicy
  /** `no-cache`: the answer is not written to the cache. */
  fetchPolicy?: 'no-cache'
  /** The answer as it will probably be: seen at once, taken back when the true one is there. */
  optimistic?: Data
  /** Changes the cache beside what the answer itself tells; called for the optimistic answer too. */
  update?: (data: Data) => void
  /** Sent in place of one that is made: the same key has an effect once, whoever sends it. */
  idempotencyKey?: string
  signal?: AbortSignal
}

/** With the error policy `none` there is no `error`: the promise rejects instead. */
export interface Result<Data> {
  data: Data | undefined
  error?: Error
}

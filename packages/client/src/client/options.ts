// Options of the client and of each operation.

import type { CacheOptions } from '../cache/cache.ts'
import type { BatchOptions } from '../transport/batch.ts'
import type { HttpOptions } from '../transport/http.ts'

export type FetchPolicy = 'cache-first' | 'cache-only' | 'network-only' | 'no-cache' | 'cache-and-network'
export type ErrorPolicy = 'none' | 'ignore' | 'all'

export interface Policies {
  /** The source of the result: `cache-first`. */
  fetchPolicy?: FetchPolicy
  /** The effect of errors: `none`, the promise rejects. */
  errorPolicy?: ErrorPolicy
}

export interface ClientOptions extends HttpOptions, Policies {
  /** The GraphQL endpoint. */
  url: string
  /** The base URL of REST paths: by default the endpoint's URL without `/graphql`. */
  restUrl?: string
  cache?: CacheOptions
  /** Combines operations into one request; true: within 10 ms, at most 10. The server must accept arrays, as Twain does. */
  batch?: boolean | BatchOptions
  /** Mutations wait while the server is unreachable, and are sent in their order, each with one effect. With a storage
   *  this also works after the application was closed. */
  offline?: boolean | Storage
  /** Mutations carry an `Idempotency-Key` and are retried when no response came. Set false for servers that do not
   *  support it: then mutations are not retried. */
  idempotency?: boolean
  /** For platforms without a global `WebSocket`. */
  webSocket?: unknown
  /** Receives errors that no caller gets: network errors under the error policy `ignore`, and exceptions of listeners. */
  onError?: (error: unknown) => void
}

/** Stores a text: `indexedDb` and `file` of `@twain/client/persist`, or your own. */
export interface Storage {
  get(): Promise<string | null>
  set(text: string): Promise<void>
}

export interface QueryOptions extends Policies {
  signal?: AbortSignal
}

/** What a mutation returns. Its root fields are nullable in the schema, so that one can fail beside others. With the error policy
 *  `none` the promise rejects then, so none of them is null. */
export type MutationData<Data, Policy extends ErrorPolicy> = [Policy] extends ['none']
  ? { [Root in keyof Data]: NonNullable<Data[Root]> }
  : Data

export interface MutationOptions<Data, Policy extends ErrorPolicy = ErrorPolicy> {
  errorPolicy?: Policy
  /** `no-cache`: the result is not written to the cache. */
  fetchPolicy?: 'no-cache'
  /** The expected result. The cache shows it at once, and replaces it by the actual result. */
  optimistic?: MutationData<Data, Policy>
  /** Changes the cache in addition to the result itself; also called for the optimistic result. */
  update?: (data: MutationData<Data, Policy>) => void
  /** Replaces the generated key. The same key has one effect, whichever client sends it. */
  idempotencyKey?: string
  signal?: AbortSignal
}

/** With the error policy `none` there is no `error`: the promise rejects instead. */
export interface Result<Data> {
  data: Data | undefined
  error?: Error
}

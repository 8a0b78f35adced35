// `@twain/client`: everything that an application imports.

export type { CachedList, CacheOptions, Joins } from './cache/cache.ts'

export { type Client, createClient } from './client/client.ts'
export type {
  ClientOptions,
  ErrorPolicy,
  FetchPolicy,
  MutationData,
  MutationOptions,
  Policies,
  QueryOptions,
  Result,
  Storage,
} from './client/options.ts'
export type { Watch, WatchState } from './client/watch.ts'
export type { Source } from './document/operation.ts'
export { type GraphQLErrorShape, GraphQLErrors, HttpError, NetworkError, type Problem } from './errors.ts'
export type { Listener, SubscribeOptions, SubscriptionResult } from './events/subscriptions.ts'
export type { RestOptions, RestResult } from './rest/rest.ts'
export type { BatchOptions } from './transport/batch.ts'
export type { HttpOptions, RetryOptions } from './transport/http.ts'
export type { Progress } from './transport/upload.ts'

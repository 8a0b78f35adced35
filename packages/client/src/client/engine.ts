// Runs operations by their policies, between the cache and the network. The client, watches and hooks all use it.

import type { Cache } from '../cache/cache.ts'
import type { BoundOperation } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'
import { type Answer, GraphQLErrors } from '../errors.ts'
import type { Http } from '../transport/http.ts'
import type { GraphQLRequest } from '../transport/post.ts'
import { unlessAborted } from '../transport/wait.ts'
import { makeKey } from './idempotency-key.ts'
import { InFlight, type InFlightQuery } from './in-flight.ts'
import type {
  ClientOptions,
  ErrorPolicy,
  FetchPolicy,
  MutationOptions,
  Policies,
  QueryOptions,
  Result,
} from './options.ts'
import { removeDeleted } from './remove-deleted.ts'

type Send = (call: GraphQLRequest, signal?: AbortSignal, isWrite?: boolean) => Promise<Answer>

export interface EngineOptions {
  readonly cache: Cache
  readonly send: Send
  readonly hasIdempotency: boolean
  readonly defaults: Policies
  readonly onError: (error: unknown) => void
}

/** What features that load on demand need of the client. */
export interface ClientContext {
  readonly options: ClientOptions
  readonly http: Http
  readonly engine: Engine
}

export class Engine {
  readonly cache: Cache
  readonly onError: (error: unknown) => void
  /** The operation whose response is being written. */
  writing: BoundOperation | null = null
  /** Finds the new rows of a write; the returned function inserts them into lists (`join-lists`). */
  joins: ((bound: BoundOperation, data: Data) => () => void) | null = null
  readonly #options: EngineOptions
  readonly #inFlight: InFlight

  constructor(options: EngineOptions) {
    this.cache = options.cache
    this.onError = options.onError
    this.#options = options
    this.#inFlight = new InFlight(options.cache)
  }

  fetchPolicy(policy: FetchPolicy | undefined): FetchPolicy {
    return policy ?? this.#options.defaults.fetchPolicy ?? 'cache-first'
  }

  errorPolicy(policy: ErrorPolicy | undefined): ErrorPolicy {
    return policy ?? this.#options.defaults.errorPolicy ?? 'none'
  }

  /** Returns one result. `cache-and-network` waits for the network and falls back to the cache. */
  async query(bound: BoundOperation, options: QueryOptions): Promise<Result<Data>> {
    const policy = this.fetchPolicy(options.fetchPolicy)
    if (policy === 'network-only' || policy === 'no-cache') return this.load(bound, policy, options)
    const data = this.cache.read(bound)
    if (policy === 'cache-only' || (policy === 'cache-first' && data !== undefined)) return { data }
    const load = this.load(bound, policy, options)
    if (data === undefined) return load
    const result = await load.catch((error: Error) => ({ data, error }))
    return { ...result, data: result.data ?? data }
  }

  /** Sends the operation to the server. A fresh result is no older than this call. */
  async load(
    bound: BoundOperation,
    fetchPolicy: FetchPolicy,
    options: QueryOptions,
    isFresh?: boolean,
  ): Promise<Result<Data>> {
    const policy = this.errorPolicy(options.errorPolicy)
    options.signal?.throwIfAborted()
    const flight = this.#inFlight.join(bound, isFresh, async (flight) => {
      const call = await callOf(bound, true)
      flight.isSent = true
      return this.#options.send(call, flight.controller.signal)
    })
    try {
      const answer = await unlessAborted(flight.answer, options.signal)
      return this.#take(bound, flight, answer, fetchPolicy, policy)
    } catch (error) {
      return this.#fail(error as Error, policy, options.signal)
    } finally {
      this.#inFlight.leave(flight)
    }
  }

  #take(
    bound: BoundOperation,
    flight: InFlightQuery,
    answer: Answer,
    fetchPolicy: FetchPolicy,
    policy: ErrorPolicy,
  ): Result<Data> {
    const { data, errors } = answer
    const error = errors?.length ? new GraphQLErrors(answer) : undefined
    if (error !== undefined && policy === 'none') throw error
    const withError = policy === 'all' && error !== undefined ? { error } : {}
    if (data == null || fetchPolicy === 'no-cache') return { data: data ?? undefined, ...withError }
    if (!flight.isWritten) {
      flight.isWritten = true
      this.writing = bound
      this.cache.write(bound, data, { order: flight.order, errors: error && errors })
      this.writing = null
    }
    // A read returns the previous objects wherever nothing is new.
    return { data: error === undefined ? (this.cache.read(bound) ?? data) : data, ...withError }
  }

  /** Sends a mutation, and retries it with the same key. Until the response arrives, the cache shows the optimistic
   *  result. */
  async mutate(
    bound: BoundOperation,
    options: MutationOptions<Data>,
    send = this.#options.send,
  ): Promise<Result<Data>> {
    const { cache } = this
    const { optimistic, update, signal } = options
    const policy = this.errorPolicy(options.errorPolicy)
    const isCached = options.fetchPolicy !== 'no-cache'
    const apply = (data: Data, errors?: Answer['errors']) => {
      if (isCached) this.apply(bound, data, errors)
      update?.(data)
    }
    const removeLayer = optimistic === undefined ? undefined : cache.layer(() => apply(optimistic))
    const idempotencyKey = options.idempotencyKey ?? (this.#options.hasIdempotency ? makeKey() : undefined)
    const order = cache.begin()
    let answer: Answer
    try {
      const call = { ...(await callOf(bound, idempotencyKey !== undefined)), idempotencyKey }
      answer = await send(call, signal, true)
    } catch (error) {
      removeLayer?.()
      return this.#fail(error as Error, policy, signal)
    } finally {
      cache.end(order)
    }
    const { data, errors } = answer
    const error = errors?.length ? new GraphQLErrors(answer) : undefined
    cache.transact(() => {
      removeLayer?.()
      if (data != null && (error === undefined || policy !== 'none')) apply(data, error && errors)
    })
    if (error !== undefined && policy === 'none') throw error
    return { data: data ?? undefined, ...(policy === 'all' && error !== undefined && { error }) }
  }

  /** Writes the result of a mutation or an event, removes deleted rows, and inserts new rows into lists. */
  apply(bound: BoundOperation, data: Data, errors?: Answer['errors']): void {
    const { cache } = this
    cache.transact(() => {
      const join = this.joins?.(bound, data)
      cache.write(bound, data, { errors, isBorrowed: true })
      removeDeleted(bound, data, cache)
      join?.()
    })
  }

  /** Without a response, the policy `ignore` passes the error to `onError`. */
  #fail(error: Error, policy: ErrorPolicy, signal: AbortSignal | undefined): Result<Data> {
    if (policy === 'none' || signal?.aborted) throw error
    if (policy === 'all') return { data: undefined, error }
    this.onError(error)
    return { data: undefined }
  }
}

async function callOf({ operation, values }: BoundOperation, isSafe: boolean): Promise<GraphQLRequest> {
  return { query: await operation.text(), operationName: operation.name, variables: values, isSafe }
}

// Answers questions by their policies, between the cache and the network. Client, watches and hooks all ask here.

import type { Cache } from '../cache/cache.ts'
import type { Question } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'
import { type Answer, GraphQLErrors } from '../errors.ts'
import type { Call } from '../transport/post.ts'
import { makeKey } from './idempotency-key.ts'
import { type Flight, InFlight, unlessAborted } from './in-flight.ts'
import type { ErrorPolicy, FetchPolicy, MutationOptions, Policies, QueryOptions, Result } from './options.ts'
import { removeDeleted } from './remove-deleted.ts'

type Send = (call: Call, signal?: AbortSignal, isWrite?: boolean) => Promise<Answer>

export interface Surroundings {
  readonly cache: Cache
  readonly send: Send
  readonly hasIdempotency: boolean
  readonly defaults: Policies
  readonly onError: (error: unknown) => void
}

export class Engine {
  readonly cache: Cache
  readonly onError: (error: unknown) => void
  /** The question whose answer is being written. */
  writing: Question | null = null
  /** Sees which rows are new, and then puts them into lists (`join-lists`). */
  joins: ((question: Question, data: Data) => () => void) | null = null
  readonly #surroundings: Surroundings
  readonly #inFlight: InFlight

  constructor(surroundings: Surroundings) {
    this.cache = surroundings.cache
    this.onError = surroundings.onError
    this.#surroundings = surroundings
    this.#inFlight = new InFlight(surroundings.cache)
  }

  fetchPolicy(given: FetchPolicy | undefined): FetchPolicy {
    return given ?? this.#surroundings.defaults.fetchPolicy ?? 'cache-first'
  }

  errorPolicy(given: ErrorPolicy | undefined): ErrorPolicy {
    return given ?? this.#surroundings.defaults.errorPolicy ?? 'none'
  }

  /** One answer. `cache-and-network` waits for the fresh one, and falls back to what is cached. */
  async query(question: Question, options: QueryOptions): Promise<Result<Data>> {
    const policy = this.fetchPolicy(options.fetchPolicy)
    if (policy === 'network-only' || policy === 'no-cache') return this.load(question, policy, options)
    const data = this.cache.read(question)
    if (policy === 'cache-only' || (policy === 'cache-first' && data !== undefined)) return { data }
    const load = this.load(question, policy, options)
    if (data === undefined) return load
    const result = await load.catch((error: Error) => ({ data, error }))
    return { ...result, data: result.data ?? data }
  }

  /** Asks the server. */
  async load(question: Question, fetchPolicy: FetchPolicy, options: QueryOptions): Promise<Result<Data>> {
    const policy = this.errorPolicy(options.errorPolicy)
    const send = async (signal: AbortSignal) => this.#surroundings.send(await callOf(question, true), signal)
    options.signal?.throwIfAborted()
    const flight = this.#inFlight.join(question, send)
    try {
      const answer = await unlessAborted(flight.answer, options.signal)
      return this.#take(question, flight, answer, fetchPolicy, policy)
    } catch (error) {
      return this.#fail(error as Error, policy, options.signal)
    } finally {
      this.#inFlight.leave(flight)
    }
  }

  #take(
    question: Question,
    flight: Flight,
    answer: Answer,
    fetchPolicy: FetchPolicy,
    policy: ErrorPolicy,
  ): Result<Data> {
    const { data, errors } = answer
    const error = errors?.length ? new GraphQLErrors(answer) : undefined
    if (error !== undefined && policy === 'none') throw error
    const told = policy === 'all' && error !== undefined ? { error } : {}
    if (data == null || fetchPolicy === 'no-cache') return { data: data ?? undefined, ...told }
    if (!flight.isWritten) {
      flight.isWritten = true
      this.writing = question
      this.cache.write(question, data, { order: flight.order, errors: error && errors })
      this.writing = null
    }
    // What is read is what was known before, wherever nothing is new.
    return { data: error === undefined ? (this.cache.read(question) ?? data) : data, ...told }
  }

  /** Sends it once, or again with the same key; the cache sees what is expected until the answer is there. */
  async mutate(
    question: Question,
    options: MutationOptions<Data>,
    send = this.#surroundings.send,
  ): Promise<Result<Data>> {
    const { cache } = this
    const { optimistic, update, signal } = options
    const policy = this.errorPolicy(options.errorPolicy)
    const isCached = options.fetchPolicy !== 'no-cache'
    const apply = (data: Data, errors?: Answer['errors']) => {
      if (isCached) this.tell(question, data, errors)
      update?.(data)
    }
    const takeBack = optimistic === undefined ? undefined : cache.layer(() => apply(optimistic))
    const idempotencyKey = options.idempotencyKey ?? (this.#surroundings.hasIdempotency ? makeKey() : undefined)
    const order = cache.begin()
    let answer: Answer
    try {
      const call = { ...(await callOf(question, idempotencyKey !== undefined)), idempotencyKey }
      answer = await send(call, signal, true)
    } catch (error) {
      takeBack?.()
      return this.#fail(error as Error, policy, signal)
    } finally {
      cache.end(order)
    }
    const { data, errors } = answer
    const error = errors?.length ? new GraphQLErrors(answer) : undefined
    cache.transact(() => {
      takeBack?.()
      if (data != null && (error === undefined || policy !== 'none')) apply(data, error && errors)
    })
    if (error !== undefined && policy === 'none') throw error
    return { data: data ?? undefined, ...(policy === 'all' && error !== undefined && { error }) }
  }

  /** Writes what a mutation or an event tells of, with all that follows from it. */
  tell(question: Question, data: Data, errors?: Answer['errors']): void {
    const { cache } = this
    cache.transact(() => {
      const join = this.joins?.(question, data)
      cache.write(question, data, { errors, isBorrowed: true })
      removeDeleted(question, data, cache)
      join?.()
    })
  }

  /** Without an answer there is nothing to ignore but the failure itself, which is told to `onError`. */
  #fail(error: Error, policy: ErrorPolicy, signal: AbortSignal | undefined): Result<Data> {
    if (policy === 'none' || signal?.aborted) throw error
    if (policy === 'all') return { data: undefined, error }
    this.onError(error)
    return { data: undefined }
  }
}

async function callOf({ operation, values }: Question, isSafe: boolean): Promise<Call> {
  return { query: await operation.text(), operationName: operation.name, variables: values, isSafe }
}

// A watched query: loaded by its policy, and updated whenever the cache changes.
//
// 1. A response counts only if no later request was sent (`#round`).
// 2. A cache change updates the state but never sends a request. If it makes the result incomplete, the last result stays.
// 3. Until its own first response, a watch does not show data that others bring into the cache. `cache-and-network` does,
//    since it shows the cache anyway.

import { equal } from '../cache/equal.ts'
import { type QueryListener, type QueryWatcher, show } from '../cache/query-watcher.ts'
import { allPages, lenient, type ReadingMode } from '../cache/read.ts'
import type { BoundOperation } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'
import type { Engine } from './engine.ts'
import type { ErrorPolicy, FetchPolicy, Policies, Result } from './options.ts'

export interface WatchState<T> {
  readonly data: T | undefined
  readonly error: Error | undefined
  /** A request is in flight. */
  readonly loading: boolean
}

type State = WatchState<Data>

export class Watch<T, Variables extends object> implements QueryListener {
  readonly #engine: Engine
  readonly #fetchPolicy: FetchPolicy
  readonly #errorPolicy: ErrorPolicy
  readonly #listeners = new Set<(state: WatchState<T>) => void>()
  readonly #onStart: ((watch: Watch<T, Variables>) => () => void) | undefined
  #onStop: (() => void) | undefined
  /** The query with its variables, for `keepFresh`. */
  bound: BoundOperation
  /** The latest request. */
  loaded: Promise<Result<Data>> | undefined
  #state: State
  #watcher: QueryWatcher | null = null
  #isStarted = false
  #isWaiting = false
  #mode: ReadingMode = 0
  #round = 0
  #controller = new AbortController()

  /** The watch calls `onStart` when it starts, and the returned function when it stops. */
  constructor(
    engine: Engine,
    bound: BoundOperation,
    { fetchPolicy, errorPolicy }: Policies,
    onStart?: (watch: Watch<T, Variables>) => () => void,
  ) {
    this.#onStart = onStart
    this.#engine = engine
    this.bound = bound
    this.#fetchPolicy = engine.fetchPolicy(fetchPolicy)
    this.#errorPolicy = engine.errorPolicy(errorPolicy)
    this.#state = this.#initialState()
  }

  /** The current state; the same object for as long as nothing changes. */
  get current(): WatchState<T> {
    // Before the start nothing notifies the watch of changes since its creation.
    if (!this.#isStarted && !this.#round) this.#set(this.#initialState())
    return this.#state as WatchState<T>
  }

  /** Calls the listener at once and after each change. The first listener starts the watch; it stops when the last one
   *  leaves. */
  subscribe(listener: (state: WatchState<T>) => void): () => void {
    const own = (state: WatchState<T>) => listener(state)
    this.#listeners.add(own)
    if (!this.#isStarted) this.#start()
    this.#notify(own)
    return () => {
      this.#listeners.delete(own)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  /** Sends a request, whatever the cache contains and whatever is in flight. */
  async refetch(variables?: Variables): Promise<Result<T>> {
    if (variables !== undefined) this.#bindVariables({ ...this.bound.values, ...variables })
    return this.refresh(true)
  }

  /** The same, without a change of `loading`. */
  async refresh(loading = this.#state.loading): Promise<Result<T>> {
    const policy = this.#fetchPolicy === 'no-cache' ? 'no-cache' : 'network-only'
    return (await this.#load(policy, loading, true)) as Result<T>
  }

  /** Binds other variables, with the same policy. */
  setVariables(variables: Variables): void {
    if (!this.#bindVariables(variables)) return
    if (this.#isStarted) this.#begin()
  }

  /** Loads a further page of a connection. The cache merges it by cursor, and the watch shows all loaded pages. */
  async fetchMore(variables: Partial<Variables>): Promise<Result<T>> {
    const { operation, values } = this.bound
    const more = operation.bind({ ...values, ...variables })
    const result = await this.#engine.load(more, 'network-only', { errorPolicy: this.#errorPolicy })
    if (this.#watcher !== null) {
      this.#mode |= allPages
      this.#attach((this.#mode & lenient) > 0)
      this[show](this.#engine.cache.read(this.bound, this.#mode))
    }
    return result as Result<T>
  }

  #start(): void {
    this.#isStarted = true
    this.#begin()
    this.#onStop = this.#onStart?.(this)
  }

  #stop(): void {
    this.#isStarted = false
    this.#onStop?.()
    this.#round++
    this.#controller.abort()
    this.#watcher?.leave(this)
    this.#watcher = null
  }

  #bindVariables(variables: object): boolean {
    const bound = this.bound.operation.bind(variables)
    if (bound === this.bound) return false
    this.bound = bound
    this.#watcher?.leave(this)
    this.#watcher = null
    this.#mode = 0
    this.#set(this.#initialState())
    return true
  }

  /** The state before any request. */
  #initialState(): State {
    const policy = this.#fetchPolicy
    const data = policy === 'network-only' || policy === 'no-cache' ? undefined : this.#engine.cache.read(this.bound)
    const loading = policy === 'cache-only' ? false : policy === 'cache-first' ? data === undefined : true
    return { data, error: undefined, loading }
  }

  #begin(): void {
    this.#set(this.#initialState())
    const policy = this.#fetchPolicy
    if (policy !== 'network-only' && policy !== 'no-cache') this.#attach()
    // A live query follows the changes from here on, so an earlier response could miss one.
    if (this.#state.loading) this.#load(policy, true, !!this.#onStart).catch(() => {})
  }

  async #load(policy: FetchPolicy, loading: boolean, isFresh: boolean): Promise<Result<Data>> {
    const round = ++this.#round
    const bound = this.bound
    this.#controller.abort()
    this.#controller = new AbortController()
    const { data: before } = this.#state
    this.#isWaiting = before === undefined && policy !== 'cache-and-network'
    this.#set({ data: before, error: undefined, loading })
    try {
      const options = { errorPolicy: this.#errorPolicy, ...(this.#isStarted && { signal: this.#controller.signal }) }
      this.loaded = this.#engine.load(bound, policy, options, isFresh)
      const result = await this.loaded
      if (round !== this.#round) return result
      this.#isWaiting = false
      const isPartial = result.error !== undefined || this.#errorPolicy === 'ignore'
      // A refetch starts with the first page. A refresh keeps all loaded pages, as the cache has shown them.
      if (loading) this.#mode = 0
      if (policy !== 'no-cache' && this.#isStarted) this.#attach(isPartial)
      // Without a result, the previous data stays.
      const data = (!(this.#mode & allPages) && result.data) || this.#state.data
      this.#set({ data, error: result.error, loading: false })
      return result
    } catch (error) {
      if (round !== this.#round) throw error
      this.#isWaiting = false
      if (policy !== 'no-cache' && this.#isStarted) this.#attach()
      this.#set({ data: this.#state.data, error: error as Error, loading: false })
      throw error
    }
  }

  #attach(isLenient = false): void {
    this.#mode = (this.#mode & allPages) | (isLenient ? lenient : 0)
    const watcher = this.#engine.cache.watcher(this.bound, this.#mode)
    if (watcher === this.#watcher) return
    watcher.join(this)
    this.#watcher?.leave(this)
    this.#watcher = watcher
  }

  [show](data: Data | undefined, before?: Data): void {
    // The watch shows its own response when the load ends.
    const isOwn = this.#state.loading && this.#engine.writing === this.bound
    if (this.#isWaiting || isOwn || this.#watcher === null) return
    const { data: shown, loading, error } = this.#state
    if (data === undefined && this.#fetchPolicy !== 'cache-only') return
    // The error stays for as long as its data is missing.
    const isResolved = error !== undefined && this.#engine.cache.read(this.bound) !== undefined
    const state = { data, error: isResolved ? undefined : error, loading }
    // The cache has already compared the data, so the watch does not compare it again.
    this.#set(state, before === shown ? false : undefined)
  }

  #set(state: State, isSame = equal(state.data, this.#state.data)): void {
    const { data, error, loading } = this.#state
    if (isSame && state.error === error && state.loading === loading) return
    this.#state = isSame ? { ...state, data } : state
    for (const listener of this.#listeners) this.#notify(listener)
  }

  #notify(listener: (state: WatchState<T>) => void): void {
    try {
      listener(this.current)
    } catch (error) {
      this.#engine.onError(error)
    }
  }
}

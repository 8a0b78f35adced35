// A query that is watched: asked by its policy, and told anew whenever the cache knows better.
//
// 1. An answer counts only if nothing was asked since (`#round`).
// 2. A change of the cache is told, and never asks the server: what it makes incomplete stays as it was last.
// 3. Until its own first answer is there, what others bring into the cache is not shown; `cache-and-network` shows it, since it
//    shows the cache anyway.

import { equal } from '../cache/equal.ts'
import { type QueryListener, type QueryWatcher, show } from '../cache/query-watcher.ts'
import { lenient, type ReadingMode, whole } from '../cache/read.ts'
import type { Question } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'
import type { Engine } from './engine.ts'
import type { ErrorPolicy, FetchPolicy, Policies, Result } from './options.ts'

export interface WatchState<T> {
  readonly data: T | undefined
  readonly error: Error | undefined
  /** The server is being asked. */
  readonly loading: boolean
}

type State = WatchState<Data>

export class Watch<T, Variables extends object> implements QueryListener {
  readonly #engine: Engine
  readonly #fetchPolicy: FetchPolicy
  readonly #errorPolicy: ErrorPolicy
  readonly #listeners = new Set<(state: WatchState<T>) => void>()
  readonly #accompany: (watch: Watch<T, Variables>) => () => void
  #leave = () => {}
  #question: Question
  #state: State = { data: undefined, error: undefined, loading: true }
  #watcher: QueryWatcher | null = null
  #isStarted = false
  #isWaiting = false
  #mode: ReadingMode = 0
  #round = 0
  #controller = new AbortController()

  /** `accompany` is called when it starts, and what it gives when it ends. */
  constructor(
    engine: Engine,
    question: Question,
    { fetchPolicy, errorPolicy }: Policies,
    accompany: (watch: Watch<T, Variables>) => () => void = () => () => {},
  ) {
    this.#accompany = accompany
    this.#engine = engine
    this.#question = question
    this.#fetchPolicy = engine.fetchPolicy(fetchPolicy)
    this.#errorPolicy = engine.errorPolicy(errorPolicy)
    this.#state = this.#first()
  }

  /** What is known now; the same object for as long as nothing changes. */
  get current(): WatchState<T> {
    // Before it starts nothing tells it what has changed since it was made.
    if (!this.#isStarted && !this.#round) this.#set(this.#first())
    return this.#state as WatchState<T>
  }

  /** Told at once what is known, and then of each change. The first listener starts it, the last that leaves ends it. */
  subscribe(listener: (state: WatchState<T>) => void): () => void {
    const own = (state: WatchState<T>) => listener(state)
    this.#listeners.add(own)
    if (!this.#isStarted) this.#start()
    this.#tell(own)
    return () => {
      this.#listeners.delete(own)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  /** Asks the server once, whatever the cache has. */
  async refetch(variables?: Variables): Promise<Result<T>> {
    if (variables !== undefined) this.#turnTo({ ...this.#question.values, ...variables })
    return (await this.#load(this.#freshPolicy, true)) as Result<T>
  }

  /** The same, without `loading` being told. */
  async refresh(): Promise<Result<T>> {
    return (await this.#load(this.#freshPolicy, this.#state.loading)) as Result<T>
  }

  get #freshPolicy(): FetchPolicy {
    return this.#fetchPolicy === 'no-cache' ? 'no-cache' : 'network-only'
  }

  /** Another question of the same kind, by the same policy. */
  setVariables(variables: Variables): void {
    if (!this.#turnTo(variables)) return
    if (this.#isStarted) this.#begin()
  }

  /** Loads a further page of a connection: it is merged by cursor, and all that is loaded is shown. */
  async fetchMore(variables: Partial<Variables>): Promise<Result<T>> {
    const { operation, values } = this.#question
    const more = operation.ask({ ...values, ...variables })
    const result = await this.#engine.load(more, 'network-only', { errorPolicy: this.#errorPolicy })
    if (this.#watcher !== null) {
      this.#mode |= whole
      this.#attach((this.#mode & lenient) > 0)
      this[show](this.#engine.cache.read(this.#question, this.#mode))
    }
    return result as Result<T>
  }

  #start(): void {
    this.#isStarted = true
    this.#begin()
    this.#leave = this.#accompany(this)
  }

  #stop(): void {
    this.#isStarted = false
    this.#leave()
    this.#round++
    this.#controller.abort()
    this.#watcher?.leave(this)
    this.#watcher = null
  }

  #turnTo(variables: object): boolean {
    const question = this.#question.operation.ask(variables)
    if (question === this.#question) return false
    this.#question = question
    this.#watcher?.leave(this)
    this.#watcher = null
    this.#mode = 0
    this.#set(this.#first())
    return true
  }

  /** What there is before anything was asked. */
  #first(): State {
    const policy = this.#fetchPolicy
    const data =
      policy === 'network-only' || policy === 'no-cache' ? undefined : this.#engine.cache.read(this.#question)
    const loading = policy === 'cache-only' ? false : policy === 'cache-first' ? data === undefined : true
    return { data, error: undefined, loading }
  }

  #begin(): void {
    this.#set(this.#first())
    const policy = this.#fetchPolicy
    if (policy !== 'network-only' && policy !== 'no-cache') this.#attach()
    if (this.#state.loading) this.#load(policy, true).catch(() => {})
  }

  async #load(policy: FetchPolicy, loading: boolean): Promise<Result<Data>> {
    const round = ++this.#round
    const question = this.#question
    this.#controller.abort()
    this.#controller = new AbortController()
    const { data: before } = this.#state
    this.#isWaiting = before === undefined && policy !== 'cache-and-network'
    this.#set({ data: before, error: undefined, loading })
    const isStopped = () => round !== this.#round
    try {
      const options = { errorPolicy: this.#errorPolicy, ...(this.#isStarted && { signal: this.#controller.signal }) }
      const result = await this.#engine.load(question, policy, options)
      if (isStopped()) return result
      this.#isWaiting = false
      const isPartial = result.error !== undefined || this.#errorPolicy === 'ignore'
      // Who asks anew begins with the first page. What is kept fresh goes on with all that is loaded, as the cache has shown it.
      if (loading) this.#mode = 0
      if (policy !== 'no-cache' && this.#isStarted) this.#attach(isPartial)
      // Without an answer, what was there stays.
      const data = (!(this.#mode & whole) && result.data) || this.#state.data
      this.#set({ data, error: result.error, loading: false })
      return result
    } catch (error) {
      if (isStopped()) throw error
      this.#isWaiting = false
      if (policy !== 'no-cache' && this.#isStarted) this.#attach()
      this.#set({ data: this.#state.data, error: error as Error, loading: false })
      throw error
    }
  }

  #attach(isLenient = false): void {
    this.#mode = (this.#mode & whole) | (isLenient ? lenient : 0)
    const watcher = this.#engine.cache.watcher(this.#question, this.#mode)
    if (watcher === this.#watcher) return
    watcher.join(this)
    this.#watcher?.leave(this)
    this.#watcher = watcher
  }

  [show](data: Data | undefined, before?: Data): void {
    // Its own answer is told as such, when it is written.
    const isOwn = this.#state.loading && this.#engine.writing === this.#question
    if (this.#isWaiting || isOwn || this.#watcher === null) return
    const { data: shown, loading, error } = this.#state
    if (data === undefined && this.#fetchPolicy !== 'cache-only') return
    // An error is told for as long as what it is about is missing.
    const isMended = error !== undefined && this.#engine.cache.read(this.#question) !== undefined
    const state = { data, error: isMended ? undefined : error, loading }
    // What the cache has compared already is not compared again.
    this.#set(state, before === shown ? false : undefined)
  }

  #set(state: State, isSame = equal(state.data, this.#state.data)): void {
    const { data, error, loading } = this.#state
    if (isSame && state.error === error && state.loading === loading) return
    this.#state = isSame ? { ...state, data } : state
    for (const listener of this.#listeners) this.#tell(listener)
  }

  #tell(listener: (state: WatchState<T>) => void): void {
    try {
      listener(this.current)
    } catch (error) {
      this.#engine.onError(error)
    }
  }
}

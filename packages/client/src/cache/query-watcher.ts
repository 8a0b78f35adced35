// Watches what a question reads, for all who ask it: a thousand that show the same are one reading, and one list of nodes.

import type { Question } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'
import type { Cache } from './cache.ts'
import type { Node, NodeWatcher } from './node.ts'
import type { ReadingMode } from './read.ts'

export const show: unique symbol = Symbol()

/** An object and no function: where thousands are told at once, each step between costs as much as the telling. */
export interface QueryListener {
  /** `before` is what was read last; it is not the same as `data`. May be told once more after it has left. */
  [show](data: Data | undefined, before: Data | undefined): void
}

export class QueryWatcher implements NodeWatcher {
  readonly #cache: Cache
  readonly #question: Question
  readonly #mode: ReadingMode
  readonly #listeners = new Set<QueryListener>()
  #seen = new Set<Node>()
  #data: Data | undefined

  constructor(cache: Cache, question: Question, mode: ReadingMode) {
    this.#cache = cache
    this.#question = question
    this.#mode = mode
  }

  join(listener: QueryListener): void {
    if (this.#listeners.size === 0) this.#read()
    this.#listeners.add(listener)
  }

  leave(listener: QueryListener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    for (const node of this.#seen) node.unwatch(this)
    this.#seen.clear()
  }

  wake(isRelinked: boolean): void {
    const before = this.#data
    // The nodes that are read are others only where a link has changed, or where reading came to an end too early.
    if (isRelinked || before === undefined) this.#read()
    else this.#data = this.#cache.read(this.#question, this.#mode)
    // Who comes meanwhile knows it already.
    if (this.#data !== before) for (const listener of [...this.#listeners]) listener[show](this.#data, before)
  }

  #read(): void {
    const seen = new Set<Node>()
    this.#data = this.#cache.read(this.#question, this.#mode, seen)
    for (const node of this.#seen) if (!seen.has(node)) node.unwatch(this)
    for (const node of seen) node.watch(this)
    this.#seen = seen
  }
}

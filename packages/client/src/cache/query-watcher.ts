// Watches the result of an operation for all its listeners. A thousand components that show the same query share one read
// and one set of nodes.

import type { BoundOperation } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'
import type { Node, NodeWatcher } from './node.ts'
import type { ReadingMode } from './read.ts'

/** The part of the cache that a watcher needs. */
interface QueryReader {
  read(bound: BoundOperation, mode: ReadingMode, seen?: Set<Node>): Data | undefined
}

export const show: unique symbol = Symbol()

/** An object and not a function: with thousands of listeners, each call in between costs as much as the notification. */
export interface QueryListener {
  /** `before` is the previous result; it differs from `data`. A listener may be notified once more after it has left. */
  [show](data: Data | undefined, before: Data | undefined): void
}

export class QueryWatcher implements NodeWatcher {
  readonly #cache: QueryReader
  readonly #bound: BoundOperation
  readonly #mode: ReadingMode
  readonly #listeners = new Set<QueryListener>()
  #seen = new Set<Node>()
  #data: Data | undefined

  constructor(cache: QueryReader, bound: BoundOperation, mode: ReadingMode) {
    this.#cache = cache
    this.#bound = bound
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
    // The set of nodes changes only where a link has changed, or where the previous read stopped early.
    if (isRelinked || before === undefined) this.#read()
    else this.#data = this.#cache.read(this.#bound, this.#mode)
    // A listener that joins during the loop has the new result already.
    if (this.#data !== before) for (const listener of [...this.#listeners]) listener[show](this.#data, before)
  }

  #read(): void {
    const seen = new Set<Node>()
    this.#data = this.#cache.read(this.#bound, this.#mode, seen)
    for (const node of this.#seen) if (!seen.has(node)) node.unwatch(this)
    for (const node of seen) node.watch(this)
    this.#seen = seen
  }
}

// Watches what a question reads: told of each change by what is read then, and of nothing else.

import type { Question } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'
import type { Cache } from './cache.ts'
import type { Node, NodeWatcher } from './node.ts'

export class QueryWatcher implements NodeWatcher {
  readonly #cache: Cache
  readonly #question: Question
  readonly #notify: (data: Data | undefined) => void
  #seen = new Set<Node>()
  #data: Data | undefined
  isLenient = false
  isWhole = false

  constructor(cache: Cache, question: Question, notify: (data: Data | undefined) => void) {
    this.#cache = cache
    this.#question = question
    this.#notify = notify
  }

  /** What is there now; from here on changes of it are told. */
  read(): Data | undefined {
    const seen = new Set<Node>()
    this.#data = this.#cache.read(this.#question, { ...this.#mode, seen })
    for (const node of this.#seen) if (!seen.has(node)) node.unwatch(this)
    for (const node of seen) node.watch(this)
    this.#seen = seen
    return this.#data
  }

  wake(isRelinked: boolean): void {
    const before = this.#data
    // The nodes that are read are others only where a link has changed, or where reading came to an end too early.
    if (isRelinked || before === undefined) this.read()
    else this.#data = this.#cache.read(this.#question, this.#mode)
    if (this.#data !== before) this.#notify(this.#data)
  }

  stop(): void {
    for (const node of this.#seen) node.unwatch(this)
    this.#seen.clear()
  }

  get #mode() {
    return { isLenient: this.isLenient, isWhole: this.isWhole }
  }
}

// What the cache is made of. A `Node` is an object that a server told of: a row, known by its type and id, or an object
// without an id, which its owner alone holds. Nodes hold each other directly.
//
// 1. `fields` and `view` are never changed, only replaced: what was once given to a reader stays as it was. So a flat object
//    of an answer can be a node's fields, and what is read of it, without being copied.
// 2. `stamp` is the tick of the last change of a node's own fields. A memo that was checked since then is right about them.
// 3. `view` is there only while an optimistic layer touches the node: `fields` with the layers upon it.

import type { Data, Shape, Values } from '../document/selection.ts'

/** What the server failed to give: read as null by who has been told so, and as missing by all others. */
export const failed: unique symbol = Symbol('failed')

/** A leaf as it came, a node, a list of nodes, the pages of a connection. Undefined: not known. */
type Slot = unknown
export type Fields = Readonly<Record<string, Slot>>

/** What was read of a node, by this shape; right if nothing has changed since `checked`. */
interface Memo {
  shape: Shape
  values: Values | null
  mode: number
  data: Data
  checked: number
}

/** So many readings of one node are kept; several queries may look at it with different selections. */
const memosKept = 4

const nothing: Fields = Object.freeze({})
/** The fields of a row that was deleted. */
export const gone: Fields = Object.freeze({})

export class Node {
  /** `Post:p1`, or null for an object that its owner holds. */
  readonly key: string | null
  readonly type: string
  fields: Fields = nothing
  view: Fields | null = null
  stamp = 0
  /** Of a field at the root: when it was last read. */
  used = 0
  /** One alone, as most have, or several. */
  #watchers: NodeWatcher | Set<NodeWatcher> | null = null
  readonly #memos: Memo[] = []

  constructor(key: string | null, type: string) {
    this.key = key
    this.type = type
  }

  /** What is known of it, optimism included. */
  get now(): Fields {
    return this.view ?? this.fields
  }

  get isNew(): boolean {
    return this.fields === nothing && this.view === null
  }

  /** Deleted: null where it is referred to, left out of lists. */
  get isGone(): boolean {
    return this.now === gone
  }

  forget(): void {
    this.fields = nothing
  }

  get isWatched(): boolean {
    return this.#watchers instanceof Set ? this.#watchers.size > 0 : this.#watchers !== null
  }

  get watchers(): Iterable<NodeWatcher> {
    const watchers = this.#watchers
    return watchers === null ? [] : watchers instanceof Set ? watchers : [watchers]
  }

  watch(watcher: NodeWatcher): void {
    const watchers = this.#watchers
    if (watchers === null) this.#watchers = watcher
    else if (watchers instanceof Set) watchers.add(watcher)
    else if (watchers !== watcher) this.#watchers = new Set([watchers, watcher])
  }

  unwatch(watcher: NodeWatcher): void {
    if (this.#watchers instanceof Set) this.#watchers.delete(watcher)
    else if (this.#watchers === watcher) this.#watchers = null
  }

  memo(shape: Shape, values: Values, mode: number): Memo | null {
    for (const memo of this.#memos)
      if (memo.shape === shape && memo.mode === mode && (memo.values === null || memo.values === values)) return memo
    return null
  }

  remember(shape: Shape, values: Values, mode: number, data: Data, checked: number): void {
    if (this.#memos.length === memosKept) this.#memos.shift()
    this.#memos.push({ shape, values: shape.isVariable ? values : null, mode, data, checked })
  }
}

/** Who is told when a node changes. */
export interface NodeWatcher {
  wake(relinked: boolean): void
}

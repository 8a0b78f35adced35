// The nodes of the cache. A `Node` is an object from the server: a row, identified by its type and id, or an object without
// an id, which only its owner refers to. Nodes refer to each other directly.
//
// 1. `fields` and `view` are never changed, only replaced, so a reader's object never changes. A flat object of a response
//    can therefore be a node's fields, and the result of a read, without a copy.
// 2. `stamp` is the tick of the last change of a node's own fields. A memo that was checked after it is valid for them.
// 3. `view` exists only while an optimistic layer touches the node: `fields` with the layers applied.

import type { Data, Shape, Values } from '../document/selection.ts'

/** A field that the server failed to return. The reader that received the error reads null; all others read it as
 *  missing. */
export const failed: unique symbol = Symbol('failed')

/** A leaf as received, a node, a list of nodes, or the pages of a connection. Undefined: not known. */
type Slot = unknown
export type Fields = Readonly<Record<string, Slot>>

/** The result of reading a node by a shape; valid if nothing has changed since `checked`. */
interface Memo {
  shape: Shape
  values: Values | null
  mode: number
  data: Data
  checked: number
}

/** The maximum number of memos of one node. Several queries may read it with different selections. */
const maxMemos = 4

const noFields: Fields = Object.freeze({})
/** The fields of a deleted row. */
export const deletedFields: Fields = Object.freeze({})

export class Node {
  /** `Post:p1`, or null for an object that belongs to its owner. */
  readonly key: string | null
  readonly type: string
  fields: Fields = noFields
  view: Fields | null = null
  stamp = 0
  /** For a root field: the tick of the last read. */
  used = 0
  /** One watcher, as for most nodes, or several. */
  #watchers: NodeWatcher | Set<NodeWatcher> | null = null
  readonly #memos: Memo[] = []

  constructor(key: string | null, type: string) {
    this.key = key
    this.type = type
  }

  /** The current fields, including optimistic layers. */
  get now(): Fields {
    return this.view ?? this.fields
  }

  get isNew(): boolean {
    return this.fields === noFields && this.view === null
  }

  /** Deleted: references to it read null, and lists omit it. */
  get isGone(): boolean {
    return this.now === deletedFields
  }

  forget(): void {
    this.fields = noFields
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
    if (this.#memos.length === maxMemos) this.#memos.shift()
    this.#memos.push({ shape, values: shape.isVariable ? values : null, mode, data, checked })
  }
}

/** Is notified when a node changes. */
export interface NodeWatcher {
  wake(relinked: boolean): void
}

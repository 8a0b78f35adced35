// The normalized cache: nodes by type and id, and their watchers. All readers of a row see the data of every response.
//
// 1. `tick` rises with every write; memos and stamps are compared by it (node.ts).
// 2. The cache notifies watchers when the outermost `transact` ends: once each, and only about nodes that they have read.
// 3. Optimistic layers lie above the server's data, in the order of their creation. To remove a layer, the cache applies the
//    layers above it again, so that nothing of it remains in them.
// 4. The start of a request determines its order. While an earlier request is in flight, its response does not overwrite the
//    fields of a later one.

import type { BoundOperation } from '../document/operation.ts'
import type { Data, Selection } from '../document/selection.ts'
import { markFailures } from './failures.ts'
import { deletedFields, type Fields, Node, type NodeWatcher } from './node.ts'
import { QueryWatcher } from './query-watcher.ts'
import { type ReadingMode, readRoot } from './read.ts'
import { type PossibleTypes, Types } from './types.ts'
import { writeRoot } from './write.ts'

/** A cached list that is empty or contains rows of the type. */
export interface CachedList {
  /** `posts`, or `postsConnection`. */
  readonly field: string
  /** Without `first` and `after`. */
  readonly args: Readonly<Record<string, unknown>>
  /** The type of the row that owns the list; null at the root. */
  readonly owner: string | null
}

/** The place of a new row of the type in a list. Falsy: the row is not in the list. */
export type Joins = Readonly<
  Record<string, (row: Readonly<Data>, list: CachedList) => 'start' | 'end' | null | undefined | false>
>

export interface CacheOptions {
  /** The possible types of all interfaces and unions. Without it the cache learns them from responses. */
  possibleTypes?: PossibleTypes
  /** Identifies an object among those of its type: by default its `id`. Null: the object belongs to its owner. */
  keyOf?: (type: string, data: Readonly<Data>) => string | null | undefined
  /** For each type: the cached lists into which the cache inserts a new row. */
  joins?: Joins
  /** The maximum number of rows, apart from watched ones: 50,000. */
  limit?: number
}

export interface WriteOptions {
  errors?: readonly { path?: readonly (string | number)[] | undefined }[] | undefined
  /** The order of the request. Without it the write counts as the newest. */
  order?: number | undefined
  /** The owner of the object may change it, so the cache must copy it. */
  isBorrowed?: boolean
}

interface OptimisticLayer {
  readonly make: () => void
  /** Null: deleted. */
  readonly patches: Map<Node, Fields | null>
}

/** Below this number of nodes the cache does not look for garbage. */
const minNodesToCollect = 20_000

export class Cache {
  tick = 1
  readonly types: Types
  readonly #keyOf: CacheOptions['keyOf']
  /** All rows by type and id, and the root fields. */
  readonly nodes = new Map<string, Node>()
  readonly #typeNames = new Set<string>()
  /** The last result of each bound operation, by reading mode. */
  readonly #readings = new WeakMap<BoundOperation, { data: Data; checked: number }[]>()
  readonly #watchers = new WeakMap<BoundOperation, QueryWatcher[]>()
  #layers: OptimisticLayer[] = []
  /** The layer that is being applied. */
  #layer: OptimisticLayer | null = null
  #depth = 0
  #collectAbove = minNodesToCollect
  /** Removes unused rows (`collect-garbage`). */
  collect: (() => Promise<unknown>) | null = null
  readonly #changed = new Map<Node, boolean>()
  #started = 0
  readonly #flights = new Set<number>()
  readonly #claims = new Map<Node, Map<string, number>>()

  constructor({ possibleTypes = {}, keyOf }: CacheOptions = {}) {
    this.types = new Types(possibleTypes)
    this.#keyOf = keyOf
  }

  /** Returns the same object as the last read, where nothing has changed. */
  read(bound: BoundOperation, mode: ReadingMode = 0, seen: Set<Node> | null = null): Data | undefined {
    const { tick, types } = this
    const readings = this.#readings.get(bound) ?? []
    const last = readings[mode]
    if (last?.checked === tick && seen === null) return last.data
    const { select, values } = bound
    const data = readRoot(select, last?.data, (slot) => this.#root(slot), { values, types, tick, mode, seen })
    if (data === undefined) return undefined
    readings[mode] = { data, checked: tick }
    this.#readings.set(bound, readings)
    return data
  }

  /** Notifies its listeners of each change in the result of an operation. */
  watcher(bound: BoundOperation, mode: ReadingMode): QueryWatcher {
    const watchers = this.#watchers.get(bound) ?? []
    this.#watchers.set(bound, watchers)
    watchers[mode] ??= new QueryWatcher(this, bound, mode)
    return watchers[mode]
  }

  write(
    { operation, select, values }: BoundOperation,
    data: Data,
    { errors, order, isBorrowed }: WriteOptions = {},
  ): void {
    this.transact(() => {
      const isAlone = this.#claims.size === 0 && !this.#hasEarlier(order ?? this.#newest)
      const isCareful = errors !== undefined || isBorrowed === true || !isAlone
      const marked = errors === undefined ? data : markFailures(data, errors)
      const isQuery = operation.kind === 'query'
      const root = (slot: string) => (isQuery ? this.#root(slot) : null)
      const writing = { cache: this, values, order: order ?? null, isCareful }
      writeRoot(select, isQuery ? 'Query' : operation.kind, marked, root, writing)
      // Memos made during the write match the response, but not the layers and later responses above it.
      this.tick++
    })
  }

  /** Each field of `Query` is a separate node, so a watcher of one is not notified about the others. */
  #root(slot: string): Node {
    return this.node(`Query.${slot}`, 'Query')
  }

  /** Notifies the watchers of all writes in the function at once. */
  transact<T>(write: () => T): T {
    this.#depth++
    this.tick++
    try {
      return write()
    } finally {
      if (--this.#depth === 0) {
        this.#notify()
        if (this.nodes.size > this.#collectAbove) this.#scheduleCollection()
      }
    }
  }

  /** Collects garbage when there may be much of it. */
  #scheduleCollection(): void {
    this.#collectAbove = Number.POSITIVE_INFINITY
    setTimeout(async () => {
      await this.collect?.()
      this.#collectAbove = Math.max(minNodesToCollect, this.nodes.size * 2)
    }, 1000)
  }

  #notify(): void {
    const notified = new Map<NodeWatcher, boolean>()
    for (const [node, isRelinked] of this.#changed)
      for (const watcher of node.watchers) notified.set(watcher, isRelinked || notified.get(watcher) === true)
    this.#changed.clear()
    for (const [watcher, isRelinked] of notified) watcher.wake(isRelinked)
  }

  /** Applies optimistic writes. The returned function removes them. */
  layer(make: () => void): () => void {
    const layer: OptimisticLayer = { make, patches: new Map() }
    const removeLayer = () => this.#removeLayer(layer)
    try {
      this.#applyLayer(layer)
    } catch (error) {
      removeLayer()
      throw error
    }
    return removeLayer
  }

  #applyLayer(layer: OptimisticLayer): void {
    this.#layers.push(layer)
    layer.patches.clear()
    this.transact(() => {
      this.#layer = layer
      try {
        layer.make()
      } finally {
        this.#layer = null
      }
    })
  }

  #removeLayer(layer: OptimisticLayer): void {
    const place = this.#layers.indexOf(layer)
    if (place < 0) return
    this.transact(() => {
      const above = this.#layers.slice(place)
      this.#layers = this.#layers.slice(0, place)
      for (const { patches } of above)
        for (const node of patches.keys()) {
          this.#refresh(node)
          this.#touch(node)
        }
      for (const other of above.slice(1)) this.#applyLayer(other)
    })
  }

  /** The fields that a write starts from: inside a layer with the layers, otherwise without them. */
  fieldsOf(node: Node): Fields {
    return this.#layer === null ? node.fields : node.now
  }

  put(node: Node, fields: Fields, isRelinked = true): void {
    const layer = this.#layer
    if (layer === null) node.fields = fields
    else {
      const before = node.now
      const changed = Object.entries(fields).filter(([slot, value]) => value !== before[slot])
      const patch = { ...layer.patches.get(node), ...Object.fromEntries(changed) }
      layer.patches.set(node, fields === deletedFields ? null : patch)
    }
    if (layer !== null || node.view !== null) this.#refresh(node)
    this.#touch(node, isRelinked)
  }

  #refresh(node: Node): void {
    node.view = null
    for (const { patches } of this.#layers) {
      const patch = patches.get(node)
      if (patch !== undefined) node.view = patch === null ? deletedFields : { ...node.now, ...patch }
    }
  }

  #touch(node: Node, isRelinked = true): void {
    node.stamp = this.tick
    this.#changed.set(node, isRelinked || this.#changed.get(node) === true)
  }

  node(key: string, type: string): Node {
    let node = this.nodes.get(key)
    if (node === undefined) {
      node = new Node(key, type)
      this.nodes.set(key, node)
      this.#typeNames.add(type)
    }
    return node
  }

  /** The rows of any type with this id. */
  withId(id: unknown): Node[] {
    return [...this.#typeNames].flatMap((type) => this.nodes.get(`${type}:${id}`) ?? [])
  }

  keyOf(type: string, data: Data, select: Selection): string | null {
    if (type === '') return null
    const own = this.#keyOf?.(type, data)
    if (own !== undefined) return own === null ? null : `${type}:${own}`
    const { id } = select.shape(type, this.types, data)
    const value = id === null ? undefined : data[id]
    return typeof value === 'string' || typeof value === 'number' ? `${type}:${value}` : null
  }

  /** Marks a row as deleted: references to it read null, and lists omit it. */
  remove(key: string): void {
    const node = this.nodes.get(key)
    if (node === undefined || node.isGone) return
    this.transact(() => {
      this.claim(node, '*', null)
      this.put(node, deletedFields)
    })
  }

  /** Removes all knowledge of a row. */
  evict(key: string): void {
    const node = this.nodes.get(key)
    if (node === undefined) return
    this.transact(() => {
      node.forget()
      this.#refresh(node)
      this.#touch(node)
    })
  }

  /** Starts a request and returns the order of its response (4). */
  begin(): number {
    this.#flights.add(++this.#started)
    return this.#started
  }

  end(order: number): void {
    this.#flights.delete(order)
    if (this.#flights.size === 0) this.#claims.clear()
  }

  /** Whether a request of this order may write a field that a later request may have written. */
  claim(node: Node, slot: string, order: number | null): boolean {
    if (this.#layer !== null || (this.#flights.size === 0 && this.#claims.size === 0)) return true
    const own = order ?? this.#newest
    const claims = this.#claims.get(node) ?? new Map<string, number>()
    if (Math.max(claims.get(slot) ?? 0, claims.get('*') ?? 0) > own) return false
    if (this.#hasEarlier(own)) this.#claims.set(node, claims.set(slot, own))
    return true
  }

  isClaimed(node: Node): boolean {
    return this.#claims.has(node)
  }

  /** After all started requests and before all future ones. */
  get #newest(): number {
    return this.#started + 0.5
  }

  #hasEarlier(order: number): boolean {
    const [earliest] = this.#flights
    return earliest !== undefined && earliest < order
  }
}

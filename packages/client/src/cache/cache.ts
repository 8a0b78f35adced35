// The normalized cache: nodes by type and id, and who watches them. What is told by one answer is seen by all who read it.
//
// 1. `tick` rises with every write; memos and stamps are compared by it (node.ts).
// 2. Changes are told when the outermost `transact` ends, once to each watcher, and only of nodes that it has read.
// 3. Optimistic layers lie upon what servers told, in the order in which they came. To take one away is to make those above
//    it anew, so that nothing of it is left in them.
// 4. A request has its order from its start. What was written by a later one is kept for as long as an earlier is on its way.

import type { Question } from '../document/operation.ts'
import type { Data, Selection } from '../document/selection.ts'
import { markFailures } from './failures.ts'
import type { Joins } from './join-lists.ts'
import { type Fields, gone, Node, type NodeWatcher } from './node.ts'
import { QueryWatcher } from './query-watcher.ts'
import { type ReadingMode, readRoot } from './read.ts'
import { type PossibleTypes, Types } from './types.ts'
import { writeRoot } from './write.ts'

export interface CacheOptions {
  /** The types of all interfaces and unions. Left out, they are learned from answers. */
  possibleTypes?: PossibleTypes
  /** What tells an object from others of its type: by default its `id`. Null: it is its owner's. */
  keyOf?: (type: string, data: Readonly<Data>) => string | null | undefined
  /** In which cached lists a new row stands, for each type. */
  joins?: Joins
  /** At most so many rows are kept, but for what is watched: 50,000. */
  limit?: number
}

export interface Told {
  errors?: readonly { path?: readonly (string | number)[] | undefined }[] | undefined
  /** When the request began; left out, it is the newest. */
  order?: number | undefined
  /** The object may be changed by who has it, so that nothing of it can be kept. */
  isBorrowed?: boolean
}

interface Layer {
  readonly make: () => void
  /** Null: deleted. */
  readonly patches: Map<Node, Fields | null>
}

/** So many nodes are no reason to look for garbage. */
const enough = 20_000

export class Cache {
  tick = 1
  readonly types: Types
  readonly #keyOf: CacheOptions['keyOf']
  /** All rows by type and id, and the fields of the root. */
  readonly nodes = new Map<string, Node>()
  readonly #typeNames = new Set<string>()
  /** What each question read last, by how it was read. */
  readonly #readings = new WeakMap<Question, { data: Data; checked: number }[]>()
  readonly #watchers = new WeakMap<Question, QueryWatcher[]>()
  #layers: Layer[] = []
  /** The layer that is being made. */
  #layer: Layer | null = null
  #depth = 0
  #roomy = enough
  /** Lets go of what nobody needs (`collect-garbage`). */
  collect: (() => Promise<unknown>) | null = null
  readonly #changed = new Map<Node, boolean>()
  #started = 0
  readonly #flights = new Set<number>()
  readonly #claims = new Map<Node, Map<string, number>>()

  constructor({ possibleTypes = {}, keyOf }: CacheOptions = {}) {
    this.types = new Types(possibleTypes)
    this.#keyOf = keyOf
  }

  /** What is the same as at the last reading is the same object. */
  read(question: Question, mode: ReadingMode = 0, seen: Set<Node> | null = null): Data | undefined {
    const { tick, types } = this
    const readings = this.#readings.get(question) ?? []
    const last = readings[mode]
    if (last?.checked === tick && seen === null) return last.data
    const { select, values } = question
    const data = readRoot(select, last?.data, (slot) => this.#root(slot), { values, types, tick, mode, seen })
    if (data === undefined) return undefined
    readings[mode] = { data, checked: tick }
    this.#readings.set(question, readings)
    return data
  }

  /** Tells who joins it of each change of what a question reads. */
  watcher(question: Question, mode: ReadingMode): QueryWatcher {
    const watchers = this.#watchers.get(question) ?? []
    this.#watchers.set(question, watchers)
    watchers[mode] ??= new QueryWatcher(this, question, mode)
    return watchers[mode]
  }

  write({ operation, select, values }: Question, data: Data, { errors, order, isBorrowed }: Told = {}): void {
    this.transact(() => {
      const isAlone = this.#claims.size === 0 && !this.#hasEarlier(order ?? this.#newest)
      const isCareful = errors !== undefined || isBorrowed === true || !isAlone
      const marked = errors === undefined ? data : markFailures(data, errors)
      const isQuery = operation.kind === 'query'
      const root = (slot: string) => (isQuery ? this.#root(slot) : null)
      const writing = { cache: this, values, order: order ?? null, isCareful }
      writeRoot(select, isQuery ? 'Query' : operation.kind, marked, root, writing)
      // What was remembered while writing is right about the answer, not about what layers and later answers make of it.
      this.tick++
    })
  }

  /** The fields of `Query` are nodes of their own, so that who watches one is not told of the others. */
  #root(slot: string): Node {
    return this.node(`Query.${slot}`, 'Query')
  }

  /** All that is written within is told at once. */
  transact<T>(write: () => T): T {
    this.#depth++
    this.tick++
    try {
      return write()
    } finally {
      if (--this.#depth === 0) {
        this.#tell()
        if (this.nodes.size > this.#roomy) this.#makeRoom()
      }
    }
  }

  /** Garbage is collected when there may be much of it. */
  #makeRoom(): void {
    this.#roomy = Number.POSITIVE_INFINITY
    setTimeout(async () => {
      await this.collect?.()
      this.#roomy = Math.max(enough, this.nodes.size * 2)
    }, 1000)
  }

  #tell(): void {
    const woken = new Map<NodeWatcher, boolean>()
    for (const [node, isRelinked] of this.#changed)
      for (const watcher of node.watchers) woken.set(watcher, isRelinked || woken.get(watcher) === true)
    this.#changed.clear()
    for (const [watcher, isRelinked] of woken) watcher.wake(isRelinked)
  }

  /** Writes that are seen at once, and gone when the function that is returned is called. */
  layer(make: () => void): () => void {
    const layer: Layer = { make, patches: new Map() }
    const takeAway = () => this.#takeAway(layer)
    try {
      this.#make(layer)
    } catch (error) {
      takeAway()
      throw error
    }
    return takeAway
  }

  #make(layer: Layer): void {
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

  #takeAway(layer: Layer): void {
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
      for (const other of above.slice(1)) this.#make(other)
    })
  }

  /** What is known of a node where is being written: in a layer with, else without the layers. */
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
      layer.patches.set(node, fields === gone ? null : patch)
    }
    if (layer !== null || node.view !== null) this.#refresh(node)
    this.#touch(node, isRelinked)
  }

  #refresh(node: Node): void {
    node.view = null
    for (const { patches } of this.#layers) {
      const patch = patches.get(node)
      if (patch !== undefined) node.view = patch === null ? gone : { ...node.now, ...patch }
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
    const given = id === null ? undefined : data[id]
    return typeof given === 'string' || typeof given === 'number' ? `${type}:${given}` : null
  }

  /** A row was deleted: it is null where it is referred to, and in no list. */
  remove(key: string): void {
    const node = this.nodes.get(key)
    if (node === undefined || node.isGone) return
    this.transact(() => {
      this.claim(node, '*', null)
      this.put(node, gone)
    })
  }

  /** Nothing is known of it any more. */
  evict(key: string): void {
    const node = this.nodes.get(key)
    if (node === undefined) return
    this.transact(() => {
      node.forget()
      this.#refresh(node)
      this.#touch(node)
    })
  }

  /** A request begins: what it is answered with has this order (4). */
  begin(): number {
    this.#flights.add(++this.#started)
    return this.#started
  }

  end(order: number): void {
    this.#flights.delete(order)
    if (this.#flights.size === 0) this.#claims.clear()
  }

  /** Whether a request of this order may write here, where a later one may have written. */
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

  /** After all that have begun, before all that will. */
  get #newest(): number {
    return this.#started + 0.5
  }

  #hasEarlier(order: number): boolean {
    const [earliest] = this.#flights
    return earliest !== undefined && earliest < order
  }
}

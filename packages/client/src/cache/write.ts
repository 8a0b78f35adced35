// Writes a response into nodes.
//
// 1. A row is one node in all responses. An object without an id belongs to its owner, and new data for the same field is
//    merged into it. So two queries with different selections do not overwrite each other. In a list this happens only where
//    no field contradicts, since an item may have become a different one.
// 2. The later request wins. The response to an earlier request only fills unknown fields (`writing.order`), and so does one
//    with a lower `_version`.
// 3. A null that an error explains is not written.

import type { Data, Field, Selection, Shape, Values } from '../document/selection.ts'
import { locate, pageOf, placePage, runsOf } from './connection.ts'
import { equal } from './equal.ts'
import { type Fields, failed, Node } from './node.ts'
import type { Types } from './types.ts'

/** The part of the cache that a write needs. */
interface NodeStore {
  readonly tick: number
  readonly types: Types
  node(key: string, type: string): Node
  keyOf(type: string, data: Data, select: Selection): string | null
  fieldsOf(node: Node): Fields
  put(node: Node, fields: Fields, isRelinked?: boolean): void
  claim(node: Node, slot: string, order: number | null): boolean
}

export interface Writing {
  readonly cache: NodeStore
  readonly values: Values
  /** The order of the request, or null for a write that is always the newest. */
  readonly order: number | null
  /** The response's objects can't be used as fields directly: some fields failed, or are older than the cached ones. */
  readonly isCareful: boolean
}

/** Writes the root fields, each of which is a separate node. `root` returns the node, or null where none is stored. */
export function writeRoot(
  select: Selection,
  type: string,
  data: Data,
  root: (slot: string) => Node | null,
  writing: Writing,
): void {
  const { cache, values } = writing
  for (const field of select.shape(type, cache.types, data).fields) {
    const value = data[field.key]
    if (value === undefined) continue
    const node = root(field.slot(values))
    const known = node === null ? undefined : cache.fieldsOf(node).value
    const isNewer = node === null || cache.claim(node, '', writing.order)
    const next =
      field.select === null || value === failed ? value : link(value, field, isNewer ? known : undefined, writing)
    if (node === null || (known !== undefined && known !== failed && (!isNewer || value === failed))) continue
    if (next !== known && !(field.select === null && equal(next, known))) cache.put(node, { value: next })
  }
}

function writeNode(node: Node, select: Selection, data: Data, writing: Writing): void {
  const shape = select.shape(node.type, writing.cache.types, data)
  if (node.isNew && !writing.isCareful) writeNewNode(node, shape, data, writing)
  else mergeIntoNode(node, shape, data, writing)
}

function writeNewNode(node: Node, shape: Shape, data: Data, writing: Writing): void {
  const { cache, values } = writing
  const fields: Record<string, unknown> | null = shape.isPlain ? null : {}
  let isWhole = true
  for (const field of shape.fields) {
    const value = data[field.key]
    if (value === undefined || field.isConnection) isWhole = false
    if (fields === null || value === undefined) continue
    const slot = field.slot(values)
    fields[slot] = field.select === null ? value : link(value, field, cache.fieldsOf(node)[slot], writing)
  }
  cache.put(node, node.isNew ? (fields ?? data) : { ...cache.fieldsOf(node), ...fields })
  if (isWhole) node.remember(shape, values, 0, data, cache.tick)
}

function mergeIntoNode(node: Node, shape: Shape, data: Data, writing: Writing): void {
  const { cache, values } = writing
  const before = cache.fieldsOf(node)
  const isOld = shape.version !== null && (before._version as number) > (data[shape.version] as number)
  let fields: Record<string, unknown> | null = null
  let isRelinked = false
  for (const field of shape.fields) {
    const value = data[field.key]
    if (value === undefined) continue
    const slot = field.slot(values)
    // The write of a nested object may have changed the same row.
    const known = cache.fieldsOf(node)[slot]
    const isNewer = cache.claim(node, slot, writing.order) && !isOld
    if (known !== undefined && known !== failed && (!isNewer || value === failed)) {
      // The link is older than the cached one, but the rows below may contain new data.
      if (field.select !== null && value !== failed) link(value, field, undefined, writing)
      continue
    }
    const next = field.select === null || value === failed ? value : link(value, field, known, writing)
    if (next === known || (field.select === null && equal(next, known))) continue
    fields ??= {}
    fields[slot] = next
    if (field.select !== null) isRelinked = true
  }
  if (fields !== null) cache.put(node, { ...cache.fieldsOf(node), ...fields }, isRelinked)
}

/** The node, or the list of nodes, of a value; returns `known` if nothing has changed. */
function link(value: unknown, field: Field, known: unknown, writing: Writing): unknown {
  if (value === null || value === failed) return value
  if (Array.isArray(value)) return linkList(value, field, Array.isArray(known) ? known : [], writing)
  const select = field.select!
  const data = value as Data
  const owned = known instanceof Node && known.key === null ? known : undefined
  if (!field.isConnection) return writeObject(data, select, owned, writing)
  const { values, cache } = writing
  const node = owned ?? new Node(null, typeOf(data))
  const shape = select.shape(node.type, cache.types, data)
  const runs = runsOf(node) ?? []
  const place = locate(runs, pageOf(field, values).after)
  const byCursor = new Map(runs.flatMap(({ edges }) => edges).map((edge) => [cache.fieldsOf(edge).cursor, edge]))
  let fields: Record<string, unknown> = { ...cache.fieldsOf(node) }
  let edges: Node[] = []
  let info: Fields = {}
  for (const part of shape.fields) {
    const partValue = data[part.key]
    if (partValue === undefined || partValue === failed) continue
    if (part.name === 'edges')
      edges = ((partValue as Data[] | null) ?? []).map((edge, n) => {
        const known = edge.cursor === undefined ? place?.run.edges[place.from + n] : byCursor.get(edge.cursor)
        const isSame = known !== undefined && isConsistent(known, part.select!, edge, writing)
        return writeObject(edge, part.select!, isSame ? known : undefined, writing)
      })
    else if (part.name === 'pageInfo')
      info = Object.fromEntries(
        part.select!.shape('PageInfo', cache.types).fields.map(({ name, key }) => [name, (partValue as Data)[key]]),
      )
    else
      fields[part.slot(values)] =
        part.select === null ? partValue : link(partValue, part, fields[part.slot(values)], writing)
  }
  fields = { ...fields, edges: placePage(runs, edges, info, field, values) }
  cache.put(node, fields)
  return node
}

function linkList(list: readonly unknown[], field: Field, known: readonly unknown[], writing: Writing): unknown[] {
  let isSame = list.length === known.length
  const links = list.map((item, n) => {
    const previous = known[n]
    let next: unknown
    if (item === null || item === failed) next = item
    else if (Array.isArray(item)) next = linkList(item, field, Array.isArray(previous) ? previous : [], writing)
    else {
      const owned =
        previous instanceof Node &&
        previous.key === null &&
        isConsistent(previous, field.select!, item as Data, writing)
      next = writeObject(item as Data, field.select!, owned ? previous : undefined, writing)
    }
    if (next !== previous) isSame = false
    return next
  })
  return isSame ? (known as unknown[]) : links
}

function writeObject(data: Data, select: Selection, owned: Node | undefined, writing: Writing): Node {
  const type = typeOf(data)
  const key = writing.cache.keyOf(type, data, select)
  const node = key === null ? (owned?.type === type ? owned : new Node(null, type)) : writing.cache.node(key, type)
  writeNode(node, select, data, writing)
  return node
}

const typeOf = (data: Data): string => (data.__typename as string | undefined) ?? ''

/** Whether no field of the data contradicts the cached fields of an object without an id. */
function isConsistent(node: Node, select: Selection, data: Data, writing: Writing): boolean {
  const { cache, values } = writing
  if (node.type !== typeOf(data)) return false
  const before = cache.fieldsOf(node)
  const same = (known: unknown, value: unknown, of: Selection | null): boolean => {
    if (known === undefined || known === value) return true
    if (of === null) return equal(known, value)
    if (Array.isArray(value))
      return Array.isArray(known) && known.length === value.length && value.every((item, n) => same(known[n], item, of))
    if (!(known instanceof Node) || typeof value !== 'object' || value === null) return false
    const key = cache.keyOf(typeOf(value as Data), value as Data, of)
    return key === known.key && (key !== null || isConsistent(known, of, value as Data, writing))
  }
  return select
    .shape(node.type, cache.types, data)
    .fields.every(
      (field) => data[field.key] === undefined || same(before[field.slot(values)], data[field.key], field.select),
    )
}

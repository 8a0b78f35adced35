// Writes an answer into the nodes that it tells of.
//
// 1. A row is one node, whoever tells of it. An object without an id belongs to its owner: what comes again for the same field
//    is merged into it, so that two queries with different selections do not take it away from each other. In a list that is
//    so only where nothing contradicts: the third of a list may have become another.
// 2. What was asked for later stands: an answer to an earlier request only fills what is not known (`writing.order`), and so
//    does one with a lower `_version`.
// 3. What came with an error is not written as the null that stands in its place.

import type { Data, Field, Selection, Shape, Values } from '../document/selection.ts'
import type { Cache } from './cache.ts'
import { locate, pageOf, placePage, runsOf } from './connection.ts'
import { equal } from './equal.ts'
import { type Fields, failed, Node } from './node.ts'

export interface Writing {
  readonly cache: Cache
  readonly values: Values
  /** When its request began, or null for what is always the newest. */
  readonly order: number | null
  /** Fields may not be taken over as they are: some failed, or are older than what is known. */
  readonly isCareful: boolean
}

/** Writes the fields at the root, each of which is a node of its own; `root` gives it, or null where none is kept. */
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
  if (node.isNew && !writing.isCareful) writeNew(node, shape, data, writing)
  else writeOver(node, shape, data, writing)
}

function writeNew(node: Node, shape: Shape, data: Data, writing: Writing): void {
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

function writeOver(node: Node, shape: Shape, data: Data, writing: Writing): void {
  const { cache, values } = writing
  const before = cache.fieldsOf(node)
  const isOld = shape.version !== null && (before._version as number) > (data[shape.version] as number)
  let fields: Record<string, unknown> | null = null
  let isRelinked = false
  for (const field of shape.fields) {
    const value = data[field.key]
    if (value === undefined) continue
    const slot = field.slot(values)
    // What is below may have told of the same row meanwhile.
    const known = cache.fieldsOf(node)[slot]
    const isNewer = cache.claim(node, slot, writing.order) && !isOld
    if (known !== undefined && known !== failed && (!isNewer || value === failed)) {
      // Older than what is known; but what it tells of others may be news.
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

/** The node, or the list of nodes, that a value tells of; `known` where it is the same as before. */
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
    const given = data[part.key]
    if (given === undefined || given === failed) continue
    if (part.name === 'edges')
      edges = ((given as Data[] | null) ?? []).map((edge, n) => {
        const known = edge.cursor === undefined ? place?.run.edges[place.from + n] : byCursor.get(edge.cursor)
        const isSame = known !== undefined && agrees(known, part.select!, edge, writing)
        return writeObject(edge, part.select!, isSame ? known : undefined, writing)
      })
    else if (part.name === 'pageInfo')
      info = Object.fromEntries(
        part.select!.shape('PageInfo', cache.types).fields.map(({ name, key }) => [name, (given as Data)[key]]),
      )
    else
      fields[part.slot(values)] = part.select === null ? given : link(given, part, fields[part.slot(values)], writing)
  }
  fields = { ...fields, edges: placePage(runs, edges, info, field, values) }
  cache.put(node, fields)
  return node
}

function linkList(list: readonly unknown[], field: Field, known: readonly unknown[], writing: Writing): unknown[] {
  let isSame = list.length === known.length
  const links = list.map((item, n) => {
    const former = known[n]
    let next: unknown
    if (item === null || item === failed) next = item
    else if (Array.isArray(item)) next = linkList(item, field, Array.isArray(former) ? former : [], writing)
    else {
      const owned =
        former instanceof Node && former.key === null && agrees(former, field.select!, item as Data, writing)
      next = writeObject(item as Data, field.select!, owned ? former : undefined, writing)
    }
    if (next !== former) isSame = false
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

/** Whether what is told is nowhere something else than what an object without id was known as. */
function agrees(node: Node, select: Selection, data: Data, writing: Writing): boolean {
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
    return key === known.key && (key !== null || agrees(known, of, value as Data, writing))
  }
  return select
    .shape(node.type, cache.types, data)
    .fields.every(
      (field) => data[field.key] === undefined || same(before[field.slot(values)], data[field.key], field.select),
    )
}

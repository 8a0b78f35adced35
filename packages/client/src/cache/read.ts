// Reads a selection completely or not at all: undefined means that something is missing.
//
// Unchanged parts are the same objects as in the previous read (node.ts, 2). So watchers detect changes by identity, and a
// read checks each node without a copy.

import type { Data, Field, Selection, TypeMatcher, Values } from '../document/selection.ts'
import { infoOf, locate, pageOf, runsOf } from './connection.ts'
import { type Fields, failed, Node } from './node.ts'

/** A bit set of the two flags below. The result depends on it, so each mode has its own memos. */
export type ReadingMode = number
/** Failed fields read as null, not as missing. */
export const lenient: ReadingMode = 1
/** Connections include all loaded pages, not only the requested one. */
export const allPages: ReadingMode = 2

export interface Reading {
  readonly values: Values
  readonly types: TypeMatcher
  readonly tick: number
  readonly mode: ReadingMode
  /** Collects all visited nodes, for a watcher. */
  readonly seen: Set<Node> | null
}

/** Reads the root fields of a query, each of which is a separate node; `before` is the previous result. */
export function readRoot(
  select: Selection,
  before: Data | undefined,
  root: (slot: string) => Node,
  reading: Reading,
): Data | undefined {
  const data: Data = {}
  let isSame = before !== undefined
  for (const field of select.shape('Query', reading.types).fields) {
    const node = root(field.slot(reading.values))
    reading.seen?.add(node)
    node.used = reading.tick
    const value = readSlot(node.now.value, field, before, reading)
    if (value === undefined) return undefined
    data[field.key] = value
    isSame &&= before![field.key] === value
  }
  return isSame ? before : data
}

/** `previous` is the previous result at this place. */
function readNode(node: Node, select: Selection, previous: unknown, reading: Reading): Data | undefined {
  const { values, seen, tick, mode } = reading
  seen?.add(node)
  const shape = select.shape(node.type, reading.types)
  const memo = node.memo(shape, values, mode)
  if (memo !== null && memo.checked === tick && seen === null) return memo.data
  const fields = node.now
  const isRight = memo !== null && node.stamp <= memo.checked
  const before = memo?.data ?? (previous as Data | null | undefined) ?? undefined
  let data: Data | undefined = isRight ? before : undefined
  for (const field of isRight ? shape.links : shape.fields) {
    const value = readSlot(fields[field.slot(values)], field, before, reading)
    if (value === undefined) return undefined
    if (isRight && before![field.key] === value) continue
    if (data === undefined) data = {}
    else if (data === before) data = { ...before }
    data[field.key] = value
  }
  const isSame = !isRight && before !== undefined && shape.fields.every(({ key }) => before[key] === data?.[key])
  const fresh = isSame ? before : (data ?? {})
  if (memo === null) node.remember(shape, values, mode, fresh, tick)
  else {
    memo.data = fresh
    memo.checked = tick
  }
  return fresh
}

function readSlot(slot: unknown, field: Field, before: Data | undefined, reading: Reading): unknown {
  if (slot === failed) return reading.mode & lenient ? null : undefined
  if (field.select === null || slot === null || slot === undefined) return slot
  if (Array.isArray(slot)) return readList(slot, field.select, before?.[field.key], reading)
  const node = slot as Node
  if (node.isGone) {
    reading.seen?.add(node)
    return null
  }
  if (field.isConnection) return readConnection(node, field, before?.[field.key] as Data | undefined, reading)
  return readNode(node, field.select, before?.[field.key], reading)
}

/** Returns the previous list if nothing in it has changed. */
function readList(list: readonly unknown[], select: Selection, before: unknown, reading: Reading) {
  const previous: readonly unknown[] | null = Array.isArray(before) ? before : null
  let fresh: unknown[] | null = previous === null ? [] : null
  let count = 0
  for (const item of list) {
    let value: unknown = item
    if (item === failed) value = reading.mode & lenient ? null : undefined
    else if (item instanceof Node) {
      if (item.isGone) {
        reading.seen?.add(item)
        continue
      }
      value = readNode(item, select, previous?.[count], reading)
    } else if (Array.isArray(item)) value = readList(item, select, previous?.[count], reading)
    if (value === undefined) return undefined
    if (fresh === null && (count >= previous!.length || previous![count] !== value)) fresh = previous!.slice(0, count)
    fresh?.push(value)
    count++
  }
  return fresh ?? (count === previous!.length ? previous : previous!.slice(0, count))
}

/** The part of a connection that the arguments select. */
function readConnection(node: Node, field: Field, before: Data | undefined, reading: Reading): Data | undefined {
  const { values, seen, mode } = reading
  seen?.add(node)
  const { first, after } = pageOf(field, values)
  const place = locate(runsOf(node) ?? [], after)
  if (place === null) return undefined
  const { run, from } = place
  const size = run.edges.length - from
  if (!(mode & allPages) && size < first && run.info.hasNextPage !== false && run.sizes.get(after) !== first)
    return undefined
  const to = mode & allPages ? run.edges.length : Math.min(run.edges.length, from + first)
  const data: Data = {}
  let isSame = before !== undefined
  for (const part of field.select!.shape(node.type, reading.types).fields) {
    const { key, name } = part
    const previous = before?.[key]
    let value: unknown
    if (name === 'edges')
      value = readList(run.edges.slice(from, to).filter(isThere, seen), part.select!, previous, reading)
    else if (name === 'pageInfo') value = readInfo(part, infoOf(run, from, to), previous as Data | undefined, reading)
    else value = readSlot(node.now[part.slot(values)], part, before, reading)
    if (value === undefined) return undefined
    data[key] = value
    isSame &&= previous === value
  }
  return isSame ? before : data
}

/** Filters out an edge whose row was deleted. Adds the row to `this`, since it may come back. */
function isThere(this: Set<Node> | null, edge: Node): boolean {
  const row = edge.now.node as Node | null | undefined
  if (!row?.isGone) return true
  this?.add(row)
  return false
}

function readInfo({ select }: Field, info: Fields, before: Data | undefined, reading: Reading): Data | undefined {
  const data: Data = {}
  let isSame = before !== undefined
  for (const { key, name } of select!.shape('PageInfo', reading.types).fields) {
    if (info[name] === undefined) return undefined
    data[key] = info[name]
    isSame &&= before![key] === info[name]
  }
  return isSame ? before : data
}

// Reads what a selection asks for, whole or not at all: undefined says that something is missing.
//
// What did not change is the same object as at the last reading (node.ts, 2): so who watches sees by identity what is new, and
// a reading costs a look at each node and no copy.

import type { Data, Field, Selection, TypeMatcher, Values } from '../document/selection.ts'
import { infoOf, locate, pageOf, runsOf } from './connection.ts'
import { type Fields, failed, Node } from './node.ts'

/** How is read, one or both of these bits or 0. What is read differs by it, and is remembered apart. */
export type ReadingMode = number
/** What failed is null, not missing. */
export const lenient: ReadingMode = 1
/** Connections with all the pages that were loaded, not the one that is asked for. */
export const whole: ReadingMode = 2

export interface Reading {
  readonly values: Values
  readonly types: TypeMatcher
  readonly tick: number
  readonly mode: ReadingMode
  /** All nodes that were looked at, for who wants to be told of their changes. */
  readonly seen: Set<Node> | null
}

/** What a query asks for at the root, each field of which is a node of its own; `before` is what was read last. */
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

/** `former` is what stood there when this was last read. */
function readNode(node: Node, select: Selection, former: unknown, reading: Reading): Data | undefined {
  const { values, seen, tick, mode } = reading
  seen?.add(node)
  const shape = select.shape(node.type, reading.types)
  const memo = node.memo(shape, values, mode)
  if (memo !== null && memo.checked === tick && seen === null) return memo.data
  const fields = node.now
  const isRight = memo !== null && node.stamp <= memo.checked
  const before = memo?.data ?? (former as Data | null | undefined) ?? undefined
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

/** The list that was read before, if it is the same still. */
function readList(list: readonly unknown[], select: Selection, before: unknown, reading: Reading) {
  const former: readonly unknown[] | null = Array.isArray(before) ? before : null
  let fresh: unknown[] | null = former === null ? [] : null
  let count = 0
  for (const item of list) {
    let value: unknown = item
    if (item === failed) value = reading.mode & lenient ? null : undefined
    else if (item instanceof Node) {
      if (item.isGone) {
        reading.seen?.add(item)
        continue
      }
      value = readNode(item, select, former?.[count], reading)
    } else if (Array.isArray(item)) value = readList(item, select, former?.[count], reading)
    if (value === undefined) return undefined
    if (fresh === null && (count >= former!.length || former![count] !== value)) fresh = former!.slice(0, count)
    fresh?.push(value)
    count++
  }
  return fresh ?? (count === former!.length ? former : former!.slice(0, count))
}

/** The part of a connection that the arguments ask for. */
function readConnection(node: Node, field: Field, before: Data | undefined, reading: Reading): Data | undefined {
  const { values, seen, mode } = reading
  seen?.add(node)
  const { first, after } = pageOf(field, values)
  const place = locate(runsOf(node) ?? [], after)
  if (place === null) return undefined
  const { run, from } = place
  const size = run.edges.length - from
  if (!(mode & whole) && size < first && run.info.hasNextPage !== false && run.asked.get(after) !== first)
    return undefined
  const to = mode & whole ? run.edges.length : Math.min(run.edges.length, from + first)
  const data: Data = {}
  let isSame = before !== undefined
  for (const asked of field.select!.shape(node.type, reading.types).fields) {
    const { key, name } = asked
    const former = before?.[key]
    let value: unknown
    if (name === 'edges')
      value = readList(run.edges.slice(from, to).filter(isThere, seen), asked.select!, former, reading)
    else if (name === 'pageInfo') value = readInfo(asked, infoOf(run, from, to), former as Data | undefined, reading)
    else value = readSlot(node.now[asked.slot(values)], asked, before, reading)
    if (value === undefined) return undefined
    data[key] = value
    isSame &&= former === value
  }
  return isSame ? before : data
}

/** An edge whose row was deleted is none; `this` is told of the row, since it may come back. */
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

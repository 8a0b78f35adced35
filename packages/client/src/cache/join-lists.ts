// New rows in lists. A mutation or an event tells of a row; in which of the lists that are cached it stands, and where, only
// the application knows: the filters and orders are the server's. So it says so for a type (`joins`).

import type { Question } from '../document/operation.ts'
import type { Data, Selection, Values } from '../document/selection.ts'
import type { Cache } from './cache.ts'
import type { Run } from './connection.ts'
import { Node } from './node.ts'

/** A list that is cached: an empty one, or one that has rows of the type. */
export interface CachedList {
  /** `posts`, or `postsConnection`. */
  readonly field: string
  /** Without `first` and `after`. */
  readonly args: Readonly<Record<string, unknown>>
  /** The type of the row whose field it is; null at the root. */
  readonly owner: string | null
}

/** Where in a list a new row of the type stands; nothing: it does not. */
export type Joins = Readonly<
  Record<string, (row: Readonly<Data>, list: CachedList) => 'start' | 'end' | null | undefined | false>
>

/** To be called before something is told, and what it gives after. */
export function joiner(cache: Cache, joins: Joins): (question: Question, data: Data) => () => void {
  return ({ operation, select, values }, data) => {
    const rows = rowsOf(cache, select, operation.kind, data, values)
    const fresh = rows.filter((key) => {
      const node = cache.nodes.get(key)
      // What is only hoped for is not known yet.
      return node === undefined || Object.keys(cache.fieldsOf(node)).length === 0
    })
    return () => {
      for (const key of fresh) joinLists(cache, cache.nodes.get(key)!, joins)
    }
  }
}

/** The rows that fields at the root tell of, or objects there without an id of their own (`postChanged { post { … } }`). */
function rowsOf(cache: Cache, select: Selection, type: string, data: Data, values: Values, depth = 2): string[] {
  return select.shape(type, cache.types, data).links.flatMap((field) =>
    [data[field.key]].flat().flatMap((value) => {
      if (typeof value !== 'object' || value === null) return []
      const told = value as Data
      const name = String(told.__typename)
      const key = cache.keyOf(name, told, field.select!)
      if (key !== null && cache.nodes.get(key)?.isGone !== true && !name.endsWith('Changed')) return key
      return depth > 1 ? rowsOf(cache, field.select!, name, told, values, depth - 1) : []
    }),
  )
}

function joinLists(cache: Cache, node: Node, joins: Joins): void {
  const place = joins[node.type]
  const fields = cache.fieldsOf(node)
  if (place === undefined) return
  // The root's lists, and those of the rows that it refers to.
  for (const owner of cache.nodes.values())
    if (owner.type === 'Query' || Object.values(fields).includes(owner))
      for (const [slot, list] of Object.entries(cache.fieldsOf(owner))) {
        const name = owner.type === 'Query' ? owner.key!.slice('Query.'.length) : slot
        const [, field = name, args = '{}'] = /^(\w+)\((.*)\)$/.exec(name) ?? []
        if (!mayHold(cache, list, node.type)) continue
        const where = place(fields, {
          field,
          args: JSON.parse(args),
          owner: owner.type === 'Query' ? null : owner.type,
        })
        if (where) join(cache, owner, slot, list, node, where)
      }
}

/** Whether it is a list, or a connection, and one of such rows as far as one can see. */
function mayHold(cache: Cache, list: unknown, type: string): list is unknown[] | Node {
  const runs = list instanceof Node ? cache.fieldsOf(list).edges : undefined
  const items = Array.isArray(runs)
    ? (runs as Run[]).flatMap(({ edges }) => edges.map((edge) => edge.now.node))
    : Array.isArray(list)
      ? list
      : null
  return items !== null && (items.length === 0 || items.some((item) => item instanceof Node && item.type === type))
}

function join(
  cache: Cache,
  owner: Node,
  slot: string,
  list: unknown[] | Node,
  row: Node,
  where: 'start' | 'end',
): void {
  const add = <T>(all: readonly T[], one: T): T[] => (where === 'start' ? [one, ...all] : [...all, one])
  if (Array.isArray(list)) {
    if (!list.includes(row)) cache.put(owner, { ...cache.fieldsOf(owner), [slot]: add(list, row) })
    return
  }
  const fields = cache.fieldsOf(list)
  const runs = fields.edges as readonly Run[]
  const run = runs.find((one) => (where === 'start' ? one.after === null : one.info.hasNextPage === false))
  const isThere = runs.some(({ edges }) => edges.some((edge) => edge.now.node === row))
  if (run === undefined || isThere) return
  const edge = new Node(null, run.edges[0]?.type ?? `${row.type}Edge`)
  // Its cursor is the server's to give; nobody asks behind this one, which is told for as long as it is the only one.
  cache.put(edge, { __typename: edge.type, node: row, cursor: `new ${row.key}` })
  const joined = { ...run, edges: add(run.edges, edge) }
  const totalCount = typeof fields.totalCount === 'number' ? { totalCount: fields.totalCount + 1 } : {}
  cache.put(list, { ...fields, ...totalCount, edges: runs.map((one) => (one === run ? joined : one)) })
}

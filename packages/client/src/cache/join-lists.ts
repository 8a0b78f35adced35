// Inserts new rows into cached lists. Filters and orders are the server's, so the cache can't know where a new row of a
// mutation or an event belongs. The application says so for each type (`joins`).

import type { BoundOperation } from '../document/operation.ts'
import type { Data, Selection, Values } from '../document/selection.ts'
import type { Cache, Joins } from './cache.ts'
import type { Run } from './connection.ts'
import { Node } from './node.ts'

/** Call the returned function before a write. It finds the new rows and returns a function that inserts them after the
 *  write. */
export function createJoiner(cache: Cache, joins: Joins): (bound: BoundOperation, data: Data) => () => void {
  return ({ operation, select, values }, data) => {
    const rows = rowsOf(cache, select, operation.kind, data, values)
    const fresh = rows.filter((key) => {
      const node = cache.nodes.get(key)
      // A row that exists only in an optimistic layer still counts as new.
      return node === undefined || Object.keys(cache.fieldsOf(node)).length === 0
    })
    return () => {
      for (const key of fresh) joinLists(cache, cache.nodes.get(key)!, joins)
    }
  }
}

/** The rows in root fields, or in objects there without an id (`postChanged { post { … } }`). */
function rowsOf(cache: Cache, select: Selection, type: string, data: Data, values: Values, depth = 2): string[] {
  return select.shape(type, cache.types, data).links.flatMap((field) =>
    [data[field.key]].flat().flatMap((value) => {
      if (typeof value !== 'object' || value === null) return []
      const object = value as Data
      const name = String(object.__typename)
      const key = cache.keyOf(name, object, field.select!)
      if (key !== null && cache.nodes.get(key)?.isGone !== true && !name.endsWith('Changed')) return key
      return depth > 1 ? rowsOf(cache, field.select!, name, object, values, depth - 1) : []
    }),
  )
}

function joinLists(cache: Cache, node: Node, joins: Joins): void {
  const place = joins[node.type]
  const fields = cache.fieldsOf(node)
  if (place === undefined) return
  // The lists of the root, and those of the rows that the new row refers to.
  for (const owner of cache.nodes.values())
    if (owner.type === 'Query' || Object.values(fields).includes(owner))
      for (const [slot, list] of Object.entries(cache.fieldsOf(owner))) {
        const name = owner.type === 'Query' ? owner.key!.slice('Query.'.length) : slot
        const [, field = name, args = '{}'] = /^(\w+)\((.*)\)$/.exec(name) ?? []
        if (!mayContain(cache, list, node.type)) continue
        const where = place(fields, {
          field,
          args: JSON.parse(args),
          owner: owner.type === 'Query' ? null : owner.type,
        })
        if (where) insertRow(cache, owner, slot, list, node, where)
      }
}

/** Whether the value is a list or a connection that may contain rows of the type. */
function mayContain(cache: Cache, list: unknown, type: string): list is unknown[] | Node {
  const runs = list instanceof Node ? cache.fieldsOf(list).edges : undefined
  const items = Array.isArray(runs)
    ? (runs as Run[]).flatMap(({ edges }) => edges.map((edge) => edge.now.node))
    : Array.isArray(list)
      ? list
      : null
  return items !== null && (items.length === 0 || items.some((item) => item instanceof Node && item.type === type))
}

function insertRow(
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
  // The server assigns cursors. No client pages after this placeholder; a reader sees it only until the next load.
  cache.put(edge, { __typename: edge.type, node: row, cursor: `new ${row.key}` })
  const joined = { ...run, edges: add(run.edges, edge) }
  const totalCount = typeof fields.totalCount === 'number' ? { totalCount: fields.totalCount + 1 } : {}
  cache.put(list, { ...fields, ...totalCount, edges: runs.map((one) => (one === run ? joined : one)) })
}

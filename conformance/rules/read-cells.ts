// The doors that read, for one viewer and one type: item, list, cursor pages, nested lists, filters, orders, counts, fields.

import type { Abstract, Field, Resource } from '../../packages/twain/src/model/index.ts'
import type { Where } from '../generate/oracle-values.ts'
import type { Asking } from '../harness/open-apis.ts'
import { holds } from './apply-filter.ts'
import { askGraphql, askRest, type Cell } from './cell.ts'
import { asksHidden, filtersOf } from './filters-to-try.ts'
import type { Judge } from './reference-rules.ts'
import type { Spot } from './rows-in-memory.ts'
import { graphqlRow, graphqlSelection, inOrder, type Keys, readable, restPart, restRow } from './visible-rows.ts'

export function readCells(judge: Judge, of: Resource): Cell[] {
  return [
    ...itemCells(judge, of),
    ...listCells(judge, of),
    ...fieldCells(judge, of),
    ...nestedCells(judge, of),
    ...orderCells(judge, of),
  ]
}

function itemCells(judge: Judge, of: Resource): Cell[] {
  const ids = [...judge.world.spots(of).map(({ row }) => row.id), 'nothing']
  return ids.flatMap((id) => {
    const spot = judge.world.find(of, id)
    const seen = spot !== undefined && judge.may('READ', spot) ? spot : undefined
    const query = `{ ${of.single}(id: "${id}") { ${graphqlSelection(of)} } }`
    return [
      {
        name: `GET /${of.path}/${id}`,
        ask: (asking: Asking) => askRest(asking, `/${of.path}/${id}`),
        expected: seen === undefined ? 404 : restRow(judge, seen),
      },
      { name: query, ask: (asking: Asking) => askGraphql(asking, query), expected: graphqlItem(judge, of, seen) },
    ]
  })
}

function graphqlItem(judge: Judge, of: Resource, spot: Spot | undefined): unknown {
  const errors: string[] = []
  const row = spot === undefined ? null : graphqlRow(judge, spot, of.single, errors)
  return { data: { [of.single]: row }, errors: errors.toSorted() }
}

function graphqlList(judge: Judge, of: Resource, spots: Spot[]): unknown {
  const errors: string[] = []
  const rows = spots.map((spot, at) => graphqlRow(judge, spot, `${of.list}.${at}`, errors))
  return { data: { [of.list]: rows }, errors: errors.toSorted() }
}

function listCells(judge: Judge, of: Resource): Cell[] {
  const rows = inOrder(judge, readable(judge, judge.world.spots(of)), [])
  const list = `{ ${of.list} { ${graphqlSelection(of)} } }`
  return [
    {
      name: `GET /${of.path}`,
      ask: (asking) => askRest(asking, `/${of.path}`),
      expected: rows.map((spot) => restRow(judge, spot)),
    },
    { name: list, ask: (asking) => askGraphql(asking, list), expected: graphqlList(judge, of, rows) },
    {
      name: `count of /${of.path}`,
      ask: async (asking) =>
        (await asking.rest('GET', `/${of.path}?limit=1`, undefined, { prefer: 'count=exact' })).headers[
          'x-total-count'
        ],
      expected: String(rows.length),
    },
    {
      name: `pages of /${of.path}`,
      ask: (asking) => walkRest(asking, `/${of.path}?first=2`),
      expected: pages(rows.map(({ row }) => row.id)),
    },
    {
      name: `pages of ${of.list}Connection`,
      ask: (asking) => walkGraphql(asking, of, ''),
      expected: { pages: pages(rows.map(({ row }) => row.id)), totalCount: rows.length },
    },
  ]
}

/** Walked to the end, two at a time: each page, and that the last one says so. */
function pages(ids: string[]): string[][] {
  const found: string[][] = []
  for (let at = 0; at === 0 || at < ids.length; at += 2) found.push(ids.slice(at, at + 2))
  return found
}

interface Connection {
  edges: { node: { id: string }; cursor: string }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
  totalCount: number
}

async function walkRest(asking: Asking, path: string): Promise<unknown> {
  const found: string[][] = []
  let after = ''
  for (;;) {
    const { status, body } = await asking.rest('GET', `${path}${after}`)
    if (status !== 200) return status
    const { edges, pageInfo } = body as Connection
    found.push(edges.map(({ node }) => node.id))
    if (!pageInfo.hasNextPage) return found
    after = `&after=${encodeURIComponent(pageInfo.endCursor!)}`
  }
}

async function walkGraphql(asking: Asking, of: Resource, args: string): Promise<unknown> {
  const found: string[][] = []
  let after = ''
  for (;;) {
    const query = `{ all: ${of.list}Connection(first: 2${args}${after}) {
      edges { node { id } } pageInfo { hasNextPage endCursor } totalCount } }`
    const { data, errors } = await asking.graphql(query)
    if (data === null || errors.length > 0) return errors.map(({ extensions }) => extensions?.code)
    const { edges, pageInfo, totalCount } = data.all as Connection
    found.push(edges.map(({ node }) => node.id))
    if (!pageInfo.hasNextPage) return { pages: found, totalCount }
    after = `, after: ${JSON.stringify(pageInfo.endCursor)}`
  }
}

/** What a viewer can never read can't be asked for by name; what they may read on some rows is absent from the others. */
function fieldCells(judge: Judge, of: Resource): Cell[] {
  const rows = inOrder(judge, readable(judge, judge.world.spots(of)), [])
  return [...of.fields.values()].flatMap((field) =>
    belowOf(field).map((below) => {
      const path = `/${of.path}?fields=id,${below === null ? field.name : `${field.name}.${below.name}`}`
      const hidden = !judge.couldField('READ', field) || (below !== null && !judge.couldField('READ', below))
      const asked = below === null ? [] : [below]
      return {
        name: `GET ${path}`,
        ask: (asking: Asking) => askRest(asking, path),
        expected: hidden ? 403 : rows.map((spot) => ({ id: spot.row.id, ...restPart(judge, spot, field, asked) })),
      }
    }),
  )
}

function belowOf(field: Field): (Field | null)[] {
  if (field.kind === 'stored') return [null]
  const self = field.kind === 'reference' ? [null] : []
  if (field.to.kind === 'abstract') return self
  return [...self, ...[...field.to.fields.values()].filter(({ kind }) => kind === 'stored')]
}

function nestedCells(judge: Judge, of: Resource): Cell[] {
  const lists = [...of.fields.values()].filter((field) => field.kind === 'many' || field.kind === 'links')
  return lists.flatMap((field) =>
    judge.world.spots(of).flatMap((spot): Cell[] => {
      if (field.to.kind === 'abstract') return []
      const { id } = spot.row
      const there = inOrder(judge, readable(judge, judge.world.follow(field, spot.row)), [])
      const kebab = field.name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      const query = `{ one: ${of.single}(id: "${id}") { all: ${field.name}Connection(first: 1) {
        edges { node { id } } pageInfo { hasNextPage } totalCount } } }`
      const connection = {
        edges: there.slice(0, 1).map(({ row }) => ({ node: { id: row.id } })),
        pageInfo: { hasNextPage: there.length > 1 },
        totalCount: there.length,
      }
      const shown = judge.shows(field, spot)
      const rest = judge.may('READ', spot) && shown ? 200 : 404
      const data = !judge.may('READ', spot) ? { one: null } : { one: { all: shown ? connection : null } }
      const errors = judge.may('READ', spot) && !shown ? ['FORBIDDEN one.all'] : []
      return [
        {
          name: `GET /${of.path}/${id}/${kebab}`,
          ask: (asking) => askRest(asking, `/${of.path}/${id}/${kebab}`),
          expected: rest === 200 ? there.map((each) => restRow(judge, each)) : rest,
        },
        { name: query, ask: (asking) => askGraphql(asking, query), expected: { data, errors } },
      ]
    }),
  )
}

/** Hidden fields are no fields: REST says 400, and so does GraphQL in its own words. */
export function filterCells(judge: Judge, of: Resource): Cell[] {
  const all = readable(judge, judge.world.spots(of))
  return filtersOf(judge.world, of).flatMap((where) => {
    const hidden = asksHidden(judge, of, where)
    const rows = hidden
      ? []
      : inOrder(
          judge,
          all.filter((spot) => holds(judge.world, spot, where, judge.eye)),
          [],
        )
    return [
      {
        name: `GET /${of.path}?where=${JSON.stringify(where)}`,
        ask: (asking: Asking) => askRest(asking, `/${of.path}?where=${encodeURIComponent(JSON.stringify(where))}`),
        expected: hidden ? 400 : rows.map((spot) => restRow(judge, spot)),
      },
      filterGraphql(of, where, rows, hidden),
    ]
  })
}

function filterGraphql(of: Resource, where: Where, rows: Spot[], hidden: boolean): Cell {
  const query = `query ($where: ${of.name}Where) { all: ${of.list}(where: $where) { id }
    some: ${of.list}Connection(where: $where, first: 1) { totalCount pageInfo { hasNextPage } } }`
  const ids = rows.map(({ row }) => ({ id: row.id }))
  const some = { totalCount: rows.length, pageInfo: { hasNextPage: rows.length > 1 } }
  return {
    name: `${of.list}(where: ${JSON.stringify(where)})`,
    ask: async (asking) => {
      const seen = await askGraphql(asking, query, { where })
      return hidden ? refusedWhole(seen) : seen
    },
    expected: hidden ? 'refused' : { data: { all: ids, some }, errors: [] },
  }
}

function refusedWhole(seen: unknown): unknown {
  return Array.isArray(seen) && seen.every((code) => unknownCodes.includes(String(code))) ? 'refused' : seen
}

const unknownCodes = ['VALIDATION_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'BAD_REQUEST']

function orderCells(judge: Judge, of: Resource): Cell[] {
  const all = readable(judge, judge.world.spots(of))
  const stored = [...of.fields.values()].filter((field) => field.kind === 'stored' && field.type.kind !== 'list')
  return stored.flatMap((field) =>
    (['ASC', 'DESC'] as const).flatMap((direction): Cell[] => {
      const keys: Keys = [{ name: field.name, direction }]
      const ids = inOrder(judge, all, keys).map(({ row }) => row.id)
      const hidden = !judge.couldField('READ', field)
      const path = `/${of.path}?sort=${direction === 'DESC' ? '-' : ''}${field.name}`
      return [
        {
          name: `GET ${path}`,
          ask: async (asking) => idsOf(await askRest(asking, `${path}&fields=id`)),
          expected: hidden ? 400 : ids,
        },
        {
          name: `pages of ${path}`,
          ask: (asking) => walkRest(asking, `${path}&first=2&fields=id`),
          expected: hidden ? 400 : pages(ids),
        },
        {
          name: `${of.list}Connection by ${field.name} ${direction}`,
          ask: async (asking) => {
            const seen = await walkGraphql(asking, of, `, orderBy: [{ ${field.name}: ${direction} }]`)
            return hidden ? refusedWhole(seen) : seen
          },
          expected: hidden ? 'refused' : { pages: pages(ids), totalCount: ids.length },
        },
      ]
    }),
  )
}

function idsOf(answer: unknown): unknown {
  return Array.isArray(answer) ? answer.map(({ id }: { id: string }) => id) : answer
}

/** A collection over several types. */
export function abstractCells(judge: Judge, of: Abstract): Cell[] {
  const ids = inOrder(judge, readable(judge, judge.world.spots(of)), []).map(({ row }) => row.id)
  const members = of.members.map((member) => `... on ${member.name} { id }`).join(' ')
  const query = `{ all: ${of.list} { ${members} } some: ${of.list}Connection(first: 1) { totalCount } }`
  return [
    { name: `GET /${of.path}`, ask: async (asking) => idsOf(await askRest(asking, `/${of.path}`)), expected: ids },
    {
      name: query,
      ask: (asking) => askGraphql(asking, query),
      expected: { data: { all: ids.map((id) => ({ id })), some: { totalCount: ids.length } }, errors: [] },
    },
  ]
}

// Cells that read, for one viewer and one type: item, list, cursor pages, nested lists, filters, orders, counts, fields.

import { type Abstract, type Field, isSortable, type Resource } from '../../../packages/twain/src/model/index.ts'
import type { Where } from '../../generate/oracle-values.ts'
import type { ApiClient } from '../../harness/open-apis.ts'
import { holds } from '../apply-filter.ts'
import { asksHidden, filtersOf } from '../filters-to-try.ts'
import type { ReferenceRules } from '../reference-rules.ts'
import type { PlacedRow } from '../rows-in-memory.ts'
import { graphqlRow, graphqlSelection, inOrder, type Keys, readable, restPart, restRow } from '../visible-rows.ts'
import { askGraphql, askRest, type Cell, refusedWhole } from './cell.ts'

export function readCells(reference: ReferenceRules, of: Resource): Cell[] {
  return [
    ...itemCells(reference, of),
    ...listCells(reference, of),
    ...fieldCells(reference, of),
    ...starCells(reference, of),
    ...nestedCells(reference, of),
    ...orderCells(reference, of),
  ]
}

function itemCells(reference: ReferenceRules, of: Resource): Cell[] {
  const ids = [...reference.world.spots(of).map(({ row }) => row.id), 'nothing']
  return ids.flatMap((id) => {
    const spot = reference.world.find(of, id)
    const seen = spot !== undefined && reference.may('READ', spot) ? spot : undefined
    const query = `{ ${of.single}(id: "${id}") { ${graphqlSelection(of)} } }`
    return [
      {
        name: `GET /${of.path}/${id}`,
        ask: (client: ApiClient) => askRest(client, `/${of.path}/${id}`),
        expected: seen === undefined ? 404 : restRow(reference, seen),
      },
      {
        name: query,
        ask: (client: ApiClient) => askGraphql(client, query),
        expected: graphqlItem(reference, of, seen),
      },
    ]
  })
}

function graphqlItem(reference: ReferenceRules, of: Resource, spot: PlacedRow | undefined): unknown {
  const errors: string[] = []
  const row = spot === undefined ? null : graphqlRow(reference, spot, of.single, errors)
  return { data: { [of.single]: row }, errors: errors.toSorted() }
}

function graphqlList(reference: ReferenceRules, of: Resource, spots: PlacedRow[]): unknown {
  const errors: string[] = []
  const rows = spots.map((spot, at) => graphqlRow(reference, spot, `${of.list}.${at}`, errors))
  return { data: { [of.list]: rows }, errors: errors.toSorted() }
}

function listCells(reference: ReferenceRules, of: Resource): Cell[] {
  const rows = inOrder(reference, readable(reference, reference.world.spots(of)), [])
  const list = `{ ${of.list} { ${graphqlSelection(of)} } }`
  return [
    {
      name: `GET /${of.path}`,
      ask: (client) => askRest(client, `/${of.path}`),
      expected: rows.map((spot) => restRow(reference, spot)),
    },
    { name: list, ask: (client) => askGraphql(client, list), expected: graphqlList(reference, of, rows) },
    {
      name: `count of /${of.path}`,
      ask: async (client) =>
        (await client.rest('GET', `/${of.path}?limit=1`, undefined, { prefer: 'count=exact' })).headers[
          'x-total-count'
        ],
      expected: String(rows.length),
    },
    {
      name: `pages of /${of.path}`,
      ask: (client) => walkRest(client, `/${of.path}?first=2`),
      expected: pages(rows.map(({ row }) => row.id)),
    },
    {
      name: `pages of ${of.list}Connection`,
      ask: (client) => walkGraphql(client, of, ''),
      expected: { pages: pages(rows.map(({ row }) => row.id)), totalCount: rows.length },
    },
  ]
}

/** Reads pages of two to the end, and checks that the last one says so. */
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

async function walkRest(client: ApiClient, path: string): Promise<unknown> {
  const found: string[][] = []
  let after = ''
  for (;;) {
    const { status, body } = await client.rest('GET', `${path}${after}`)
    if (status !== 200) return status
    const { edges, pageInfo } = body as Connection
    found.push(edges.map(({ node }) => node.id))
    if (!pageInfo.hasNextPage) return found
    after = `&after=${encodeURIComponent(pageInfo.endCursor!)}`
  }
}

async function walkGraphql(client: ApiClient, of: Resource, args: string): Promise<unknown> {
  const found: string[][] = []
  let after = ''
  for (;;) {
    const query = `{ all: ${of.list}Connection(first: 2${args}${after}) {
      edges { node { id } } pageInfo { hasNextPage endCursor } totalCount } }`
    const { data, errors } = await client.graphql(query)
    if (data === null || errors.length > 0) return errors.map(({ extensions }) => extensions?.code)
    const { edges, pageInfo, totalCount } = data.all as Connection
    found.push(edges.map(({ node }) => node.id))
    if (!pageInfo.hasNextPage) return { pages: found, totalCount }
    after = `, after: ${JSON.stringify(pageInfo.endCursor)}`
  }
}

/** A field that a viewer can never read cannot be selected; one that they may read on some rows is absent from the others. */
function fieldCells(reference: ReferenceRules, of: Resource): Cell[] {
  const rows = inOrder(reference, readable(reference, reference.world.spots(of)), [])
  return [...of.fields.values()].flatMap((field) =>
    belowOf(field).map((below) => {
      const path = `/${of.path}?fields=id,${below === null ? field.name : pathBelow(field, below)}`
      const hidden = !reference.couldField('READ', field) || (below !== null && !reference.couldField('READ', below))
      const sent = below === null ? [] : [below]
      return {
        name: `GET ${path}`,
        ask: (client: ApiClient) => askRest(client, path),
        expected: hidden ? 403 : rows.map((spot) => ({ id: spot.row.id, ...restPart(reference, spot, field, sent) })),
      }
    }),
  )
}

/** `fields=*`, and `*` behind each reference: as the default response, of both rows. What the viewer may not read is left out. */
function starCells(reference: ReferenceRules, of: Resource): Cell[] {
  const rows = inOrder(reference, readable(reference, reference.world.spots(of)), [])
  const references = [...of.fields.values()].filter(({ kind }) => kind === 'reference')
  return [null, ...references].flatMap((field): Cell[] => {
    if (field !== null && (field.kind !== 'reference' || field.to.kind === 'abstract')) return []
    const path = `/${of.path}?fields=*${field === null ? '' : `,${field.name}.*`}`
    const isHidden = field !== null && !reference.couldField('READ', field)
    const expected = rows.map((spot) => {
      const row = restRow(reference, spot)
      if (field === null || !reference.shows(field, spot)) return row
      const [there] = readable(reference, reference.world.follow(field, spot.row))
      return { ...row, [field.name]: there === undefined ? null : restRow(reference, there) }
    })
    return [{ name: `GET ${path}`, ask: (client) => askRest(client, path), expected: isHidden ? 403 : expected }]
  })
}

function belowOf(field: Field): (Field | null)[] {
  if (field.kind === 'stored') return [null]
  const self = field.kind === 'reference' ? [null] : []
  const types = field.to.kind === 'abstract' ? field.to.members : [field.to]
  return [...self, ...types.flatMap((type) => [...type.fields.values()].filter(({ kind }) => kind === 'stored'))]
}

/** A field of one of several types needs its type. */
function pathBelow(field: Field, below: Field): string {
  const type = field.kind !== 'stored' && field.to.kind === 'abstract' ? `:${below.owner.name}` : ''
  return `${field.name}${type}.${below.name}`
}

function nestedCells(reference: ReferenceRules, of: Resource): Cell[] {
  const lists = [...of.fields.values()].filter((field) => field.kind === 'many' || field.kind === 'links')
  return lists.flatMap((field) =>
    reference.world.spots(of).flatMap((spot): Cell[] => {
      if (field.to.kind === 'abstract') return []
      const { id } = spot.row
      const there = inOrder(reference, readable(reference, reference.world.follow(field, spot.row)), [])
      const kebab = field.name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      const query = `{ one: ${of.single}(id: "${id}") { all: ${field.name}Connection(first: 1) {
        edges { node { id } } pageInfo { hasNextPage } totalCount } } }`
      const connection = {
        edges: there.slice(0, 1).map(({ row }) => ({ node: { id: row.id } })),
        pageInfo: { hasNextPage: there.length > 1 },
        totalCount: there.length,
      }
      const shown = reference.shows(field, spot)
      const rest = reference.may('READ', spot) && shown ? 200 : 404
      const data = !reference.may('READ', spot) ? { one: null } : { one: { all: shown ? connection : null } }
      const errors = reference.may('READ', spot) && !shown ? ['FORBIDDEN one.all'] : []
      return [
        {
          name: `GET /${of.path}/${id}/${kebab}`,
          ask: (client) => askRest(client, `/${of.path}/${id}/${kebab}`),
          expected: rest === 200 ? there.map((each) => restRow(reference, each)) : rest,
        },
        { name: query, ask: (client) => askGraphql(client, query), expected: { data, errors } },
      ]
    }),
  )
}

/** Hidden fields are unknown fields: a 400 in REST, and a validation error in GraphQL. */
export function filterCells(reference: ReferenceRules, of: Resource): Cell[] {
  const all = readable(reference, reference.world.spots(of))
  return filtersOf(reference.world, of).flatMap((where) => {
    const hidden = asksHidden(reference, of, where)
    const rows = hidden
      ? []
      : inOrder(
          reference,
          all.filter((spot) => holds(reference.world, spot, where, reference.filterViewer)),
          [],
        )
    return [
      {
        name: `GET /${of.path}?where=${JSON.stringify(where)}`,
        ask: (client: ApiClient) => askRest(client, `/${of.path}?where=${encodeURIComponent(JSON.stringify(where))}`),
        expected: hidden ? 400 : rows.map((spot) => restRow(reference, spot)),
      },
      filterGraphql(of, where, rows, hidden),
    ]
  })
}

function filterGraphql(of: Resource, where: Where, rows: PlacedRow[], hidden: boolean): Cell {
  const query = `query ($where: ${of.name}Where) { all: ${of.list}(where: $where) { id }
    some: ${of.list}Connection(where: $where, first: 1) { totalCount pageInfo { hasNextPage } } }`
  const ids = rows.map(({ row }) => ({ id: row.id }))
  const some = { totalCount: rows.length, pageInfo: { hasNextPage: rows.length > 1 } }
  return {
    name: `${of.list}(where: ${JSON.stringify(where)})`,
    ask: async (client) => {
      const seen = await askGraphql(client, query, { where })
      return hidden ? refusedWhole(seen) : seen
    },
    expected: hidden ? 'refused' : { data: { all: ids, some }, errors: [] },
  }
}

function orderCells(reference: ReferenceRules, of: Resource): Cell[] {
  const all = readable(reference, reference.world.spots(of))
  return sortPaths(reference, of).flatMap(({ path, hidden }, index) =>
    directionsOf(path, index).flatMap((direction): Cell[] => {
      const keys: Keys = [{ name: path, direction }]
      const ids = inOrder(reference, all, keys).map(({ row }) => row.id)
      const url = `/${of.path}?sort=${direction === 'DESC' ? '-' : ''}${path}`
      return [
        {
          name: `GET ${url}`,
          ask: async (client) => idsOf(await askRest(client, `${url}&fields=id`)),
          expected: hidden ? 400 : ids,
        },
        {
          name: `pages of ${url}`,
          ask: (client) => walkRest(client, `${url}&first=2&fields=id`),
          expected: hidden ? 400 : pages(ids),
        },
        {
          name: `${of.list}Connection by ${path} ${direction}`,
          ask: async (client) => {
            const seen = await walkGraphql(client, of, `, orderBy: [${orderText(path, direction)}]`)
            return hidden ? refusedWhole(seen) : seen
          },
          expected: hidden ? 'refused' : { pages: pages(ids), totalCount: ids.length },
        },
      ]
    }),
  )
}

/** Fields, fields of the rows that they refer to, and numbers of rows; `hidden`: never readable, so the path is unknown. */
function sortPaths(reference: ReferenceRules, of: Resource): { path: string; hidden: boolean }[] {
  return [...of.fields.values()].flatMap((field) => {
    const hidden = isHidden(reference, of, field)
    if (field.kind === 'stored') return isOrdered(field) ? [{ path: field.name, hidden }] : []
    if (field.kind === 'many' || field.kind === 'links') return [{ path: `${field.name}._count`, hidden }]
    const inner = [...field.to.fields.values()].filter(isOrdered)
    return inner.map((one) => ({
      path: `${field.name}.${one.name}`,
      hidden: hidden || isHidden(reference, field.to, one),
    }))
  })
}

/** Both; of the many paths every second one is descending. */
function directionsOf(path: string, index: number): ('ASC' | 'DESC')[] {
  if (!path.includes('.')) return ['ASC', 'DESC']
  return index % 2 === 0 ? ['ASC'] : ['DESC']
}

function isOrdered(field: Field): boolean {
  return isSortable(field)
}

function isHidden(reference: ReferenceRules, of: Resource | Abstract, field: Field): boolean {
  const types = of.kind === 'resource' ? [of] : of.members
  return types.every((type) => !reference.couldField('READ', type.fields.get(field.name)!))
}

/** `author.name` is `{ author: { name: ASC } }`. */
function orderText(path: string, direction: string): string {
  const names = path.split('.').map((name) => (name === '_count' ? 'count' : name))
  return names.reduceRight((inner, name) => `{ ${name}: ${inner} }`, direction)
}

function idsOf(answer: unknown): unknown {
  return Array.isArray(answer) ? answer.map(({ id }: { id: string }) => id) : answer
}

/** A collection of an interface or union. */
export function abstractCells(reference: ReferenceRules, of: Abstract): Cell[] {
  const ids = inOrder(reference, readable(reference, reference.world.spots(of)), []).map(({ row }) => row.id)
  const members = of.members.map((member) => `... on ${member.name} { id }`).join(' ')
  const query = `{ all: ${of.list} { ${members} } some: ${of.list}Connection(first: 1) { totalCount } }`
  return [
    { name: `GET /${of.path}`, ask: async (client) => idsOf(await askRest(client, `/${of.path}`)), expected: ids },
    {
      name: query,
      ask: (client) => askGraphql(client, query),
      expected: { data: { all: ids.map((id) => ({ id })), some: { totalCount: ids.length } }, errors: [] },
    },
  ]
}

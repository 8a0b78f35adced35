// Sends a random query through both APIs and compares the answers with the oracle: offset pages, cursor pages, nested lists.

import assert from 'node:assert/strict'
import { type ApiClient, graphqlData, restBody } from '../harness/open-apis.ts'
import type { Draw } from './draw.ts'
import { type Oracle, type Order, orderPath, type Row, type TypeSketch, type Where } from './oracle.ts'
import { plainRow, selection } from './oracle-selection.ts'
import { drawOrder, drawSearch, drawWhere } from './random-filters.ts'
import { represented } from './random-rows.ts'
import { compareRandomTypes } from './random-types.ts'

export async function compareRandomQuery(draw: Draw, apis: ApiClient, oracle: Oracle): Promise<void> {
  const type = draw.one(oracle.collections)
  const where = draw.between(0, 4) === 0 ? null : drawWhere(draw, oracle, type)
  const orderBy = drawOrder(draw, oracle, type)
  const search = drawSearch(draw, oracle, type)
  const sent: ListArguments = { where, orderBy, search }
  const output = `${type.list} ${JSON.stringify(sent)}`
  const kind = draw.one(['offset', 'offset', 'walk', 'nested', 'types'])
  if (kind === 'offset') await offsetPage(draw, apis, oracle, type, sent, output)
  if (kind === 'walk') await walk(draw, apis, oracle, type, sent, output)
  if (kind === 'nested') await nested(draw, apis, oracle, type)
  if (kind === 'types') await compareRandomTypes(draw, apis, oracle)
}

interface ListArguments {
  where: Where | null
  orderBy: Order[]
  /** Null where the type has no searched field. */
  search: string | null
}

/** Only where the list has this argument. */
const variableOf = (search: string | null) => (search === null ? '' : ', $search: String')
const argumentOf = (search: string | null) => (search === null ? '' : ', search: $search')

async function offsetPage(
  draw: Draw,
  apis: ApiClient,
  oracle: Oracle,
  type: TypeSketch,
  sent: ListArguments,
  output: string,
): Promise<void> {
  const [offset, limit] = [draw.between(0, 4), draw.between(0, 12)]
  const { where, orderBy, search } = sent
  const all = oracle.find(type.name, where, orderBy, search)
  const expected = all.slice(offset, offset + limit).map((row) => represented(oracle, type, row))

  const query = `query ($where: ${type.name}Where, $orderBy: [${type.name}Order!], $offset: Int!, $limit: Int!${variableOf(search)}) {
    rows: ${type.list}(where: $where, orderBy: $orderBy${argumentOf(search)}, offset: $offset, limit: $limit) { ${selection(oracle, type)} } }`
  const data = await graphqlData(apis, query, { ...sent, offset, limit })
  assert.deepEqual(
    (data.rows as unknown[]).map((row) => plainRow(oracle, type, row)),
    expected,
    `GraphQL: ${output}, ${offset}+${limit}`,
  )

  // The default representation of an interface is that of each member: the query selects the shared fields.
  const fields = type === oracle.sketch.common ? ['id', ...type.fields.map(({ name }) => name)].join(',') : null
  const path = `/${type.list}?${parameters(sent, { offset, limit, fields })}`
  const answer = await apis.rest('GET', path, undefined, { prefer: 'count=exact' })
  assert.deepEqual(answer.body, expected, `REST: ${output}, ${offset}+${limit}`)
  assert.equal(answer.headers['x-total-count'], String(all.length), `REST count: ${output}`)
  const next = String(answer.headers.link ?? '').includes('rel="next"')
  if (limit > 0) assert.equal(next, offset + limit < all.length, `REST next: ${output}`)
}

/** Reads each page through a random API: a cursor of one API is valid for the other. */
async function walk(
  draw: Draw,
  apis: ApiClient,
  oracle: Oracle,
  type: TypeSketch,
  sent: ListArguments,
  output: string,
): Promise<void> {
  const first = draw.between(1, 4)
  const { where, orderBy, search } = sent
  const all = oracle.find(type.name, where, orderBy, search)
  const query = `query ($where: ${type.name}Where, $orderBy: [${type.name}Order!], $first: Int!, $after: String${variableOf(search)}) {
    page: ${type.list}Connection(where: $where, orderBy: $orderBy${argumentOf(search)}, first: $first, after: $after) {
      totalCount edges { cursor node { id } } pageInfo { hasNextPage endCursor } } }`
  const seen: string[] = []
  let after: string | null = null
  for (;;) {
    const page: Connection = draw.flip()
      ? ((await graphqlData(apis, query, { ...sent, first, after })).page as Connection)
      : ((await restBody(apis, 'GET', `/${type.list}?${parameters(sent, { first, after })}`)) as Connection)
    if (page.totalCount !== undefined) assert.equal(page.totalCount, all.length, `totalCount: ${output}`)
    seen.push(...page.edges.map(({ node }) => node.id))
    assert.equal(page.pageInfo.endCursor, page.edges.at(-1)?.cursor ?? null)
    assert.equal(page.pageInfo.hasNextPage, seen.length < all.length, `hasNextPage after ${seen.length}: ${output}`)
    if (!page.pageInfo.hasNextPage) break
    after = page.pageInfo.endCursor
  }
  assert.deepEqual(
    seen,
    all.map(({ id }) => id),
    `walking by ${first}: ${output}`,
  )
}

interface Connection {
  totalCount?: number
  edges: { cursor: string; node: { id: string } }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

/** A nested list of each row, with its own arguments; and the same list by its own REST path. */
async function nested(draw: Draw, apis: ApiClient, oracle: Oracle, type: TypeSketch): Promise<void> {
  const lists = type.fields.filter((field) => field.kind === 'many' || field.kind === 'links')
  if (lists.length === 0) return
  const field = draw.one(lists)
  const target = oracle.type(field.to)
  const [where, orderBy] = [drawWhere(draw, oracle, target, 2), drawOrder(draw, oracle, target)]
  const search = drawSearch(draw, oracle, target)
  const sent: ListArguments = { where, orderBy, search }
  const limit = draw.between(1, 4)
  const output = `${type.list}.${field.name} ${JSON.stringify(sent)}`
  const below = (row: Row) => oracle.below(type.name, row, field.name, where, orderBy, search).map(({ id }) => id)

  const query = `query ($where: ${target.name}Where, $orderBy: [${target.name}Order!], $limit: Int!${variableOf(search)}) {
    rows: ${type.list}(limit: 50) { id
      list: ${field.name}(where: $where, orderBy: $orderBy${argumentOf(search)}, limit: $limit) { id }
      page: ${field.name}Connection(where: $where, orderBy: $orderBy${argumentOf(search)}, first: $limit) { totalCount edges { node { id } } pageInfo { hasNextPage } } } }`
  const { rows } = (await graphqlData(apis, query, { ...sent, limit })) as { rows: NestedRow[] }
  const expected = oracle.find(type.name, null, []).map((row) => ({
    id: row.id,
    list: below(row).slice(0, limit),
    count: below(row).length,
    more: below(row).length > limit,
  }))
  const got = rows.map(({ id, list, page }) => {
    assert.deepEqual(
      page.edges.map(({ node }) => node),
      list,
      `list and connection agree: ${output}`,
    )
    return { id, list: list.map((row) => row.id), count: page.totalCount, more: page.pageInfo.hasNextPage }
  })
  assert.deepEqual(got, expected, `GraphQL nested: ${output}`)

  const row = oracle.rows(type.name)[0]
  if (row === undefined) return
  const path = `/${type.list}/${row.id}/${kebab(field.name)}?${parameters(sent, { limit })}`
  const ids = ((await restBody(apis, 'GET', path)) as Row[]).map(({ id }) => id)
  assert.deepEqual(ids, below(row).slice(0, limit), `REST nested: ${output}`)
}

interface NestedRow {
  id: string
  list: { id: string }[]
  page: { totalCount: number; edges: { node: { id: string } }[]; pageInfo: { hasNextPage: boolean } }
}

function parameters({ where, orderBy, search }: ListArguments, others: Record<string, unknown>): string {
  const output = new URLSearchParams()
  if (where !== null) output.set('where', JSON.stringify(where))
  if (search !== null) output.set('search', search)
  if (orderBy.length > 0) output.set('sort', orderBy.map(sortKey).join(','))
  for (const [name, value] of Object.entries(others)) if (value !== null) output.set(name, String(value))
  return output.toString()
}

/** `{author: {posts: {count: 'DESC'}}}` is `-author.posts._count`. */
function sortKey(order: Order): string {
  const { path, direction } = orderPath(order)
  const last = path.length > 1 && path.at(-1) === 'count' ? '_count' : path.at(-1)
  return `${direction === 'DESC' ? '-' : ''}${[...path.slice(0, -1), last].join('.')}`
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

// Reads the same lists through both APIs and compares them: linked rows, pages, filters, nested lists.

import assert from 'node:assert/strict'
import type { Abstract, Resource, StoredField } from '../../packages/twain/src/model/index.ts'
import { operatorsOf } from '../../packages/twain/src/model/index.ts'
import { idsOf } from '../generate/graphql-selection.ts'
import type { Input } from '../generate/input-for-model.ts'
import { graphqlData, restBody, type TestApis } from '../harness/open-apis.ts'
import { idsIn, type Row } from './round-trips.ts'

export async function expectLinks(apis: TestApis, resource: Resource, id: string, input: Input): Promise<void> {
  for (const field of resource.fields.values()) {
    if (field.kind !== 'links') continue
    const expected = (input[field.name] as string[]).toSorted()
    const data = await graphqlData(
      apis,
      `{ row: ${resource.single}(id: "${id}") { list: ${field.name} { ${idsOf(field.to)} } } }`,
    )
    const got = (data.row as { list: Row[] }).list.map((row) => row.id)
    assert.deepEqual(got.toSorted(), expected, `${resource.name}.${field.name}`)
    const rest = (await restBody(apis, 'GET', `/${resource.path}/${id}/${kebab(field.name)}`)) as Row[]
    assert.deepEqual(
      rest.map((row) => row.id),
      got,
      `${resource.name}.${field.name} by REST`,
    )
  }
}

export async function expectWalks(
  apis: TestApis,
  target: Resource | Abstract,
  made: Map<Resource, Row[]>,
): Promise<void> {
  const fields = target.kind === 'resource' || target.form === 'interface' ? 'id' : idsOf(target)
  const seen = {
    offset: [] as string[],
    cursor: [] as string[],
    restOffset: [] as string[],
    restCursor: [] as string[],
  }
  for (let offset = 0; ; offset += 4) {
    const data = await graphqlData(apis, `{ rows: ${target.list}(offset: ${offset}, limit: 4) { ${fields} } }`)
    const page = data.rows as Row[]
    seen.offset.push(...page.map(({ id }) => id))
    const rest = await apis.rest('GET', `/${target.path}?offset=${offset}&limit=4`)
    seen.restOffset.push(...(rest.body as Row[]).map(({ id }) => id))
    if (page.length < 4) break
  }
  for (let after: string | null = null; ; ) {
    const query = `query ($after: String) { page: ${target.list}Connection(first: 4, after: $after) { edges { node { ${fields} } } pageInfo { hasNextPage endCursor } } }`
    const page = (await graphqlData(apis, query, { after })).page as Connection
    seen.cursor.push(...page.edges.map(({ node }) => node.id))
    const rest = (await restBody(
      apis,
      'GET',
      `/${target.path}?first=4${after === null ? '' : `&after=${encodeURIComponent(after)}`}`,
    )) as Connection
    seen.restCursor.push(...rest.edges.map(({ node }) => node.id))
    after = page.pageInfo.endCursor
    if (!page.pageInfo.hasNextPage) break
  }
  assert.deepEqual(seen.offset.toSorted(), idsIn(made, target).toSorted(), `${target.list}: each row once`)
  for (const way of ['cursor', 'restOffset', 'restCursor'] as const)
    assert.deepEqual(seen[way], seen.offset, `${target.list} by ${way}`)
}

interface Connection {
  edges: { node: Row }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

export async function expectSameFiltered(
  apis: TestApis,
  resource: Resource,
  field: StoredField,
  rows: Row[],
): Promise<void> {
  const sample = rows.map((row) => row[field.name]).find((value) => value !== null)
  for (const operator of operatorsOf(field.type)) {
    const operand =
      operator === 'isNull'
        ? false
        : operator === 'in' || operator === 'notIn'
          ? [sample]
          : operator === 'between'
            ? [sample, sample]
            : field.type.kind === 'list' && operator === 'contains'
              ? (sample as unknown[] | undefined)?.[0]
              : sample
    if (operand === undefined || (Array.isArray(operand) && operand[0] === undefined && operator !== 'eq')) continue
    const where = { [field.name]: { [operator]: operand } }
    const query = `query ($where: ${resource.name}Where) { rows: ${resource.list}(where: $where) { id } }`
    const byGraphql = ((await graphqlData(apis, query, { where })).rows as Row[]).map(({ id }) => id)
    const byWhere = (await restBody(
      apis,
      'GET',
      `/${resource.path}?where=${encodeURIComponent(JSON.stringify(where))}`,
    )) as Row[]
    assert.deepEqual(
      byWhere.map(({ id }) => id),
      byGraphql,
      `${resource.list} where ${JSON.stringify(where)}`,
    )
    if (operator === 'isNull') assert.equal(byGraphql.length, rows.filter((row) => row[field.name] !== null).length)
    if (operator === 'eq')
      assert.ok(byGraphql.length > 0, `${resource.list} where ${JSON.stringify(where)} finds its row`)
    if (field.type.kind === 'list' || Array.isArray(operand)) continue
    const text = typeof operand === 'string' ? operand : JSON.stringify(operand)
    const byName = (await restBody(
      apis,
      'GET',
      `/${resource.path}?${field.name}[${operator}]=${encodeURIComponent(text)}`,
    )) as Row[]
    assert.deepEqual(
      byName.map(({ id }) => id),
      byGraphql,
      `${resource.path}?${field.name}[${operator}]=${text}`,
    )
  }
}

export async function expectSameNested(apis: TestApis, resource: Resource, rows: Row[]): Promise<void> {
  for (const field of resource.fields.values()) {
    if (field.kind !== 'many' && field.kind !== 'links') continue
    for (const { id } of rows) {
      const query = `query ($id: ID!) { row: ${resource.single}(id: $id) {
        list: ${field.name} { ${idsOf(field.to)} } page: ${field.name}Connection { totalCount edges { node { ${idsOf(field.to)} } } } } }`
      const data = (await graphqlData(apis, query, { id })).row as {
        list: Row[]
        page: Connection & { totalCount: number }
      }
      assert.deepEqual(
        data.page.edges.map(({ node }) => node),
        data.list,
        `${resource.name}.${field.name}`,
      )
      assert.equal(data.page.totalCount, data.list.length)
      const rest = (await restBody(apis, 'GET', `/${resource.path}/${id}/${kebab(field.name)}`)) as Row[]
      assert.deepEqual(
        rest.map((row) => row.id),
        data.list.map((row) => row.id),
        `${resource.name}.${field.name}`,
      )
    }
  }
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

// Fields and response keys may have any name, also one that the statements of a database use for something else.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestService } from '../harness/test-service.ts'

/** The letters, and longer names of columns and aliases in statements. */
const names = [
  ...'abcdefghijklmnopqrstuvwxyz',
  ...'ahead after always array before changed ctid excluded few folded got items json k0 key keys kind last least'.split(
    ' ',
  ),
  ...'list more name newest oid other page place rank row rowid rows seen size start t1 t2 tableoid text there'.split(
    ' ',
  ),
  ...'twain type user value xmin'.split(' '),
]

const kinds = [
  { type: 'Text', scalar: 'String', make: (n: number): unknown => `text ${n}`, isSortable: true },
  { type: 'Number', scalar: 'Int', make: (n: number): unknown => n, isSortable: true },
  { type: 'Piece', scalar: 'JSON', make: (n: number): unknown => ({ n }), isSortable: false },
]

const sdl = kinds
  .map(({ type, scalar }) => {
    const isSearched = (name: string) => type === 'Text' && (name === 'o' || name === 'value')
    const fields = names.map((name) => `${name}: ${scalar} ${isSearched(name) ? '@search' : ''}`)
    return `type ${type} @allow { id: ID! ${fields.join(' ')} of: ${type} parts: [${type}!]! @relation(inverse: "of") }`
  })
  .join('\n')

type Row = Record<string, unknown>
interface Connection {
  edges: { node: Row }[]
  pageInfo: { hasNextPage: boolean; endCursor: string }
  totalCount: number
}

async function graphql<T>(service: TestService, query: string): Promise<T> {
  const { status, body } = await service.send('POST', '/graphql', { query })
  assert.deepEqual([status, body.errors], [200, undefined], query)
  return body.data
}

const ofNames = (row: Row): Row => Object.fromEntries(names.map((name) => [name, row[name]]))

for (const { type, scalar, make, isSortable } of kinds) {
  const one = type.toLowerCase()
  const many = `${one}s`
  const rowOf = (n: number): Row => Object.fromEntries(names.map((name) => [name, make(n)]))

  async function open(t: Parameters<typeof TestService.open>[0]): Promise<{ service: TestService; ids: string[] }> {
    const service = await TestService.open(t, sdl)
    const ids: string[] = []
    for (let n = 0; n < 4; n++) {
      const { id } = await service.succeed('POST', `/${many}`, { ...rowOf(n), of: ids.at(-1) ?? null })
      ids.push(id)
    }
    return { service, ids }
  }

  test(`fields of ${scalar} of every name are written and read`, async (t) => {
    const { service, ids } = await open(t)
    const rows: Row[] = await service.succeed('GET', `/${many}?sort=id`)
    assert.deepEqual(rows.map(ofNames), [0, 1, 2, 3].map(rowOf))
    const data = await graphql<Record<string, Row[]>>(service, `{ ${many} { ${names.join(' ')} } }`)
    assert.deepEqual(data[many], [0, 1, 2, 3].map(rowOf))
    const [first, second] = ids as [string, string]
    await service.succeed('PATCH', `/${many}/${first}`, rowOf(1))
    await service.succeed('PUT', `/${many}/${second}`, rowOf(2))
    await service.succeed('PATCH', `/${many}?id[in]=${ids.join()}`, rowOf(3))
    await service.succeed('POST', `/${many}`, [rowOf(1), rowOf(2)])
    assert.deepEqual(ofNames(await service.succeed('GET', `/${many}/${second}`)), rowOf(3))
    const changes = `{ ${one}(id: "${first}") { _changes { edges { node { changed { field before after } } } } } }`
    const { [one]: changed } = await graphql<Record<string, { _changes: Connection }>>(service, changes)
    assert.equal(changed?._changes.edges.length, 3)
    await service.succeed('DELETE', `/${many}/${ids.at(-1)}`)
  })

  test(`connections of ${scalar} by fields of every name, and the names as response keys`, async (t) => {
    const { service, ids } = await open(t)
    for (const name of names) {
      const order = isSortable ? `, orderBy: [{${name}: DESC}]` : ''
      const page = (bounds: string) => `page: ${many}Connection(first: 3${bounds}${order})`
      const begin = `{ ${page('')} { edges { node { ${name} of { ${name} } } } pageInfo { hasNextPage startCursor endCursor } totalCount } }`
      const { edges, pageInfo, totalCount } = (await graphql<{ page: Connection }>(service, begin)).page
      const expected = (isSortable ? [3, 2, 1] : [0, 1, 2]).map(make)
      assert.deepEqual([edges.map(({ node }) => node[name]), pageInfo.hasNextPage, totalCount], [expected, true, 4])
      const after = `{ ${page(`, after: "${pageInfo.endCursor}"`)} { edges { cursor node { ${name} } } } }`
      const next = await graphql<{ page: Connection }>(service, after)
      assert.deepEqual(
        next.page.edges.map(({ node }) => node),
        [{ [name]: make(isSortable ? 0 : 3) }],
      )
      const parts = `parts { ${name}: id } partsConnection { ${name}: edges { ${name}: node { ${name}: id } } }`
      const aliased = await graphql<Record<string, Row[]>>(service, `{ ${name}: ${many} { ${name}: id ${parts} } }`)
      assert.deepEqual(
        aliased[name]?.map((row) => row[name]),
        ids,
      )
    }
  })

  if (!isSortable) continue
  test(`filters, orders, groups and sums by fields of ${scalar} of every name`, async (t) => {
    const { service } = await open(t)
    for (const name of names) {
      const is = (op: string) => `where: {${name}: {${op}: ${JSON.stringify(make(2))}}}`
      const query = `{
        rows: ${many}(${is('eq')}) { ${name} parts(orderBy: [{${name}: ASC}], ${is('ne')}) { ${name} } }
        through: ${many}(where: {of: {${name}: {eq: ${JSON.stringify(make(2))}}}}, orderBy: [{of: {${name}: ASC}}]) { ${name} }
        distinct: ${many}(distinct: [${name}]) { ${name} }
        groups: ${many}GroupBy(by: [{${name}: VALUE}]) { key { ${name} } count }
        total: ${many}Aggregate { count max { ${name} } }
      }`
      const [two, three] = [{ [name]: make(2) }, { [name]: make(3) }]
      const all = [0, 1, 2, 3].map((n) => ({ [name]: make(n) }))
      assert.deepEqual(await graphql(service, query), {
        rows: [{ ...two, parts: [three] }],
        through: [three],
        distinct: all,
        groups: all.map((key) => ({ key, count: 1 })),
        total: { count: 4, max: three },
      })
    }
  })
}

test('searches go through fields of any name', async (t) => {
  const service = await TestService.open(t, sdl)
  await service.succeed('POST', '/texts', { o: 'harbour', value: 'pilot' })
  for (const word of ['harbour', 'pilot'])
    assert.equal((await service.succeed('GET', `/texts?search=${word}`)).length, 1)
})

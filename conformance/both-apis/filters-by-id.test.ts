// A filter by an id that no row can have is a mistake with a hint, and not an empty page (docs/reference/rest.md, R22 and R28).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openApis, type TestApis } from '../harness/open-apis.ts'

const select = JSON.stringify('SELECT name, CAST(count(*) AS INTEGER) AS parts FROM "Part" GROUP BY name')
const sdl = `
  enum Medium { OIL TEMPERA }
  type Part { id: ID! name: String! medium: Medium parent: Part parts: [Part!]! @relation(inverse: "parent") }
  type PartName @view(key: ["name"], sqlite: ${select}, postgres: ${select}) { name: String! parts: Int! }
`

describe('filters by ids', () => {
  let apis: TestApis
  before(async () => {
    apis = await openApis(sdl)
    await apis.rest('PUT', '/parts/a', { name: 'in.(a,b)', medium: 'OIL' })
    await apis.rest('PUT', '/parts/b', { name: 'b', parent: 'a' })
  })
  after(() => apis.close())

  test('REST: 400 for what no row can have, with the spelling of a list', async () => {
    const where = (filter: object) => `where=${encodeURIComponent(JSON.stringify(filter))}`
    for (const [query, path, hint] of [
      ['id=in.(a,b)', 'id', 'write id[in]=a,b'],
      ['id=a%20b', 'id', ''],
      ['id=', 'id', ''],
      ['id[ne]=a,b', 'id[ne]', 'write id[in]=a,b'],
      ['id[in]=a,b.c', 'id[in]', ''],
      ['parent=in.(a)', 'parent', 'write parent[in]=a,b'],
      ['parent.id=a.b', 'parent.id', ''],
      ['parts=a.b', 'parts', ''],
      [where({ id: { eq: 'in.(a)' } }), 'where.id.eq', '{"in": ["a", "b"]}'],
      [where({ parent: { id: { in: ['a', 'b.c'] } } }), 'where.parent.id.in', ''],
    ] as const) {
      const { status, body } = await apis.rest('GET', `/parts?${query}`)
      const [problem] = (body as { errors: { path: string; code: string; message: string }[] }).errors
      assert.deepEqual([status, problem?.path, problem?.code], [400, path, 'PATTERN'], query)
      assert.ok(problem?.message.includes(hint), `${query}: ${problem?.message}`)
    }
  })

  test('GraphQL: the same in where, as a literal and as a variable', async () => {
    const literal = await apis.graphql('{ parts(where: {parent: {id: {eq: "in.(a)"}}}) { id } }')
    const variable = await apis.graphql('query ($where: PartWhere) { parts(where: $where) { id } }', {
      where: { id: { in: ['a', 'a b'] } },
    })
    for (const { errors } of [literal, variable]) {
      const { code, errors: problems } = errors[0]!.extensions!
      assert.deepEqual([code, problems?.[0]?.code], ['VALIDATION_FAILED', 'PATTERN'])
    }
  })

  test('the same value twice, parts of ids, empty lists, and keys of views find rows as before', async () => {
    for (const [path, ids] of [
      ['/parts?medium=OIL&medium=OIL', ['a']],
      ['/parts?id=a&id=a', ['a']],
      ['/parts?parent=a&parent=a&parent[eq]=a', ['b']],
      ['/parts?id[in]=', []],
      ['/parts?id[gte]=a~', ['b']],
      ['/part-names?id=in.(a,b)', ['in.(a,b)']],
    ] as const) {
      const { status, body } = await apis.rest('GET', path)
      assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`)
      assert.deepEqual(
        (body as { id: string }[]).map(({ id }) => id),
        ids,
        path,
      )
    }
    assert.equal((await apis.rest('GET', '/parts?id=a&id=a&id=b')).status, 400)
  })
})

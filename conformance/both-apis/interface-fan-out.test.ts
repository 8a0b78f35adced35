// A query of an interface reads each of its types, at every level: a short query becomes a long SQL statement. Both APIs refuse
// such a query before they build the statement.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startCpuTimer } from '../../packages/twain/src/base/cpu-time.fixture.ts'
import { openApis, type TestApis } from '../harness/open-apis.ts'

const names = ['A', 'B', 'C', 'D', 'E', 'F']
const sdl = `
interface Part { name: String inside: Part }
${names.map((name) => `type ${name} implements Part { id: ID! name: String inside: Part }`).join('\n')}
`

describe('nested interfaces', () => {
  let apis: TestApis
  before(async () => {
    apis = await openApis(sdl, { depth: 0, cost: 0 })
  })
  after(() => apis.close())

  test('both APIs read two levels of an interface', async () => {
    assert.equal((await apis.rest('GET', '/as?fields=inside.inside.name&inside.inside.name=x')).status, 200)
    const { errors } = await apis.graphql(
      '{ as(where: {inside: {inside: {name: {eq: "x"}}}}) { inside { inside { name } } } }',
    )
    assert.deepEqual(errors, [])
  })

  test('both APIs refuse many levels at once, with and without a depth limit', async () => {
    const took = startCpuTimer()
    const chosen = await apis.rest('GET', `/as?fields=${'inside.'.repeat(30)}name`)
    const filtered = await apis.rest('GET', `/as?${'inside.'.repeat(12)}name=x`)
    const sent = await apis.graphql(`{ as { ${'inside { '.repeat(20)}name${' }'.repeat(20)} } }`)
    const where = await apis.graphql(
      `{ as(where: ${'{inside: '.repeat(12)}{name: {eq: "x"}}${'}'.repeat(12)}) { id } }`,
    )

    assert.deepEqual([chosen.status, filtered.status], [400, 400])
    assert.equal((chosen.body as { code: string }).code, 'QUERY_TOO_COSTLY')
    assert.equal(sent.errors[0]?.extensions?.code, 'QUERY_TOO_COSTLY')
    assert.equal(where.errors[0]?.extensions?.code, 'VALIDATION_FAILED')
    const cost = took()
    assert.ok(cost < 1000, `${cost} ms of CPU`)
  })
})

// Random aggregates by both APIs, beside plain JavaScript with exact arithmetic and local times of its own. `npm run samples` draws
// 5,000 on each store. TWAIN_PROPERTY_RUNS makes it longer; a failure prints the seed, and TWAIN_PROPERTY_SEED repeats it.
// stores: sqlite, postgres
// all samples: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { Draw } from '../generate/draw.ts'
import { propertyRuns, samples } from '../generate/samples.ts'
import { propertySeed } from '../generate/seed.ts'
import { openApis, restBody, type TestApis } from '../harness/open-apis.ts'
import { expectedResult, valuesOf } from './aggregate-oracle.ts'
import { customers, orderRows, sdl } from './order-rows.ts'
import { type Aggregate, drawAggregate, graphqlQuery, restPath } from './random-aggregate.ts'

const runs = propertyRuns(40, 5000)
const rows = orderRows(samples(100, 400), propertySeed)

let apis: TestApis
before(async () => {
  apis = await openApis(sdl, { depth: 0, cost: 0 })
  for (const [id, country] of Object.entries(customers))
    await restBody(apis, 'PUT', `/customers/${id}`, { name: `name of ${id}`, country })
  for (const [index, row] of rows.entries()) await restBody(apis, 'PUT', `/orders/o${index}`, row)
})
after(() => apis.close())

test('both APIs return what exact arithmetic does', { timeout: 1_800_000 }, async (context) => {
  const counts = { groups: 0, beyond: 0 }
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (gen) => {
      const aggregate = drawAggregate(new Draw(gen), (of, measure) => valuesOf(of, measure, rows))
      const expected = expectedResult(aggregate, rows)
      if (expected === null) counts.beyond++
      else counts.groups += Array.isArray(expected) ? expected.length : 1
      await compare(aggregate, expected)
    }),
    { seed: propertySeed, numRuns: runs },
  )
  context.diagnostic(
    `seed ${propertySeed}: ${runs} aggregates, ${counts.groups} groups, ${counts.beyond} beyond a Float`,
  )
  assert.ok(counts.groups > runs && (runs < 1000 || counts.beyond > 0))
})

test('an unknown zone is an error with the nearest name, on both APIs', async () => {
  const { status, body } = await apis.rest('GET', '/orders?groupBy=placed(month)&timeZone=Europe/Olso')
  const { errors } = await apis.graphql('{ ordersGroupBy(by: [{placed: MONTH}], timeZone: "Europe/Olso") { count } }')
  assert.equal(status, 400)
  for (const answer of [body, errors]) assert.match(JSON.stringify(answer), /Did you mean \\"Europe\/Oslo\\"\?/)
})

async function compare(aggregate: Aggregate, expected: unknown): Promise<void> {
  const path = restPath(aggregate)
  const query = graphqlQuery(aggregate)
  const rest = await apis.rest('GET', path)
  const { data, errors } = await apis.graphql(query)
  if (expected === null) {
    assert.equal(rest.status, 400, path)
    assert.match(JSON.stringify(rest.body), /"RANGE"/)
    assert.match(JSON.stringify(errors), /"RANGE"/, query)
    return
  }
  assert.equal(rest.status, 200, `${path}\n${JSON.stringify(rest.body)}`)
  assert.deepEqual(rest.body, expected, path)
  assert.deepEqual(errors, [], query)
  const root = (aggregate.within === null ? data : data!.customer) as Record<string, unknown>
  assert.deepEqual(JSON.parse(JSON.stringify(root.result)), expected, query)
}

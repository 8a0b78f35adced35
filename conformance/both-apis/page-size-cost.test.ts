// The cost of a list depends on its page size, on both APIs, and a refusal says which list to make smaller.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openApis } from '../harness/open-apis.ts'

const sdl = `
type Person @allow @resource(path: "people") { id: ID!, name: String!, repairs: [Repair!]! }
type Repair @allow { id: ID!, bike: String!, owner: Person!, uses: [Use!]! }
type Use @allow { id: ID!, repair: Repair!, part: Part! }
type Part @allow { id: ID!, name: String! }
`

async function open(t: TestContext) {
  const apis = await openApis(sdl)
  t.after(() => apis.close())
  return apis
}

async function costOf(apis: Awaited<ReturnType<typeof open>>, query: string, variables = {}): Promise<unknown> {
  const body = JSON.stringify({ query, variables, extensions: { cost: true } })
  const headers = { 'content-type': 'application/json' }
  const reply = await apis.send('graphql', { method: 'POST', path: '/graphql', headers, body })
  const { errors, extensions } = JSON.parse(String(reply.body))
  return errors === undefined ? extensions.cost.cost : errors[0].message
}

const screen = '{ people(limit: 5) { name repairs(limit: 3) { bike uses(limit: 3) { part { name } } } } }'

test('an ordinary screen of three small lists costs what its page sizes say', async (t) => {
  const apis = await open(t)
  assert.equal(await costOf(apis, screen), 285)
  assert.equal(
    await costOf(apis, screen.replaceAll(/\(limit: \d\)/g, '')),
    'The query costs 5330; at most 1000 is allowed.',
  )
  const connection = `{ peopleConnection(first: 2) { edges { ...E } } }
    fragment E on PersonEdge { node { name repairsConnection(first: 3) { edges { node { bike } } totalCount } } }`
  assert.equal(await costOf(apis, connection), 2 + 2 * (2 + (2 + 1 + (2 + 3 * (2 + (2 + 1)) + 1))))
})

test('a page size in a variable counts with its value, also in a document that was accepted before', async (t) => {
  const apis = await open(t)
  const query =
    'query($n: Int! = 3) { people(limit: $n) { name repairs(limit: $n) { bike uses(limit: $n) { part { name } } } } }'
  const cost = (n: number) => n * (2 + 1 + n * (2 + 1 + n * (2 + 3)))
  assert.equal(await costOf(apis, query, { n: 2 }), cost(2))
  assert.equal(await costOf(apis, query), cost(3))
  assert.equal(await costOf(apis, query, { n: 10 }), `The query costs ${cost(10)}; at most 1000 is allowed.`)
  assert.equal(await costOf(apis, query, { n: 5 }), cost(5))
})

test('a refusal names the list of which the query can have the most rows, and the setting', async (t) => {
  const apis = await open(t)
  const { errors } = await apis.graphql('{ people(limit: 4) { name repairs { bike uses { part { name } } } } }')
  assert.match(errors[0]!.extensions!.hint!, /^Make people\.repairs smaller: with limit: 4 it is within the limit\./)
  assert.match(errors[0]!.extensions!.hint!, /limits\.cost/)
  const smaller = '{ people(limit: 4) { name repairs(limit: 4) { bike uses { part { name } } } } }'
  assert.equal((await apis.graphql(smaller)).errors.length, 0)
  const still = await apis.graphql('{ people(limit: 4) { name repairs(limit: 5) { bike uses { part { name } } } } }')
  assert.equal(still.errors.length, 1)
})

test('in REST the page of the collection counts, and the hint says how large it may be', async (t) => {
  const apis = await open(t)
  const fields = 'fields=name,repairs.bike,repairs.uses.part.name'
  const refused = await apis.rest('GET', `/people?limit=5&${fields}`)
  assert.equal(refused.status, 400)
  assert.match((refused.body as { hint: string }).hint, /^Make the page of people smaller: with limit=1 it is within/)
  assert.equal((await apis.rest('GET', `/people?limit=1&${fields}`)).status, 200)
  assert.equal((await apis.rest('GET', `/people?first=1&${fields}`)).status, 200)
  assert.equal(
    (await apis.rest('GET', `/people?limit=5&${fields}`)).status,
    400,
    'the shape that passed is not the size',
  )
})

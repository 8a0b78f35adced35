// Invalid requests through both APIs: always a 4xx with a code of the catalogue and a place or a sentence that names the mistake, never
// a 500, and never a change of the data.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { HttpReply } from '../../packages/twain/src/base/http/index.ts'
import { catalogue } from '../../packages/twain/src/base/index.ts'
import { type GraphqlError, graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'
import { type Attack, badValues, graphqlAttacks, restAttacks } from './invalid-requests.ts'

const sdl = `
type Thing {
  id: ID!
  name: String! @unique @constraint(maxLength: 40)
  int: Int
  float: Float
  flag: Boolean
  key: ID
  at: DateTime
  day: Date
  any: JSON
  exact: Decimal
  big: BigInt
  mood: Mood
  own: Own
  place: Place
  words: [String!]
  ints: [Int!]
  owner: Owner
  friends: [Owner!]!
  fixed: String @immutable
  madeAt: DateTime! @auto(set: CREATE_TIME)
}
scalar Own
enum Mood { CALM WILD }
type Place { city: String! zip: Int }
type Owner { id: ID! name: String! things: [Thing!]! @relation(inverse: "owner") }
`

describe('invalid requests', () => {
  let apis: TestApis
  let thing: string
  let rows: string

  before(async () => {
    apis = await openApis(sdl)
    const owner = (await restBody(apis, 'POST', '/owners', { name: 'Ann' })) as { id: string }
    const row = (await restBody(apis, 'POST', '/things', {
      name: 'One',
      owner: owner.id,
      words: ['a'],
      place: { city: 'Oslo' },
    })) as { id: string }
    await restBody(apis, 'POST', '/things', { name: 'Two' })
    thing = row.id
    rows = await everything(apis)
  })
  after(() => apis.close())

  for (const attack of restAttacks) {
    test(`REST: ${attack.name}`, async () => {
      const reply = await apis.send('rest', withId(attack, thing))
      expectProblem(reply, attack)
      assert.equal(await everything(apis), rows, 'the data is unchanged')
    })
  }

  for (const attack of graphqlAttacks) {
    test(`GraphQL: ${attack.name}`, async () => {
      const reply = await apis.send('graphql', withId(attack, thing))
      expectErrors(reply, attack)
      assert.equal(await everything(apis), rows, 'the data is unchanged')
    })
  }

  for (const { field, value, code, name } of badValues) {
    test(`both APIs refuse ${name} for ${field}, with ${code} at its place`, async () => {
      const rest = field === 'name' ? '' : '"name":"Three",'
      const text = `{${rest}${JSON.stringify(field)}:${value}}`
      const write = { headers: { 'content-type': 'application/json' } }
      const post = await apis.send('rest', { ...write, method: 'POST', path: '/things', body: text })
      const patch = await apis.send('rest', {
        ...write,
        method: 'PATCH',
        path: `/things/${thing}`,
        body: `{${JSON.stringify(field)}:${value}}`,
      })
      for (const reply of [post, patch]) {
        const problem = expectProblem(reply, { status: 400 })
        assert.ok(
          problem.errors?.some((each) => each.path.startsWith(field) && each.code === code),
          JSON.stringify(problem),
        )
      }
      const query = 'mutation ($input: CreateThingInput!) { createThing(input: $input) { id } }'
      const body = `{"query":${JSON.stringify(query)},"variables":{"input":${text}}}`
      const error = expectErrors(await apis.send('graphql', { ...write, method: 'POST', path: '/graphql', body }), {})
      assert.ok(
        error.extensions?.errors?.some((each) => each.path.endsWith(field) || each.path.includes(field)),
        JSON.stringify(error),
      )
      assert.equal(await everything(apis), rows, 'the data is unchanged')
    })
  }

  test('both APIs refuse a cursor that was changed anywhere, or is of another order', async () => {
    const page = (await restBody(apis, 'GET', '/things?first=1&sort=name')) as { pageInfo: { endCursor: string } }
    const cursor = page.pageInfo.endCursor
    const changed = [...cursor].map(
      (letter, at) => `${cursor.slice(0, at)}${letter === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`,
    )
    for (const bad of [...changed, `${cursor}A`, cursor.slice(0, -1), '', 'null', '😀', 'x'.repeat(5000)]) {
      const reply = await apis.send('rest', {
        method: 'GET',
        path: `/things?first=1&sort=name&after=${encodeURIComponent(bad)}`,
      })
      if (reply.status === 200) assertSameBytes(bad, cursor)
      else expectProblem(reply, { status: 400, place: 'after' })
    }
    const other = await apis.send('rest', {
      method: 'GET',
      path: `/things?first=1&sort=-name&after=${encodeURIComponent(cursor)}`,
    })
    expectProblem(other, { status: 400, place: 'after' })
    const query =
      'query ($after: String) { thingsConnection(first: 1, after: $after, orderBy: {name: DESC}) { edges { cursor } } }'
    const { errors } = await apis.graphql(query, { after: cursor })
    assert.match(errors[0]?.extensions?.code ?? '', /BAD_REQUEST|VALIDATION_FAILED/)
  })
})

interface ProblemBody {
  status: number
  code: string
  title: string
  detail: string
  errors?: { path: string; code: string; message: string }[]
}

function expectProblem(reply: HttpReply, { status, code, place }: Partial<Attack>): ProblemBody {
  const text = textOf(reply)
  assert.ok(reply.status >= 400 && reply.status < 500, `${reply.status} ${text}`)
  const problem = JSON.parse(text) as ProblemBody
  assert.equal(problem.status, reply.status)
  assert.ok(problem.code in catalogue, problem.code)
  assert.ok(problem.detail.length > 0)
  if (status !== undefined) assert.equal(reply.status, status, text)
  if (code !== undefined) assert.equal(problem.code, code, text)
  if (place !== undefined) assert.ok(JSON.stringify(problem).includes(place), `${text} names ${place}`)
  return problem
}

function expectErrors(reply: HttpReply, { status, code, place }: Partial<Attack>): GraphqlError {
  const text = textOf(reply)
  // A well-formed request in plain application/json may be a 200 with errors (GraphQL over HTTP, 6.4.1).
  assert.ok(reply.status === 200 || (reply.status >= 400 && reply.status < 500), `${reply.status} ${text}`)
  const { data, errors } = JSON.parse(text) as { data?: unknown; errors?: GraphqlError[] }
  const error = errors?.[0]
  assert.ok(error !== undefined, text)
  assert.ok(data === undefined || data === null || Object.values(data).every((each) => each === null), text)
  assert.ok((error.extensions?.code ?? '') in catalogue, text)
  assert.notEqual(error.extensions?.code, 'INTERNAL', text)
  assert.ok(error.message.length > 0)
  if (status !== undefined) assert.equal(reply.status, status, text)
  if (code !== undefined) assert.equal(error.extensions?.code, code, text)
  if (place !== undefined) assert.ok(text.includes(place), `${text} names ${place}`)
  return error
}

function textOf({ body }: HttpReply): string {
  return String(body ?? '')
}

function withId(attack: Attack, id: string): Attack {
  const filled = { ...attack, path: attack.path.replace('$thing', id) }
  return typeof attack.body === 'string' ? { ...filled, body: attack.body.replace('$thing', id) } : filled
}

/** Base64 ignores the last bits of its last letter: another encoding of the same bytes is the same cursor. */
function assertSameBytes(one: string, other: string): void {
  assert.deepEqual(Buffer.from(one, 'base64url'), Buffer.from(other, 'base64url'), `${one} is taken for ${other}`)
}

async function everything(apis: TestApis): Promise<string> {
  const data = await graphqlData(
    apis,
    '{ things { id name int float flag key at day any exact big mood own words ints fixed owner { id } friends { id } _version } owners { id name _version } }',
  )
  return JSON.stringify(data)
}

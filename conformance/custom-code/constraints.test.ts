// `@constraint` on custom scalars, inputs and arguments: both APIs refuse the same values with the same problems.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { type GraphqlAnswer, openApis, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  scalar Opus
  type Work @allow {
    id: ID! opus: Opus @constraint(pattern: "^Op\\\\. [0-9]+$") size: Opus @constraint(min: 1, max: 9)
    mixed: Opus @constraint(max: 9, maxLength: 3) all: [Opus!] @constraint(maxItems: 2, format: "email") free: Opus
  }
  input Stamp {
    code: String! @constraint(pattern: "^[A-Z]{2}$")
    count: Int = 2 @constraint(min: 1, max: 3)
    tags: [String!] @constraint(maxItems: 2, minLength: 2)
    opus: Opus @constraint(maxLength: 4)
    inside: Stamp
  }
  extend type Query { echo(stamp: Stamp, limit: Int! = 3 @constraint(max: 5), word: String @constraint(minLength: 2)): JSON @allow }
  extend type Mutation { stamp(stamp: Stamp!, note: String @constraint(maxLength: 3)): JSON @allow }
`

const service: ServiceCode = {
  resolvers: {
    Query: { echo: (args) => args },
    Mutation: { stamp: (args) => args },
  },
}

interface Problem {
  path: string
  code: string
  message: string
}

describe('constraints of custom scalars, inputs and arguments', () => {
  let apis: TestApis
  before(async () => {
    apis = await openApis(sdl, {}, undefined, undefined, undefined, { service })
  })
  after(() => apis.close())

  /** GraphQL puts the name of the root field before each path. */
  const graphqlProblems = ({ errors }: GraphqlAnswer) =>
    (errors[0]?.extensions?.errors ?? []).map((one) => ({ ...one, path: one.path.replace(/^\w+\./, '') }))
  const restProblems = ({ body }: { body: unknown }) => (body as { errors?: Problem[] }).errors ?? []

  test('a custom scalar takes only what its constraint is about', async () => {
    const cases: [Record<string, unknown>, string | null][] = [
      [{ opus: 'Op. 7', size: 3, mixed: 'abc', all: ['a@b.example'], free: { a: 1 } }, null],
      [{ mixed: 9 }, null],
      [{ opus: 7 }, 'opus TYPE must be a string.'],
      [{ opus: { a: 1 } }, 'opus TYPE must be a string.'],
      [{ opus: ['Op. 7'] }, 'opus TYPE must be a string.'],
      [{ opus: 'Op 7' }, 'opus PATTERN must match the pattern ^Op\\. [0-9]+$'],
      [{ size: '3' }, 'size TYPE must be a number.'],
      [{ size: 10 }, 'size RANGE must be at most 9.'],
      [{ mixed: true }, 'mixed TYPE must be a string or a number.'],
      [{ mixed: 'abcd' }, 'mixed LENGTH must have at most 3 characters (it has 4).'],
      [{ all: [5] }, 'all.0 TYPE must be a string.'],
      [{ all: ['a', 'b', 'c'] }, 'all LENGTH must have at most 2 items.'],
    ]
    for (const [input, expected] of cases) {
      const rest = await apis.rest('POST', '/works', input)
      const { errors } = await apis.graphql('mutation ($i: CreateWorkInput!) { createWork(input: $i) { id } }', {
        i: input,
      })
      const told = [restProblems(rest)[0], errors[0]?.extensions?.errors?.[0]]
      const texts = told.map((one) =>
        one === undefined ? null : `${one.path.replace('input.', '')} ${one.code} ${one.message}`,
      )
      assert.deepEqual(texts, [expected, expected], JSON.stringify(input))
      assert.equal(rest.status, expected === null ? 201 : 400)
    }
  })

  test('inputs and arguments of mutations are checked, at every level', async () => {
    const stamp = { code: 'ab', count: 4, tags: ['x', 'yy', 'zz'], opus: 7, inside: { code: 'A' } }
    const expected = [
      'note LENGTH',
      'stamp.code PATTERN',
      'stamp.count RANGE',
      'stamp.inside.code PATTERN',
      'stamp.opus TYPE',
      'stamp.tags LENGTH',
      'stamp.tags.0 LENGTH',
    ]
    const rest = await apis.rest('POST', '/stamp-requests', { stamp, note: 'long' })
    const query = 'mutation ($s: Stamp!, $n: String) { stamp(stamp: $s, note: $n) }'
    const graphql = await apis.graphql(query, { s: stamp, n: 'long' })
    for (const problems of [restProblems(rest), graphqlProblems(graphql)])
      assert.deepEqual(problems.map(({ path, code }) => `${path} ${code}`).toSorted(), expected)
    const literal = await apis.graphql('mutation { stamp(stamp: {code: "ab"}) }')
    assert.equal(literal.errors[0]?.extensions?.errors?.[0]?.code, 'PATTERN')
    const fine = await apis.rest('POST', '/stamp-requests', { stamp: { code: 'AB' } })
    assert.deepEqual(fine.body, { stamp: { code: 'AB', count: 2 } })
  })

  test('arguments of queries are checked', async () => {
    const rest = await apis.rest('GET', '/echo?limit=6&word=a')
    const graphql = await apis.graphql('{ echo(limit: 6, word: "a") }')
    for (const problems of [restProblems(rest), graphqlProblems(graphql)])
      assert.deepEqual(problems.map(({ path, code }) => `${path} ${code}`).toSorted(), ['limit RANGE', 'word LENGTH'])
    assert.deepEqual((await apis.rest('GET', '/echo')).body, { limit: 3 })
  })

  test('OpenAPI shows them', async () => {
    const { body } = (await apis.rest('GET', '/openapi.json')) as { body: ReturnType<typeof JSON.parse> }
    const { schemas } = body.components
    assert.equal(JSON.stringify(schemas).includes('"pattern":"^[A-Z]{2}$"'), true)
    const parameters = body.paths['/echo'].get.parameters as { name: string; schema: object }[]
    assert.deepEqual(parameters.find(({ name }) => name === 'limit')!.schema, {
      ...{ type: 'integer', format: 'int32', minimum: -2147483648, maximum: 5, default: 3 },
    })
    const { properties } = body.paths['/stamp-requests'].post.requestBody.content['application/json'].schema
    assert.equal(JSON.stringify(properties.note).includes('"maxLength":3'), true)
    const opus = JSON.stringify(schemas).match(/\{"\$ref":"#\/components\/schemas\/Opus","type":"string"[^}]*\}/)
    assert.notEqual(opus, null)
  })
})

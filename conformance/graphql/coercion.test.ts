// Variables compared with the coercion of graphql-js (specification, section 6.1.2): what it refuses is a request error here, without
// `data`, for reads and writes; what it accepts never is, whatever errors the fields then have.
// stores: sqlite, postgres
// all samples: sqlite

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  buildSchema,
  type GraphQLInputType,
  type GraphQLSchema,
  getVariableValues,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  parse,
  typeFromAST,
} from 'graphql'
import { type HttpReply, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import type { MaybePromise } from '../../packages/twain/src/base/index.ts'
import { printSchema } from '../../packages/twain/src/graphql/index.ts'
import { loadModel, type Model } from '../../packages/twain/src/model/index.ts'
import { Draw } from '../generate/draw.ts'
import { samples } from '../generate/samples.ts'
import { propertySeed } from '../generate/seed.ts'
import { openApis, type RawRequest } from '../harness/open-apis.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = `
  type Boat {
    id: ID! name: String! length: Int draught: Float ok: Boolean! @default(value: true) key: ID tags: [String!]
    grid: [[Int!]!] size: Size sizes: [Size!] kind: Kind sails: [Sail!]! ports: [Port!]! home: Port
  }
  type Sail { id: ID! name: String boat: Boat! area: Float! }
  type Port { id: ID! name: String }
  type Size { width: Int! parts: [Int!] inner: Size }
  enum Kind { SLOOP KETCH }
`

const texts = [
  'mutation ($i: CreateBoatInput!) { createBoat(input: $i) { id } }',
  'mutation ($i: [CreateBoatInput!]!) { createBoats(inputs: $i) { id } }',
  'mutation ($i: UpdateBoatInput, $id: ID!, $v: Int) { updateBoat(id: $id, input: $i, ifVersion: $v) { id } }',
  'mutation ($i: Int, $n: String, $g: [[Int!]!], $s: SizeInput) { updateBoat(id: "x", length: $i, name: $n, grid: $g, size: $s) { id } }',
  'query ($w: BoatWhere, $o: [BoatOrder!], $l: Int! = 3) { boats(where: $w, orderBy: $o, limit: $l) { id } }',
  'query ($w: Kind, $o: Float = 1.5, $b: Boolean!) { boats(where: {kind: {eq: $w}, draught: {lt: $o}}) { id @include(if: $b) } }',
]

const runs = samples(300, 1500)

test(`${runs} sets of variables are refused where graphql-js refuses them`, async (t) => {
  const apis = await openApis(sdl, { depth: 0, cost: 0 })
  t.after(() => apis.close())
  await compare(texts, apis.model, runs, (request) => apis.send('graphql', request))
})

const othersRuns = samples(100, 500)

test(`and ${othersRuns} for system operations: sign-in, tokens and webhooks`, async (t) => {
  const withAccounts = `type User @account { id: ID! email: String! @unique } ${sdl}`
  const { service } = await TestService.open(t, withAccounts)
  await compare(others, loadModel(withAccounts, 'schema.graphql'), othersRuns, ({ method, path, ...sent }) =>
    service.handleAsSystem(plainRequest(method, path, sent)),
  )
})

const others = [
  'mutation ($i: CreateTokenInput!) { createToken(input: $i) { id } }',
  'mutation ($e: String, $p: String) { createToken(input: {email: $e, password: $p}) { id } }',
  'mutation ($i: ID!) { deleteToken(id: $i) { success } }',
  'mutation ($i: CreateWebhookInput!) { createWebhook(input: $i) { id } }',
  'mutation ($i: UpdateWebhookInput!, $id: ID!) { updateWebhook(id: $id, input: $i) { id } }',
  'mutation ($u: String!, $e: [String!]!, $a: Boolean) { createWebhook(input: {url: $u, events: $e, active: $a}) { id } }',
  'mutation ($w: ID!, $d: ID!) { redeliver(webhook: $w, delivery: $d) { id } }',
]

/** What graphql-js and Twain answer to the same variables. */
async function compare(
  texts: readonly string[],
  model: Model,
  runs: number,
  send: (request: RawRequest) => MaybePromise<HttpReply>,
): Promise<void> {
  const schema = buildSchema(printSchema(model))
  const seen = { refused: 0, taken: 0 }
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (gen) => {
      const draw = new Draw(gen)
      const query = draw.one(texts)
      const { variableDefinitions = [] } = parse(query).definitions[0] as OperationDefinitionNode
      const drawn = variableDefinitions.map(({ variable, type }) => {
        return [variable.name.value, drawValue(draw, typeFromAST(schema, type) as GraphQLInputType, 0)]
      })
      const variables = Object.fromEntries(drawn.filter(([, value]) => value !== undefined)) as Record<string, unknown>
      const theirs = getVariableValues(schema as GraphQLSchema, variableDefinitions, variables)
      const { status, body } = await send({
        method: 'POST',
        path: '/graphql',
        headers: { 'content-type': 'application/json', accept: 'application/graphql-response+json' },
        body: JSON.stringify({ query, variables }),
      })
      const isRefused = theirs.errors !== undefined
      const message = `${query}\n${JSON.stringify(variables)}\n${theirs.errors?.[0]?.message}\n${body}`
      assert.deepEqual([status, 'data' in JSON.parse(String(body))], isRefused ? [400, false] : [200, true], message)
      seen[isRefused ? 'refused' : 'taken']++
    }),
    { numRuns: runs, endOnFailure: true, seed: propertySeed },
  )
  for (const [what, count] of Object.entries(seen)) assert.ok(count > runs / 10, `${what}: ${count}`)
}

const strange = [0, 1.5, 2 ** 31, '', 'x', '1', 'SLOOP', true, [], {}, ['a'], [[1]], [null], { width: 1 }, { eq: 1 }]

/** Mostly a valid value of the type. Undefined: omitted. */
function drawValue(draw: Draw, type: GraphQLInputType, depth: number): unknown {
  if (draw.between(0, 40) === 0) return draw.one(strange)
  if (isNonNullType(type)) return draw.between(0, 30) === 0 ? null : drawValue(draw, type.ofType, depth)
  if (draw.between(0, 9) === 0) return draw.one([null, undefined])
  if (isListType(type)) {
    if (draw.between(0, 4) === 0) return drawValue(draw, type.ofType, depth)
    return draw.many(0, 2, () => drawValue(draw, type.ofType, depth) ?? null)
  }
  if (isEnumType(type)) return draw.one(type.getValues()).name
  if (!isInputObjectType(type)) return draw.one(leaves[type.name]!)
  const members: [string, unknown][] = Object.values(type.getFields())
    .filter((field) => (isRequiredInputField(field) ? draw.between(0, 30) > 0 : depth < 3 && draw.between(0, 4) === 0))
    .map((field) => [field.name, drawValue(draw, field.type, depth + 1)])
  if (draw.between(0, 40) === 0) members.push(['nme', 1])
  return Object.fromEntries(members.slice(0, type.isOneOf && draw.between(0, 3) > 0 ? 1 : members.length))
}

const leaves: Record<string, readonly unknown[]> = {
  Int: [0, 3, -7, 3.0],
  Float: [1, 1.5, -2e9],
  String: ['', 'x', 'ä😀'],
  Boolean: [true, false],
  ID: ['a', '', 7],
  JSON: [1, 'x', {}, { name: { eq: 'x' } }],
}

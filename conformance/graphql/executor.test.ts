// graphql-js as the oracle: random documents run through our API and through `execute` of graphql-js, with plain resolvers over a copy
// of the same rows. Data, and the paths and codes of errors, are the same.
// stores: sqlite, postgres
// all samples: sqlite

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { buildSchema, execute, parse, validate } from 'graphql'
import { system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { printSchema } from '../../packages/twain/src/graphql/index.ts'
import { Draw } from '../generate/draw.ts'
import { samples } from '../generate/samples.ts'
import { propertySeed } from '../generate/seed.ts'
import { type GraphqlError, openApis, type TestApis } from '../harness/open-apis.ts'
import { resolversOver } from './plain-resolvers.ts'
import { drawDocument } from './random-document.ts'
import { fillRows, type Rows } from './rows.ts'

const sdl = `
  interface Named { id: ID! name: String }
  interface Titled implements Named { id: ID! name: String title: String! }
  type User implements Named @account @allow(to: [READ]) {
    id: ID!
    email: String! @unique @allow(who: "self", to: [READ])
    name: String
    age: Int
    address: Address
    homes: [Address!]
    posts: [Post!]!
    favourite: Liked
  }
  type Post implements Titled & Named @allow(to: [READ]) {
    id: ID!
    name: String
    title: String!
    note: String @allow(who: "author", to: [READ])
    labels: [String!]
    matrix: [[Int]]
    score: Float
    price: Decimal
    status: Status!
    meta: JSON
    at: DateTime
    author: User!
    tags: [Tag!]!
    comments: [Comment!]! @relation(inverse: "on")
  }
  type Tag implements Named @allow(to: [READ]) { id: ID! name: String posts: [Post!]! }
  type Comment @allow(to: [READ]) { id: ID! body: String! on: Titled! about: Liked parent: Comment replies: [Comment!]! }
  type Address { city: String! lines: [String!] former: [Address!] }
  union Liked = Post | Tag
  enum Status { DRAFT PUBLISHED }
`

const documents = samples(250, 2_000)

describe("graphql-js's own executor answers the same", () => {
  let apis: TestApis
  let rows: Rows
  before(async () => {
    apis = await openApis(sdl, { depth: 0, cost: 0, documentTokens: 0 })
    rows = await fillRows(apis.as(system))
  })
  after(() => apis.close())

  test(`${documents} random documents, of a viewer who may not read every field`, async () => {
    const schema = buildSchema(printSchema(apis.model))
    // They are not rows, and the engine alone has none.
    for (const name of ['invitations', 'userExport']) delete schema.getQueryType()!.getFields()[name]
    const [ann] = rows.of('User')
    const viewer: Viewer = { account: ann!.id, roles: [], authenticated: true, token: 'x' }
    const seen = { answered: 0, refused: 0, partial: 0, failed: 0 }
    const { fieldResolver, typeResolver } = resolversOver(rows, apis.model, viewer)
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (gen) => {
        const { text, variables } = drawDocument(new Draw(gen), schema, rows)
        const ours = await apis.as(viewer).graphql(text, variables)
        const document = parse(text)
        const invalid = validate(schema, document)
        if (invalid.length > 0) {
          seen.refused++
          assert.equal(ours.errors[0]?.extensions?.code, 'GRAPHQL_VALIDATION_FAILED', text)
          return
        }
        const result = await execute({ schema, document, variableValues: variables, fieldResolver, typeResolver })
        const theirs = JSON.parse(JSON.stringify(result)) as { data?: Data; errors?: GraphqlError[] }
        const message = `${text}\n${JSON.stringify(variables)}`
        assert.deepEqual(ours.data, theirs.data ?? null, message)
        if (theirs.data === undefined) {
          seen.refused++
          assert.ok(ours.errors.length > 0, message)
          return
        }
        const [our, their] = [placesOf(ours.errors), placesOf(theirs.errors ?? [])]
        // Where null propagated to the root, an executor need not report all errors below (specification, 6.4.4).
        if (theirs.data === null) assert.ok(their.every((place) => our.includes(place)) && our.length > 0, message)
        else assert.deepEqual(our, their, message)
        seen[theirs.data === null ? 'failed' : our.length > 0 ? 'partial' : 'answered']++
      }),
      { numRuns: documents, endOnFailure: true, seed: propertySeed },
    )
    for (const [what, count] of Object.entries(seen)) assert.ok(count > documents / 100, `${what}: ${count}`)
  })
})

type Data = Record<string, unknown> | null

function placesOf(errors: readonly GraphqlError[]): string[] {
  return errors.map(({ path, extensions }) => `${(path ?? []).join('.')} ${extensions?.code}`).sort()
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSchema, isInputObjectType, isNonNullType, parse, validate, validateSchema } from 'graphql'
import { loadModel, type Model } from '#model'
import { blog } from '../blog.fixture.ts'
import { buildApiSchema, printSchema } from './build-schema.ts'

test('a small schema has the operations and types of docs/reference/schema.md#generated-names', () => {
  const model = loadModel(
    `
    "Something to read."
    type Post { id: ID! title: String! status: Status! @default(value: DRAFT) old: Int @deprecated(reason: "Too \\"old\\".") author: User seo: Seo }
    type User { id: ID! posts: [Post!]! joined: DateTime @auto(set: CREATE_TIME) }
    type Seo { words: [String!]! }
    enum Status { DRAFT PUBLISHED }
    `,
    'small.graphql',
  )
  const lines = printSchema(model)
    .replaceAll(/^\s*""".*"""\n/gm, '')
    .replaceAll(/^\s*"""\n[^"]*"""\n/gm, '')
    .split(/\n(?=directive|enum Twain)/)[0]!

  for (const expected of golden) assert.ok(lines.includes(expected), `${expected}\n\nis not in\n\n${lines}`)
})

const golden = [
  'post(id: ID!): Post',
  'node(_nodeId: ID!): Node',
  'nodes(_nodeIds: [ID!]!): [Node]!',
  `interface Node {
  _nodeId: ID!
}`,
  `posts(
    offset: Int! = 0
    limit: Int! = 20
    where: PostWhere
    orderBy: [PostOrder!]
    distinct: [PostDistinctField!]
  ): [Post!]!`,
  `postsConnection(
    first: Int! = 20
    after: String
    where: PostWhere
    orderBy: [PostOrder!]
    distinct: [PostDistinctField!]
  ): PostConnection!`,
  'createPost(input: CreatePostInput!): Post',
  `replacePost(
    id: ID!
    input: CreatePostInput!
    ifVersion: Int
  ): Post`,
  `updatePost(
    id: ID!
    title: String
    status: Status
    old: Int @deprecated(reason: "Too \\"old\\".")
    author: ID
    seo: SeoInput
    _increment: IncrementPostInput @deprecated(reason: "Too \\"old\\".")
    input: UpdatePostInput
    ifVersion: Int
  ): Post`,
  `deletePost(
    id: ID!
    ifVersion: Int
  ): DeleteResult`,
  `type Post implements Node {
  id: ID!
  title: String!
  status: Status!
  old: Int @deprecated(reason: "Too \\"old\\".")
  author: User
  seo: Seo
  _version: Int!
  _changes(first: Int! = 20, after: String): RowChangeConnection!
  _nodeId: ID!
}`,
  `type User implements Node {
  id: ID!
  posts(offset: Int! = 0, limit: Int! = 20, where: PostWhere, orderBy: [PostOrder!], distinct: [PostDistinctField!]): [Post!]!
  postsConnection(first: Int! = 20, after: String, where: PostWhere, orderBy: [PostOrder!], distinct: [PostDistinctField!]): PostConnection!
  postsAggregate(where: PostWhere): PostAggregate!
  postsGroupBy(by: [PostGroupBy!]!, timeZone: String, where: PostWhere, having: PostHaving, orderBy: [PostGroupedOrder!], offset: Int! = 0, limit: Int! = 20): [PostGroup!]!
  joined: DateTime
  _version: Int!
  _changes(first: Int! = 20, after: String): RowChangeConnection!
  _nodeId: ID!
}`,
  `type PostConnection {
  edges: [PostEdge!]!
  pageInfo: PageInfo!
  totalCount(estimate: Boolean! = false): Int!
}`,
  `type PostAggregate {
  count: Int!
  countDistinct: PostAggregateDistinct!
  sum: PostAggregateSum! @deprecated(reason: "Too \\"old\\".")
  avg: PostAggregateAvg! @deprecated(reason: "Too \\"old\\".")
  min: PostAggregateMinMax!
  max: PostAggregateMinMax!
}`,
  `type PostAggregateSum {
  old: BigInt @deprecated(reason: "Too \\"old\\".")
}`,
  `type PostGroupKey {
  id: ID
  title: String
  status: Status
  old: Int @deprecated(reason: "Too \\"old\\".")
  author: UserGroupKey!
}`,
  `input UserGroupBy @oneOf {
  id: GroupByValue
  joined: GroupByTime
}`,
  `input PostHaving {
  count: IntComparison
  sum: PostHavingSum @deprecated(reason: "Too \\"old\\".")
  avg: PostHavingAvg @deprecated(reason: "Too \\"old\\".")
  min: PostHavingMinMax
  max: PostHavingMinMax
  countDistinct: PostHavingDistinct
}`,
  `input PostGroupedOrder @oneOf {
  key: PostOrder
  count: Direction
  countDistinct: PostMeasureOrder
  sum: PostMeasureOrder @deprecated(reason: "Too \\"old\\".")
  avg: PostMeasureOrder @deprecated(reason: "Too \\"old\\".")
  min: PostMeasureOrder
  max: PostMeasureOrder
}`,
  `type PostEdge {
  node: Post!
  cursor: String!
}`,
  `type DeleteResult {
  success: Boolean!
  message: String!
  id: ID!
}`,
  `input CreatePostInput {
  title: String!
  status: Status
  old: Int @deprecated(reason: "Too \\"old\\".")
  author: ID
  seo: SeoInput
}`,
  `input IncrementPostInput {
  old: Int @deprecated(reason: "Too \\"old\\".")
}`,
  `input SeoInput {
  words: [String!]!
}`,
  `input PostWhere {
  and: [PostWhere!]
  or: [PostWhere!]
  not: PostWhere
  isNull: Boolean
  id: IDFilter
  title: StringFilter
  status: StatusFilter
  old: IntFilter @deprecated(reason: "Too \\"old\\".")
  author: UserWhere
  seo: SeoWhere
}`,
  `input PostListWhere {
  some: PostWhere
  none: PostWhere
  every: PostWhere
}`,
  `input PostOrder @oneOf {
  id: Direction
  title: Direction
  status: Direction
  old: Direction @deprecated(reason: "Too \\"old\\".")
  author: UserOrder
}`,
  `input PostListOrder @oneOf {
  count: Direction
}`,
  `input StatusFilter {
  eq: Status
  ne: Status
  in: [Status!]
  notIn: [Status!]
  isNull: Boolean
}`,
  `input StringListFilter {
  eq: [String!]
  ne: [String!]
  contains: String
  isNull: Boolean
}`,
]

/** The served schema is made of the document that is printed here. Building it again validates the SDL as well. */
function expectValid(model: Model): void {
  assert.deepEqual(validateSchema(buildSchema(printSchema(model))), [])
}

test('the schema has the descriptions of the file, and generated fields have their own', () => {
  const text = printSchema(loadModel('"""Read me."""\ntype Post { "Big." id: ID! }', 'x.graphql'))
  assert.ok(text.includes('"""Read me."""') && text.includes('"""Big."""'))
  assert.ok(!text.includes('scalar BigInt')) // declared only when used
  const { schema } = buildApiSchema(blog)
  const posts = schema.getQueryType()?.getFields().posts
  assert.match(String(posts?.description), /page/)
  assert.ok(posts?.args.every(({ description }) => description))
})

test('every root field of mutations is nullable, also those of custom code', () => {
  const sdl = `type User @account(verification: REQUIRED) @softDelete { id: ID! email: String! @unique photo: File notes: [Note!]! }
    type Note { id: ID! text: String! by: User! slug: String @unique }
    extend type Mutation { close: Int! @allow publish(id: ID!): Note! @allow }
    extend type Query { open: Int! @allow }`
  const { schema } = buildApiSchema(loadModel(sdl, 'x.graphql'))
  const nonNull = Object.values(schema.getMutationType()!.getFields()).filter(({ type }) => isNonNullType(type))
  assert.deepEqual(nonNull.map(String), [])
  assert.equal(String(schema.getQueryType()!.getFields().open!.type), 'Int!')
})

test('a field of an interface is non-null only if it is so in each member', () => {
  const named = buildApiSchema(blog).schema.getType('Named')
  assert.ok(named && 'getFields' in named)
  assert.equal(String(named.getFields().name?.type), 'String')
  assert.equal(String(named.getFields().id?.type), 'ID!')
  assert.equal(String(named.getFields()._version?.type), 'Int!')
})

test('a field with the name of an argument of update can only be written in its input', () => {
  const { schema } = buildApiSchema(loadModel('type A { id: ID! input: Int ifVersion: Int b: Int }', 'x.graphql'))
  const update = schema.getMutationType()?.getFields().updateA
  assert.deepEqual(
    update?.args.map(({ name, type }) => `${name}: ${type}`),
    ['id: ID!', 'b: Int', '_increment: IncrementAInput', 'input: UpdateAInput', 'ifVersion: Int'],
  )
  const input = schema.getType('UpdateAInput')
  assert.ok(isInputObjectType(input))
  assert.deepEqual(Object.keys(input.getFields()), ['input', 'ifVersion', 'b', '_increment'])
})

test('a type with only an id, and a model without resources, have a valid schema', () => {
  const bare = loadModel('type Token2 { id: ID! }', 'x.graphql')
  expectValid(bare)
  const system = { resources: [], values: [], enums: [] }
  const empty = { ...bare, system, resources: [], abstracts: [], types: new Map() }
  expectValid(empty)
  assert.equal(buildApiSchema(empty).schema.getMutationType(), undefined)
})

const scalars = `
  type Day { id: ID! at: DateTime on: Date price: Decimal count: BigInt any: JSON own: Own photo: File days: [Date!] }
  scalar Own
`
const scalarSchema = buildApiSchema(loadModel(scalars, 'x.graphql')).schema

function mistakes(input: string): string[] {
  const errors = validate(scalarSchema, parse(`mutation { createDay(input: ${input}) { id } }`))
  return errors.map(({ message, locations }) => `${locations?.[0]?.column}: ${message}`)
}

test('valid literals of the built-in scalars pass validation in every notation', () => {
  const input = `{at: "2026-01-31T09:30:00+01:00", on: "2024-02-29", price: 19.90, count: 90071992547409931, any: {a: [1.5e400]},
    own: RED, photo: "f1", days: "2026-01-31"}`
  assert.deepEqual(mistakes(input), [])
  assert.deepEqual(mistakes('{price: "19.90", count: "-3", photo: 7, at: null, days: []}'), [])
})

test('invalid literals are reported all at once, with their location and a valid example', () => {
  const messages = mistakes(
    '{at: "soon", on: "2026-02-30", price: "1,5", count: 1.5, photo: {}, days: ["2026-01-31", 5]}',
  )
  assert.deepEqual(
    messages.map((each) => each.replace(/ must be.*/, '')),
    [
      '34: DateTime cannot represent "soon": it',
      '46: Date cannot represent "2026-02-30": it',
      '67: Decimal cannot represent "1,5": it',
      '81: BigInt cannot represent 1.5: it',
      '93: Upload cannot represent {  }: it',
      '118: Date cannot represent 5: it',
    ],
  )
  assert.match(messages[1]!, /it must be a date such as "2026-01-31"\.$/)
})

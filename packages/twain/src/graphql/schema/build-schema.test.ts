import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildSchema, isInputObjectType, validateSchema } from 'graphql'
import { loadModel } from '#model'
import { blog } from '../blog.fixture.ts'
import { buildApiSchema, printSchema } from './build-schema.ts'

test('a small contract gives the operations and types of product.md section 2', () => {
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
  `posts(
    offset: Int! = 0
    limit: Int! = 20
    where: PostWhere
    orderBy: [PostOrder!]
  ): [Post!]!`,
  `postsConnection(
    first: Int! = 20
    after: String
    where: PostWhere
    orderBy: [PostOrder!]
  ): PostConnection!`,
  'createPost(input: CreatePostInput!): Post!',
  `replacePost(
    id: ID!
    input: CreatePostInput!
    ifVersion: Int
  ): Post!`,
  `updatePost(
    id: ID!
    title: String
    status: Status
    old: Int @deprecated(reason: "Too \\"old\\".")
    author: ID
    seo: SeoInput
    input: UpdatePostInput
    ifVersion: Int
  ): Post!`,
  `deletePost(
    id: ID!
    ifVersion: Int
  ): DeleteResult!`,
  `type Post {
  id: ID!
  title: String!
  status: Status!
  old: Int @deprecated(reason: "Too \\"old\\".")
  author: User
  seo: Seo
  _version: Int!
}`,
  `type User {
  id: ID!
  posts(offset: Int! = 0, limit: Int! = 20, where: PostWhere, orderBy: [PostOrder!]): [Post!]!
  postsConnection(first: Int! = 20, after: String, where: PostWhere, orderBy: [PostOrder!]): PostConnection!
  joined: DateTime
  _version: Int!
}`,
  `type PostConnection {
  edges: [PostEdge!]!
  pageInfo: PageInfo!
  totalCount: Int!
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
  old: IntFilter
  author: UserWhere
  seo: SeoWhere
}`,
  `input PostListWhere {
  some: PostWhere
  none: PostWhere
}`,
  `input PostOrder @oneOf {
  id: Direction
  title: Direction
  status: Direction
  old: Direction
}`,
  `input StatusFilter {
  eq: Status
  ne: Status
  in: [Status!]
  notIn: [Status!]
  isNull: Boolean
}`,
  `input StringListFilter {
  contains: String
  eq: [String!]
  ne: [String!]
  isNull: Boolean
}`,
]

test('the schema is valid, and what is printed is what is served', () => {
  assert.deepEqual(validateSchema(buildApiSchema(blog).schema), [])
  assert.deepEqual(validateSchema(buildSchema(printSchema(blog))), [])
})

test('the descriptions of the file are carried, and what we make describes itself', () => {
  const text = printSchema(loadModel('"""Read me."""\ntype Post { "Big." id: ID! }', 'x.graphql'))
  assert.ok(text.includes('"""Read me."""') && text.includes('"""Big."""'))
  assert.ok(!text.includes('scalar BigInt')) // declared only when used
  const { schema } = buildApiSchema(blog)
  const posts = schema.getQueryType()?.getFields().posts
  assert.match(String(posts?.description), /page/)
  assert.ok(posts?.args.every(({ description }) => description))
})

test('an interface promises a value only where each member does', () => {
  const named = buildApiSchema(blog).schema.getType('Named')
  assert.ok(named && 'getFields' in named)
  assert.equal(String(named.getFields().name?.type), 'String')
  assert.equal(String(named.getFields().id?.type), 'ID!')
  assert.equal(String(named.getFields()._version?.type), 'Int!')
})

test('a field named like a word of an update is reached in its input only', () => {
  const { schema } = buildApiSchema(loadModel('type A { id: ID! input: Int ifVersion: Int b: Int }', 'x.graphql'))
  const update = schema.getMutationType()?.getFields().updateA
  assert.deepEqual(
    update?.args.map(({ name, type }) => `${name}: ${type}`),
    ['id: ID!', 'b: Int', 'input: UpdateAInput', 'ifVersion: Int'],
  )
  const input = schema.getType('UpdateAInput')
  assert.ok(isInputObjectType(input))
  assert.deepEqual(Object.keys(input.getFields()), ['input', 'ifVersion', 'b'])
})

test('a type with nothing to write but its id, and a contract with nothing at all, still give a valid schema', () => {
  const bare = loadModel('type Token2 { id: ID! }', 'x.graphql')
  assert.deepEqual(validateSchema(buildApiSchema(bare).schema), [])
  const empty = { ...bare, resources: [], abstracts: [], types: new Map() }
  assert.deepEqual(validateSchema(buildApiSchema(empty).schema), [])
  assert.equal(buildApiSchema(empty).schema.getMutationType(), undefined)
})

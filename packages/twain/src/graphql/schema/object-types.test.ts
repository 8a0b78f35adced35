import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { servedNullable } from '#plan/explain'
import { buildApiSchema, printSchema } from './build-schema.ts'

const sdl = `
  interface Noted { id: ID! note: String! }
  type User @account @allow(who: "anyone", to: [READ], where: {name: {ne: "x"}}) @allow(who: "self") {
    id: ID!
    email: String! @unique @allow(who: "self")
    name: String! @allow(who: "self", to: [UPDATE])
    posts: [Post!]! @allow(who: "self", to: [READ])
  }
  type Post implements Noted @allow(to: [READ]) @allow(who: "author") {
    id: ID!
    note: String! @allow(who: "author", to: [READ])
    author: User!
    topic: Topic!
    found: Found!
  }
  type Topic implements Noted @allow { id: ID! note: String! }
  type Closed { id: ID! topic: Topic! of: Closed! }
  union Found = Topic | Closed
  `

test('a field with READ rules of its own is nullable, and no other field is', () => {
  assert.deepEqual(typesOf('User'), {
    id: 'ID!',
    email: 'String',
    name: 'String!',
    posts: '[Post!]',
    postsConnection: 'PostConnection',
    postsAggregate: 'PostAggregate',
    postsGroupBy: '[PostGroup!]',
    _version: 'Int!',
    _verifiedAt: 'DateTime',
    _lockedAt: 'DateTime',
    _changes: 'RowChangeConnection!',
    _nodeId: 'ID!',
  })
})

test('a required reference to a type that not everyone may read is nullable, and servedNullable lists it', () => {
  const { author, topic, found } = typesOf('Post')
  assert.deepEqual([author, topic, found], ['User', 'Topic!', 'Found'])
  assert.equal(typesOf('Closed').of, 'Closed')
  assert.deepEqual(servedNullable(loadModel(sdl, 'x.graphql')), ['Post.author', 'Post.found', 'Closed.of'])
})

test('a field is nullable if a rule grants the row without it, unless another grants it to everyone', () => {
  const narrow = `type A @allow(to: [READ], fields: ["x"]) @allow(role: "r") { id: ID! x: Int! y: Int! }
    type B @allow(to: [READ], fields: ["x"]) @allow { id: ID! x: Int! y: Int! }
    type C @allow(to: [READ]) @allow(to: [UPDATE], fields: ["x"]) { id: ID! x: Int! y: Int! }`
  const [a, b, c] = ['A', 'B', 'C'].map((name) => typesOf(name, narrow))
  assert.deepEqual([a?.id, a?.x, a?.y], ['ID!', 'Int!', 'Int'])
  assert.deepEqual([b?.x, b?.y, c?.y], ['Int!', 'Int!', 'Int!'])
})

test('a field of an interface is non-null only if it is so in each member', () => {
  assert.deepEqual(
    [typesOf('Topic').note, typesOf('Post').note, typesOf('Noted').note],
    ['String!', 'String', 'String'],
  )
})

test('without accounts everyone may read a type without rules', () => {
  const open = 'type A { id: ID! b: B! } type B { id: ID! }'
  assert.deepEqual(typesOf('A', open).b, 'B!')
  assert.deepEqual(servedNullable(loadModel(open, 'x.graphql')), [])
})

test('lists have `search` only if one of their fields is searchable', () => {
  const searched = 'type A { id: ID! x: String @search bs: [B!]! } type B { id: ID! as: [A!]! } union U = A | B'
  const printed = printSchema(loadModel(searched, 'x.graphql'))
  const fields = [...printed.matchAll(/^ {2}(\w+)\([^)]*search: String[^)]*\)/gm)].map(([, name]) => name)
  assert.deepEqual(
    fields,
    ['as', 'us', 'as'].flatMap((list) => [list, `${list}Connection`, `${list}Aggregate`, `${list}GroupBy`]),
  )
  assert.match(printed, /Words that a row must contain, the last one as a prefix; in `x`\./)
})

function typesOf(name: string, text = sdl): Record<string, string> {
  const type = buildApiSchema(loadModel(text, 'x.graphql')).schema.getType(name)
  if (type === undefined || !('getFields' in type)) throw new Error(`${name} has no fields`)
  return Object.fromEntries(Object.values(type.getFields()).map((field) => [field.name, String(field.type)]))
}

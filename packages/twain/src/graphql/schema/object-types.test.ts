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

test('a field that is read under lines of its own may be null, and no other', () => {
  assert.deepEqual(typesOf('User'), {
    id: 'ID!',
    email: 'String',
    name: 'String!',
    posts: '[Post!]',
    postsConnection: 'PostConnection',
    _version: 'Int!',
  })
})

test('a required reference to what not everyone may read may be null, and the start is told', () => {
  const { author, topic, found } = typesOf('Post')
  assert.deepEqual([author, topic, found], ['User', 'Topic!', 'Found'])
  assert.equal(typesOf('Closed').of, 'Closed')
  assert.deepEqual(servedNullable(loadModel(sdl, 'x.graphql')), ['Post.author', 'Post.found', 'Closed.of'])
})

test('an interface promises what each of its members promises', () => {
  assert.deepEqual(
    [typesOf('Topic').note, typesOf('Post').note, typesOf('Noted').note],
    ['String!', 'String', 'String'],
  )
})

test('without accounts a type without lines is open', () => {
  const open = 'type A { id: ID! b: B! } type B { id: ID! }'
  assert.deepEqual(typesOf('A', open).b, 'B!')
  assert.deepEqual(servedNullable(loadModel(open, 'x.graphql')), [])
})

test('lists take `search` where a field of theirs is searched, and nowhere else', () => {
  const searched = 'type A { id: ID! x: String @search bs: [B!]! } type B { id: ID! as: [A!]! } union U = A | B'
  const printed = printSchema(loadModel(searched, 'x.graphql'))
  const fields = [...printed.matchAll(/^ {2}(\w+)\([^)]*search: String[^)]*\)/gm)].map(([, name]) => name)
  assert.deepEqual(fields, ['as', 'asConnection', 'us', 'usConnection', 'as', 'asConnection'])
  assert.match(printed, /The words that a row must have, the last one as a beginning; in `x`\./)
})

function typesOf(name: string, text = sdl): Record<string, string> {
  const type = buildApiSchema(loadModel(text, 'x.graphql')).schema.getType(name)
  if (type === undefined || !('getFields' in type)) throw new Error(`${name} has no fields`)
  return Object.fromEntries(Object.values(type.getFields()).map((field) => [field.name, String(field.type)]))
}

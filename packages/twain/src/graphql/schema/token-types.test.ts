import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { printSchema } from './build-schema.ts'

const accounts = `
  type User @account(login: "handle") {
    id: ID!
    handle: String! @unique
    posts: [Post!]! @relation(inverse: "author")
  }
  type Post {
    id: ID!
    title: String!
    author: User! @auto(set: VIEWER)
    editor: User! @default(value: VIEWER)
  }
  union Found = Post | User
  `

function contractOf(sdl: string): string {
  return printSchema(loadModel(sdl, 'x.graphql'))
    .replaceAll(/^\s*""".*"""\n/gm, '')
    .replaceAll(/^\s*"""\n[^"]*"""\n/gm, '')
}

test('a contract with accounts has tokens, by its own login field', () => {
  const text = contractOf(accounts)
  for (const expected of [
    'tokens: [Token!]!',
    'createToken(input: CreateTokenInput!): Token!',
    'deleteToken(id: ID!): DeleteResult!',
    `type Token {
  id: ID!
  token: String
  refreshToken: String
  expiresAt: DateTime!
  ticket: String
  createdAt: DateTime
  lastUsedAt: DateTime
}`,
    `input CreateTokenInput {
  handle: String
  password: String
  refreshToken: String
  for: String
}`,
  ])
    assert.ok(text.includes(expected), `${expected}\n\nis not in\n\n${text}`)
})

test('a password is written and never read', () => {
  const text = contractOf(accounts)
  for (const expected of [
    `input CreateUserInput {
  handle: String!
  password: String
}`,
    `input UpdateUserInput {
  handle: String
  password: String
}`,
    `updateUser(
    id: ID!
    handle: String
    password: String
    input: UpdateUserInput
    ifVersion: Int
  ): User!`,
  ])
    assert.ok(text.includes(expected), `${expected}\n\nis not in\n\n${text}`)
  assert.doesNotMatch(/type User {[^}]*}/.exec(text)![0], /password/)
})

test('what is set to the viewer need not be given, and by @auto can not be changed', () => {
  const text = contractOf(accounts)
  assert.match(text, /input CreatePostInput {\n {2}title: String!\n {2}author: ID\n {2}editor: ID\n}/)
  assert.match(text, /input UpdatePostInput {\n {2}title: String\n {2}editor: ID\n}/)
})

test('isViewer can be asked of accounts and of what may be one', () => {
  const text = contractOf(accounts)
  const has = (name: string) => /isViewer: Boolean/.test(new RegExp(`input ${name}Where {[^}]*}`).exec(text)![0])
  assert.deepEqual(['User', 'Found', 'Post'].map(has), [true, true, false])
})

test('a contract without accounts has nothing of this', () => {
  assert.doesNotMatch(
    contractOf('type Post { id: ID! title: String }').split('directive @')[0]!,
    /oken|password|isViewer/,
  )
})

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

function schemaOf(sdl: string): string {
  return printSchema(loadModel(sdl, 'x.graphql'))
    .replaceAll(/^\s*""".*"""\n/gm, '')
    .replaceAll(/^\s*"""\n[^"]*"""\n/gm, '')
}

test('a model with accounts has tokens, with its login field in the input', () => {
  const text = schemaOf(accounts)
  for (const expected of [
    'token(id: ID!): Token',
    'orderBy: [TokenOrder!]\n  ): [Token!]!',
    'createToken(input: CreateTokenInput!): Token',
    'deleteTokens(\n    current: Boolean\n    all: Boolean\n    account: ID\n  ): BulkResult',
    'deleteToken(\n    id: ID!\n    ifVersion: Int\n  ): DeleteResult',
    `type Token {
  id: ID!
  account: User
  how: TokenMethod
  client: String
  address: String
  current: Boolean
  createdAt: DateTime
  lastUsedAt: DateTime
  expiresAt: DateTime!
  actor: User
  by: String
  role: String
  readOnly: Boolean
  reason: String
  _version: Int
  token: String
  refreshToken: String
  device: String
  ticket: String
}`,
    `input CreateTokenInput {
  handle: String
  password: String
  code: String
  verifier: String
  input: JSON
  device: String
  captcha: String
  refreshToken: String
  for: String
  as: CreateTokenAsInput
  readOnly: Boolean
  reason: String
}`,
    'input CreateTokenAsInput {\n  account: ID\n  role: String\n}',
    'createIdentity(input: CreateIdentityInput!): Identity',
  ])
    assert.ok(text.includes(expected), `${expected}\n\nis not in\n\n${text}`)
})

test('a password can be written and never read', () => {
  const text = schemaOf(accounts)
  for (const expected of [
    `input CreateUserInput {
  handle: String!
  password: String
  currentPassword: String
  _captcha: String
}`,
    `input UpdateUserInput {
  handle: String
  _posts: ChangeUserPostsInput
  password: String
  currentPassword: String
  _locked: Boolean
}`,
    `updateUser(
    id: ID!
    handle: String
    _posts: ChangeUserPostsInput
    password: String
    currentPassword: String
    _locked: Boolean
    input: UpdateUserInput
    ifVersion: Int
  ): User`,
  ])
    assert.ok(text.includes(expected), `${expected}\n\nis not in\n\n${text}`)
  assert.doesNotMatch(/type User implements Node {[^}]*}/.exec(text)![0], /password/)
})

test('a reference that defaults to the viewer is optional, and with @auto it can not be updated', () => {
  const text = schemaOf(accounts)
  assert.match(text, /input CreatePostInput {\n {2}title: String!\n {2}author: ID\n {2}editor: ID\n}/)
  assert.match(text, /input UpdatePostInput {\n {2}title: String\n {2}editor: ID\n}/)
})

test('isViewer is a filter of accounts and of types that include accounts', () => {
  const text = schemaOf(accounts)
  const has = (name: string) => /isViewer: Boolean/.test(new RegExp(`input ${name}Where {[^}]*}`).exec(text)![0])
  assert.deepEqual(['User', 'Found', 'Post'].map(has), [true, true, false])
})

test('a model without accounts has neither tokens nor passwords nor isViewer', () => {
  assert.doesNotMatch(
    schemaOf('type Post { id: ID! title: String }').split('directive @')[0]!,
    /oken|password|isViewer/,
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'

test('an operation that equals a generated one stands for it', () => {
  expectMistakes([
    `type Post { id: ID! title: String } union U = Post
     type Query { post(id: ID!): Post posts(limit: Int, offset: Int): [Post!]! postsConnection(first: Int): PostConnection! us: [U!]! }
     type Mutation { createPost(input: CreatePostInput!): Post! updatePost(id: ID!, title: String): Post! }
     extend type Mutation { deletePost(id: ID!): DeleteResult! }`,
  ])
})

test('uploadFile is generated, and enables files even if no row refers to one; search is an argument if fields have @search', () => {
  const { file, operations } = loadModel(
    `type Post { id: ID! title: String @search } union U = Post scalar Upload
     type Query { posts(search: String): [Post!]! usConnection(search: String, first: Int): UConnection! }
     type Mutation { uploadFile(file: Upload!): File! }`,
    'test.graphql',
  )
  assert.deepEqual([file?.resource.name, operations], ['File', []])
})

test('the token operations are generated if there is an account type', () => {
  expectMistakes([
    `type User @account { id: ID! email: String @unique } type Query { tokens: [Token!]! }
     type Mutation { createToken(input: CreateTokenInput!): Token! deleteToken(id: ID!): DeleteResult!
       updateUser(id: ID!, password: String): User! }`,
  ])
})

test('custom code resolves any other operation, and REST has a noun for it', () => {
  const { operations } = loadModel(
    `type A { id: ID! } type Query { topAs(n: Int! = 3): [A!]! } extend type Mutation { sendA(id: ID!): A merge: Int! @resource(path: "mergers") @deprecated }`,
    'test.graphql',
  )
  assert.deepEqual(
    operations.map(({ root, name, path, required, deprecated, args, type }) => [
      root,
      name,
      path,
      required,
      deprecated,
      args.length,
      type.kind,
    ]),
    [
      ['Query', 'topAs', 'top-as', true, null, 1, 'rows'],
      ['Mutation', 'sendA', 'send-a-requests', false, null, 1, 'row'],
      ['Mutation', 'merge', 'mergers', true, 'No longer supported', 0, 'stored'],
    ],
  )
})

const user = 'type U @account { id: ID! email: String! @unique }'

test('the rules of an operation say who may call it, in the order of the file', () => {
  const { operations } = loadModel(
    `${user} type Query { a: Int @allow b: Int
       c: Int @allow(who: "signedIn", role: "x") @allow(role: "y") @allow(who: "anyone") }`,
    'test.graphql',
  )
  assert.deepEqual(
    operations.map(({ rules }) => rules.map(({ who, role, place }) => `${place.line} ${who.kind} ${role}`)),
    [['1 anyone null'], [], ['2 signedIn x', '2 anyone y', '2 anyone null']],
  )
})

const cases: Record<string, MistakeCase> = {
  'our query with another type': ['type A { id: ID! } type Query { a(id: ID!): ‹A! }', 'Write: a: A, or leave it out'],
  'our query with another argument': [
    'type A { id: ID! } type Query { as(‹limt: Int): [A!]! }',
    'Did you mean "limit"',
  ],
  'a token where nobody signs in': [
    'type A { id: ID! } type Mutation { deleteToken(id: ID!): ‹DeleteResult! }',
    'There is no type DeleteResult',
  ],
  'a custom operation at the path of a type': [
    'type Post { id: ID! } type Query { x: Int @resource(path: ‹"posts") }',
    'would both be at /posts',
  ],
  'two at one path': [
    'type A { id: ID! } type Query { x: Int @resource(path: "ys") y: Int @resource(path: ‹"ys") }',
    'would both be at /ys',
  ],
  'a path of ours': ['type A { id: ID! } type Query { ‹docs: Int }', 'a path of the server itself'],
  'a path that is none': ['type A { id: ID! } type Query { x: Int @resource(path: ‹"Xs") }', 'is not a path'],
  'a file that a query takes': [
    'type A { id: ID! } type Query { x(f: ‹Upload): Int }',
    'Only an argument of a mutation can be or contain an Upload',
  ],
  'a file inside an input of a query': [
    'type A { id: ID! } input I { f: Upload! i: I } type Query { x(i: ‹[I!]): Int }',
    'Take the id of an uploaded file',
  ],
  'a default of an argument that breaks its constraint': [
    'type A { id: ID! } type Query { x(n: Int = ‹5 @constraint(max: 3)): Int }',
    'must be at most 3',
  ],
  'a constraint on an argument that does not fit': [
    'type A { id: ID! } input I { b: Boolean @constraint(min: ‹3) } type Query { x(i: I): Int }',
    'min is for numbers',
  ],
  'a search where nothing is searched': [
    'type A { id: ID! } type Query { as(‹search: String): [A!]! }',
    'takes no search',
  ],
  'an age of what is made': [
    'type A { id: ID! } type Mutation { x: Int ‹@cacheControl(maxAge: 5) }',
    'has no meaning on Mutation.x',
  ],
  'an age of what is ours': [
    'type A { id: ID! } type Query { a(id: ID!): A ‹@cacheControl(maxAge: 5) }',
    'has no meaning on Query.a',
  ],
  'an age below nothing': ['type A { id: ID! } type Query { x: Int @cacheControl(maxAge: ‹-5) }', 'negative'],
  'a rule on a generated operation': [
    'type A { id: ID! } type Query { as: [A!]! ‹@allow }',
    'The rules of its type apply: write @allow there',
  ],
  'a path in a rule on an operation': [
    `type A { id: ID! u: U } ${user} type Query { x: Int @allow(who: ‹"u") }`,
    'has no row from which "u" could lead to the viewer',
  ],
  'a misspelt word in a rule on an operation': [
    `${user} type Query { x: Int @allow(who: ‹"signedin") }`,
    'Did you mean "signedIn"',
  ],
  'a rule for signed-in callers where nobody signs in': [
    'type A { id: ID! } type Query { x: Int @allow(who: ‹"signedIn") }',
    'no type has @account',
  ],
  'an action, a filter and an empty role in a rule on an operation': [
    'type A { id: ID! } type Mutation { x: Int @allow(role: ‹"", to: ‹[READ], where: ‹{id: {eq: "1"}}) }',
    "A role can't be empty",
    '"to" has no meaning here: Mutation.x is called, and a call has no row',
    '"where" has no meaning here',
  ],
  'an argument of a generated input type': [
    'type A { id: ID! } input ‹CreateAInput { x: Int } type Query { x(y: CreateAInput): Int }',
    'which the server generates',
  ],
  'a rule on the operations': ['type A { id: ID! } type Query ‹@allow { as: [A!]! }', 'no meaning on Query'],
  'a cached subscription': [
    'type A { id: ID! } type Subscription { aMoved: A ‹@cacheControl(maxAge: 5) }',
    'no meaning on Subscription.aMoved',
  ],
  'the parameter of tickets as an argument': [
    'type A { id: ID! } type Subscription { aMoved(‹ticket: ID): A }',
    'ticket is a parameter of every event stream',
  ],
  'a subscription of ours with another type': ['type A { id: ID! } type Subscription { aCreated: ‹A }', 'as A!'],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))

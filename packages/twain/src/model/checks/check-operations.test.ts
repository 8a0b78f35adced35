import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.ts'

test('an operation that is just the one we would make is ours', () => {
  expectMistakes([
    `type Post { id: ID! title: String } union U = Post
     type Query { post(id: ID!): Post posts(limit: Int, offset: Int): [Post!]! postsConnection(first: Int): PostConnection! us: [U!]! }
     type Mutation { createPost(input: CreatePostInput!): Post! updatePost(id: ID!, title: String): Post! }
     extend type Mutation { deletePost(id: ID!): DeleteResult! }`,
  ])
})

test('the operations of tokens are ours where accounts are', () => {
  expectMistakes([
    `type User @account { id: ID! email: String @unique } type Query { tokens: [Token!]! }
     type Mutation { createToken(input: CreateTokenInput!): Token! deleteToken(id: ID!): DeleteResult!
       updateUser(id: ID!, password: String): User! }`,
  ])
})

const cases: Record<string, MistakeCase> = {
  'a query of its own, which is not built yet,': ['type A { id: ID! } type Query { ‹me: A }', 'not built yet'],
  'a query that is near one of ours': [
    'type Post { id: ID! } type Query { ‹pots: [Post!]! }',
    'Did you mean "post" or "posts"',
  ],
  'an extension of the mutations': [
    'type A { id: ID! } extend type Mutation { ‹publish(id: ID!): A }',
    'not built yet',
  ],
  'our query with another type': ['type A { id: ID! } type Query { a(id: ID!): ‹A! }', 'Write: a: A, or leave it out'],
  'our query with another argument': [
    'type A { id: ID! } type Query { as(‹limt: Int): [A!]! }',
    'Did you mean "limit"',
  ],
  'a token where nobody signs in': [
    'type A { id: ID! } type Mutation { ‹deleteToken(id: ID!): DeleteResult! }',
    'not built yet',
  ],
  'a rule on the operations': ['type A { id: ID! } type Query ‹@allow { as: [A!]! }', 'no meaning on Query'],
  'a subscription of the service’s own': ['type A { id: ID! } type Subscription { ‹aMoved: A }', 'not built yet'],
  'a subscription of ours with another type': ['type A { id: ID! } type Subscription { aCreated: ‹A }', 'as A!'],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))

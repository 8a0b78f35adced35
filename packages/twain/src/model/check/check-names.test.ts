import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'

const cases: Record<string, MistakeCase> = {
  'a type of the server itself': ['type ‹Token { id: ID! }', 'Token is a type of the server itself'],
  'a type that starts with __': ['type ‹__A { id: ID! }', 'belong to GraphQL'],
  'a field that starts with __': ['type A { id: ID! ‹__b: Int }', 'belong to GraphQL'],
  'a type named like a scalar': ['type ‹Date { id: ID! }', 'built in'],
  'an enum named like the operations': ['type A { id: ID! } enum ‹Query { X }', 'must be a type'],
  'a field named _version': ['type A { id: ID! ‹_version: Int }', '_version of its own'],
  'a field named like a word of the filters': ['type A { id: ID! ‹not: Int }', 'a word of the filters'],
  'the connection of a resource': ['type Post { id: ID! } type ‹PostConnection { x: Int }', 'generated for type Post'],
  'the filter of an enum': ['type A { id: ID! } enum E { X } type ‹EFilter { x: Int }', 'generated for enum E'],
  'the input of a token, with an account type,': [
    'type U @account { id: ID! email: String @unique } type ‹CreateTokenInput { x: Int }',
    'generated for type U',
  ],
  'a type that every service has': ['type A { id: ID! } type ‹PageInfo { x: Int }', 'generated for every service'],
  'an input that nothing takes': [
    'type A { id: ID! } input ‹CreateInput { x: Int } input UpdateAInput { x: Inner } input Inner { y: Int }',
    'Nothing takes the input CreateInput, so it has no effect. = Did you mean "CreateAInput"?',
  ],
  'an input with the name of a generated output type': [
    'type A { id: ID! } input ‹AEdge { x: Int }',
    'generated for type A',
  ],
  'two types with the same generated type': [
    'type A { id: ID! a: CreateA } type ‹CreateA { x: Int }',
    'CreateAInput would be generated',
  ],
  'two types at one path': [
    'type Person { id: ID! } type Human @resource(path: ‹"people") { id: ID! }',
    'Human and Person would both be at /people. = Give Human another path: @resource(path: "human-list")',
  ],
  'a list named like an item': ['type Post { id: ID! } type ‹Posts { id: ID! }', 'both have the query posts'],
  'an item named like its own list': ['type Post @resource(path: ‹"post") { id: ID! }', 'both be the query post'],
  'a list named like a connection': [
    'type Post { id: ID! } type A @resource(path: ‹"posts-connection") { id: ID! }',
    'both have the query postsConnection',
  ],
  'a union at the path of a resource': [
    'type A { id: ID! } union U @resource(path: ‹"as") = A',
    'U and A would both be at /as',
  ],
  'a path of the server itself': ['type A @resource(path: ‹"graphql") { id: ID! }', 'a path of the server'],
  'a shared field with the name of a member': [
    'type A { id: ID! ‹B: Int } type B { id: ID! B: Int } union U = A | B',
    'A.B has the name of a type of U',
  ],
  'a field whose name begins with _': ['type A { id: ID! ‹_count: Int }', 'names of fields that start with _ belong'],
  'a field of a value whose name begins with _': [
    'type A { id: ID! v: V } type V { ‹_x: Int }',
    'names of fields that start with _ belong',
  ],
  'a field named like an aggregate of a list': [
    'type A { id: ID! bs: [B!]! ‹bsGroupBy: Int } type B { id: ID! }',
    'generated for the list bs',
  ],
  'a type named like an aggregate': ['type A { id: ID! } type ‹AGroup { id: ID! }', 'AGroup is generated for type A'],
  'a member with the name of a word of filters': ['type ‹not { id: ID! } union U = not', "not can't be a type of U"],
  'a path that is taken by inference': ['type ‹Doc { id: ID! }', '/docs is a path of the server itself'],
  'a path that is not kebab-case': ['type A @resource(path: ‹"My People/x") { id: ID! }', '"my-people-x"'],
  'a previous path that is the path of another type': [
    'type A @resource(was: ‹"bs") { id: ID! } type B { id: ID! }',
    'present path of B',
  ],
  'a field named like the connection of a list': [
    'type A { id: ID! bs: [B!]! ‹bsConnection: Int } type B { id: ID! }',
    'generated for the list bs',
  ],
  ...Object.fromEntries(
    ['changes', 'restorations', 'reversions', 'access', 'export'].map((name) => [
      `R176: a list called ${name}`,
      [`type A { id: ID! ‹${name}: [B!]! } type B { id: ID! a: A }`, `/as/{id}/${name} belongs to the server`] as const,
    ]),
  ),
  'two lists at one nested path': [
    'type A { id: ID! blogPosts: [B!]! ‹blog_posts: [C!]! } type B { id: ID! } type C { id: ID! }',
    '/as/{id}/blog-posts',
  ],
}

for (const [title, mistake] of Object.entries(cases)) test(`${title} is a mistake`, () => expectMistakes(mistake))

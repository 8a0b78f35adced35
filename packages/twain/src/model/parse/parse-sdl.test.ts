import { test } from 'node:test'
import { expectMistakes } from '../expect-mistake.fixture.ts'

test('a syntax error is one mistake with its place', () => {
  expectMistakes(['type Post {\n  id: ID!\n  title ‹String }\n', 'Expected ":"'])
  expectMistakes(['type Post { id: ID!‹', 'not GraphQL'])
})

test('an empty file is a mistake that shows a type', () => {
  expectMistakes(['‹', 'type Post { id: ID! title: String! }'])
  expectMistakes(['‹# nothing yet\n', 'holds no types'])
})

test('a file in which no type has an id is a mistake', () => {
  expectMistakes(['type ‹Address { street: String }', 'nothing to serve'])
})

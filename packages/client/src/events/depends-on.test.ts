// Which changes a live query refetches for.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Types } from '../cache/types.ts'
import { operationOf } from '../document/operation.ts'
import { dependsOn } from './depends-on.ts'

const book = { __typename: 'Book', id: '1', title: 'Knots', author: { __typename: 'Author', id: '2' } }
const aggregate = { __typename: 'BookAggregate', count: 1 }

function refetches(
  query: string,
  data: Record<string, unknown> | undefined,
  type: string,
  { variables = {}, possible = {} } = {},
): boolean {
  const { select, values } = operationOf(query).bind(variables)
  const seen = new Set(['Author', 'Book', 'Tag', type])
  return dependsOn({ select, values, data, types: new Types(possible) }, { type, seen })
}

test('rows refetch for their types', () => {
  const query = '{ books { id title author { id } } }'
  assert.ok(refetches(query, { books: [book] }, 'Book'))
  assert.ok(refetches(query, { books: [book] }, 'Author'))
  assert.ok(!refetches(query, { books: [book] }, 'Tag'))
  assert.ok(!refetches(query, { books: [{ ...book, title: null }] }, 'Tag'), 'a null of the row itself')
})

test('what shows no type refetches for all: no data, an empty list, no row', () => {
  const query = '{ books { id author { id } } }'
  assert.ok(refetches(query, undefined, 'Tag'))
  assert.ok(refetches(query, { books: [] }, 'Tag'))
  assert.ok(refetches(query, { books: [{ ...book, author: null }] }, 'Tag'))
})

test('aggregates and groups refetch for the type of their rows', () => {
  assert.ok(refetches('{ booksAggregate { count } }', { booksAggregate: aggregate }, 'Book'))
  assert.ok(!refetches('{ booksAggregate { count } }', { booksAggregate: aggregate }, 'Author'))
  const groups = [{ __typename: 'BookGroup', key: { __typename: 'BookGroupKey', title: null }, count: 1 }]
  const query =
    '{ booksGroupBy(by: [{title: VALUE}], having: {sum: {pages: {gt: 1}}}, orderBy: [{sum: {pages: DESC}}]) { key { title } count } }'
  assert.ok(refetches(query, { booksGroupBy: groups }, 'Book'))
  assert.ok(!refetches(query, { booksGroupBy: groups }, 'Author'))
})

test('aggregates of an interface refetch for its types, as far as the client knows them', () => {
  const query = '{ favouritesAggregate { count } }'
  const data = { favouritesAggregate: { __typename: 'FavouriteAggregate', count: 1 } }
  assert.ok(refetches(query, data, 'Tag'))
  const possible = { Favourite: ['Book'] }
  assert.ok(refetches(query, data, 'Book', { possible }))
  assert.ok(!refetches(query, data, 'Tag', { possible }))
})

for (const [args, isThrough] of [
  ['where: {title: {in: ["a"]}, not: {pages: {gt: 1}}}', false],
  ['where: {author: {isNull: true}}', false],
  ['where: {author: {name: {eq: "Ann"}}}', true],
  ['where: {tags: {some: {}}}', true],
  ['where: {and: [{or: [{not: {author: {name: {eq: "Ann"}}}}]}]}', true],
  ['where: {author: {or: [{name: {eq: "Ann"}}]}}', true],
  ['orderBy: [{title: ASC}]', false],
  ['orderBy: {author: {name: ASC}}', true],
  ['by: [{title: VALUE}, {author: {name: VALUE}}]', true],
] as const) {
  test(`${args} goes through ${isThrough ? '' : 'no '}other rows`, () => {
    assert.equal(refetches(`{ list(${args}) { count } }`, { list: aggregate }, 'Tag'), isThrough)
  })
}

test('a filter in a variable counts', () => {
  const query = 'query ($where: BookWhere) { booksAggregate(where: $where) { count } }'
  const variables = { where: { author: { name: { eq: 'Ann' } } } }
  assert.ok(refetches(query, { booksAggregate: aggregate }, 'Tag', { variables }))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldOf, stored } from '../library.fixture.ts'
import { isSortable, operatorsOf } from './operators.ts'

const equality = ['eq', 'ne', 'in', 'notIn']
const ordered = [...equality, 'lt', 'lte', 'gt', 'gte']

test('every type has the operators that make sense for it', () => {
  const expected: Record<string, string[]> = {
    title: [...ordered, 'contains', 'startsWith', 'endsWith'],
    pages: ordered,
    rating: ordered,
    code: ordered,
    published: ordered,
    price: ordered,
    sold: ordered,
    inPrint: ['eq', 'ne'],
    genre: equality,
    colour: equality,
    labels: ['contains', 'eq', 'ne'],
    notes: [],
    size: [],
    sizes: [],
  }
  for (const [name, words] of Object.entries(expected)) {
    assert.deepEqual(operatorsOf(stored(`Book.${name}`).type), [...words, 'isNull'], name)
  }
})

test('types that have an order are sortable', () => {
  for (const name of ['id', 'title', 'pages', 'published', 'price', 'genre', 'inPrint']) {
    assert.ok(isSortable(stored(`Book.${name}`)), name)
  }
  for (const name of ['notes', 'colour', 'labels', 'size']) assert.ok(!isSortable(stored(`Book.${name}`)), name)
  assert.ok(!isSortable(fieldOf('Book.author', 'reference')))
  assert.ok(!isSortable(fieldOf('Book.tags', 'links')))
})

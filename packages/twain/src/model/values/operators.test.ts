import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '../load-model.ts'
import type { Field } from '../model.ts'
import { isSortable, operatorOf, operators, operatorsOf } from './operators.ts'

const { types } = loadModel(
  `type Book {
    id: ID! title: String pages: Int rating: Float code: ID published: DateTime day: Date opens: Time price: Decimal sold: BigInt
    inPrint: Boolean genre: Genre colour: Colour labels: [String!] notes: JSON size: Size sizes: [Size!] author: Author tags: [Tag!]!
  }
  type Author { id: ID! }
  type Tag { id: ID! }
  type Size { width: Int }
  enum Genre { NOVEL }
  scalar Colour`,
  'a.graphql',
)

function field(name: string): Field {
  const book = types.get('Book')
  const found = book?.kind === 'resource' ? book.fields.get(name) : undefined
  assert.ok(found)
  return found
}

const equality = ['eq', 'ne', 'in', 'notIn']
const ordered = [...equality, 'lt', 'lte', 'gt', 'gte', 'between']

test('every type has the operators that make sense for it', () => {
  const expected: Record<string, string[]> = {
    title: [...ordered, 'contains', 'startsWith', 'endsWith', 'ieq', 'icontains', 'istartsWith', 'iendsWith'],
    pages: ordered,
    rating: ordered,
    code: ordered,
    published: ordered,
    day: ordered,
    opens: ordered,
    price: ordered,
    sold: ordered,
    inPrint: ['eq', 'ne'],
    genre: equality,
    colour: equality,
    labels: ['eq', 'ne', 'contains'],
    notes: [],
    size: [],
    sizes: [],
  }
  for (const [name, words] of Object.entries(expected)) {
    const own = field(name)
    assert.ok(own.kind === 'stored')
    assert.deepEqual(operatorsOf(own.type), [...words, 'isNull'], name)
  }
})

test('types that have an order are sortable', () => {
  for (const name of ['id', 'title', 'pages', 'published', 'opens', 'price', 'genre', 'inPrint']) {
    assert.ok(isSortable(field(name)), name)
  }
  for (const name of ['notes', 'colour', 'labels', 'size']) assert.ok(!isSortable(field(name)), name)
  assert.ok(!isSortable(field('author')))
  assert.ok(!isSortable(field('tags')))
})

test('the negation of a negation is the operator itself', () => {
  for (const name of Object.keys(operators) as (keyof typeof operators)[]) {
    const { negation } = operatorOf(name)
    if (negation !== null) assert.equal(operatorOf(negation).negation, name)
  }
})

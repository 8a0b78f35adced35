import assert from 'node:assert/strict'
import { test } from 'node:test'
import { abstract, faultOf, resource, told } from '../library.fixture.ts'
import { orderName, writeCursor } from './cursor.ts'
import { planOrder } from './order.ts'
import { keysetPage, offsetPage } from './page.ts'
import { Draft, Sourced, valuesAgain } from './plan-builder.ts'

const book = resource('Book')
const byPages = planOrder([{ field: 'pages', direction: 'DESC', place: '' }], book, new Draft())
const places = { first: 'first', after: 'after' }

test('an offset page has its size and its offset as slots', () => {
  const draft = new Draft()

  const page = offsetPage(20, 40, draft, { limit: 'limit', offset: 'offset' })

  assert.deepEqual(page, {
    kind: 'offset',
    limit: { index: 0, fits: { kind: 'size', most: 'page' } },
    offset: { index: 1, fits: { kind: 'offset' } },
  })
  assert.deepEqual(
    [draft.values(), draft.places],
    [
      [20, 40],
      ['limit', 'offset'],
    ],
  )
})

test('without a cursor the page starts at the beginning', () => {
  for (const after of [null, undefined, new Sourced(null, () => null)]) {
    const page = keysetPage(20, after, book, byPages, new Draft(), places)
    assert.deepEqual(page, { kind: 'keyset', first: { index: 0, fits: { kind: 'size', most: 'page' } }, after: null })
  }
})

test('each key of a cursor is a slot of its type', () => {
  const draft = new Draft()

  const page = keysetPage(20, cursor('[300,"b1"]'), book, byPages, draft, places)

  assert.deepEqual(page.kind === 'keyset' && page.after, [
    { index: 1, fits: { kind: 'type', type: { kind: 'scalar', name: 'Int' } } },
    { index: 2, fits: { kind: 'type', type: { kind: 'scalar', name: 'ID' } } },
  ])
  assert.deepEqual(draft.values(), [20, 300, 'b1'])
})

test('a key that was null is no slot', () => {
  const draft = new Draft()

  const page = keysetPage(20, cursor('[null,"b1"]'), book, byPages, draft, places)

  assert.equal(page.kind === 'keyset' && page.after?.[0], null)
  assert.deepEqual(draft.values(), [20, 'b1'])
})

test('over an interface the name of the type is a key too', () => {
  const work = abstract('Work')
  const order = planOrder([], work, new Draft())
  const draft = new Draft()

  keysetPage(20, writeCursor(orderName(work, order), '["b1","Book"]'), work, order, draft, places)

  assert.deepEqual([draft.values(), draft.problems], [[20, 'b1', 'Book'], []])
})

test('what is no cursor of this order is told, and not more than once', () => {
  const wrong = [
    '',
    'abc',
    5,
    {},
    cursor('[300,"b1"]').replace(/.$/, 'g'),
    cursor('[1]'),
    cursor('[300,null]'),
    cursor('[[300],"b1"]'),
    cursor('{"length":2}'),
    cursor('no JSON'),
    writeCursor('Book(id ASC)', '["b1"]'),
  ]
  for (const after of wrong) {
    const draft = new Draft()
    keysetPage(20, after, book, byPages, draft, places)
    assert.deepEqual(told(draft.problems), ['after TYPE'])
  }
})

test('the next request of the shape brings its own cursor', () => {
  const draft = new Draft()
  keysetPage(20, new Sourced(cursor('[300,"b1"]'), readAfter), book, byPages, draft, places)

  assert.deepEqual(valuesAgain(draft.leaves, cursor('[200,"b2"]')), [20, 200, 'b2'])
})

test('a changed cursor is told in the same words when the plan is already known', () => {
  const draft = new Draft()
  keysetPage(20, new Sourced(cursor('[300,"b1"]'), readAfter), book, byPages, draft, places)

  const fault = faultOf(() => valuesAgain(draft.leaves, cursor('[200,"b2"]').replace(/.$/, 'g')))

  assert.deepEqual(told(fault.problems), ['after TYPE'])
  assert.match(fault.message, /is not a cursor of this list in this order/)
})

function cursor(keys: string): string {
  return writeCursor(orderName(book, byPages), keys)
}

function readAfter(request: string): string {
  return request
}

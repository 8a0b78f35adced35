import assert from 'node:assert/strict'
import { test } from 'node:test'
import { abstract, errorOf, listProblems, resource } from '../library.fixture.ts'
import { orderName, writeCursor } from './cursor.ts'
import { planOrder } from './order.ts'
import { keysetPage, offsetPage } from './page.ts'
import { PlanBuilder } from './plan-builder.ts'
import { RequestValue, resolveValues } from './request-value.ts'

const book = resource('Book')
const byPages = planOrder([{ field: 'pages', direction: 'DESC', place: '' }], book, new PlanBuilder())
const places = { first: 'first', after: 'after' }

test('an offset page has its size and its offset as parameters', () => {
  const builder = new PlanBuilder()

  const page = offsetPage(20, 40, builder, { limit: 'limit', offset: 'offset' })

  assert.deepEqual(page, {
    kind: 'offset',
    limit: { index: 0, accepts: { kind: 'size' } },
    offset: { index: 1, accepts: { kind: 'offset' } },
  })
  assert.deepEqual(
    [builder.values(), builder.places],
    [
      [20, 40],
      ['limit', 'offset'],
    ],
  )
})

test('without a cursor the page starts at the beginning', () => {
  for (const after of [null, undefined, new RequestValue(null, () => null)]) {
    const page = keysetPage(20, after, book, byPages, new PlanBuilder(), places)
    assert.deepEqual(page, {
      kind: 'keyset',
      first: { index: 0, accepts: { kind: 'size' } },
      after: null,
    })
  }
})

test('each key of a cursor is a parameter of its type', () => {
  const builder = new PlanBuilder()

  const page = keysetPage(20, cursor('[300,"b1"]'), book, byPages, builder, places)

  assert.deepEqual(page.kind === 'keyset' && page.after, [
    { index: 1, accepts: { kind: 'type', type: { kind: 'scalar', name: 'Int' } } },
    { index: 2, accepts: { kind: 'type', type: { kind: 'scalar', name: 'ID' } } },
  ])
  assert.deepEqual(builder.values(), [20, 300, 'b1'])
})

test('a null key is no parameter', () => {
  const builder = new PlanBuilder()

  const page = keysetPage(20, cursor('[null,"b1"]'), book, byPages, builder, places)

  assert.equal(page.kind === 'keyset' && page.after?.[0], null)
  assert.deepEqual(builder.values(), [20, 'b1'])
})

test('over an interface the name of the type is a key too', () => {
  const work = abstract('Work')
  const order = planOrder([], work, new PlanBuilder())
  const builder = new PlanBuilder()

  keysetPage(20, writeCursor(orderName(work, order), '["b1","Book"]'), work, order, builder, places)

  assert.deepEqual([builder.values(), builder.problems], [[20, 'b1', 'Book'], []])
})

test('a wrong cursor is reported, and only once', () => {
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
    const builder = new PlanBuilder()
    keysetPage(20, after, book, byPages, builder, places)
    assert.deepEqual(listProblems(builder.problems), ['after TYPE'])
  }
})

test('the next request of the same shape has its own cursor', () => {
  const builder = new PlanBuilder()
  keysetPage(20, new RequestValue(cursor('[300,"b1"]'), readAfter), book, byPages, builder, places)

  assert.deepEqual(resolveValues(builder.requestValues, cursor('[200,"b2"]')), [20, 200, 'b2'])
})

test('a changed cursor gives the same message when the plan is already cached', () => {
  const builder = new PlanBuilder()
  keysetPage(20, new RequestValue(cursor('[300,"b1"]'), readAfter), book, byPages, builder, places)

  const error = errorOf(() => resolveValues(builder.requestValues, cursor('[200,"b2"]').replace(/.$/, 'g')))

  assert.deepEqual(listProblems(error.problems), ['after TYPE'])
  assert.match(error.message, /is not a cursor of this list in this order/)
})

function cursor(keys: string): string {
  return writeCursor(orderName(book, byPages), keys)
}

function readAfter(request: string): string {
  return request
}

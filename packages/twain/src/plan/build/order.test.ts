import assert from 'node:assert/strict'
import { test } from 'node:test'
import { abstract, listProblems, resource } from '../library.fixture.ts'
import { orderKeyName, planOrder } from './order.ts'
import { PlanBuilder } from './plan-builder.ts'

test('the default order is by id', () => {
  assert.deepEqual(order(''), ['id ASC'])
})

test('the id is the last key, in the direction of the key before it', () => {
  assert.deepEqual(order('title ASC'), ['title ASC', 'id ASC'])
  assert.deepEqual(order('title ASC, pages DESC'), ['title ASC', 'pages DESC', 'id DESC'])
})

test('keys after the id are dropped', () => {
  assert.deepEqual(order('id DESC'), ['id DESC'])
  assert.deepEqual(order('title ASC, id DESC, pages ASC'), ['title ASC', 'id DESC'])
})

test('over an interface or a union the name of the type follows, in the same direction', () => {
  assert.deepEqual(order('title DESC', abstract('Work')), ['title DESC', 'id DESC', 'type DESC'])
  assert.deepEqual(order('', abstract('Subject')), ['id ASC', 'type ASC'])
  assert.deepEqual(order('id DESC', abstract('Subject')), ['id DESC', 'type DESC'])
})

test('a key may be a field of the row that references lead to, or the number of rows in a list', () => {
  assert.deepEqual(order('author.name DESC, title ASC'), ['author.name DESC', 'title ASC', 'id ASC'])
  assert.deepEqual(order('books._count DESC', resource('Author')), ['books._count DESC', 'id DESC'])
  assert.deepEqual(order('author.books._count ASC'), ['author.books._count ASC', 'id ASC'])
  assert.deepEqual(order('author.id ASC'), ['author.id ASC', 'id ASC'], 'the id of another row makes no order total')
})

test('a path leads through references, and ends with a field or with the number of rows of a list', () => {
  const message = (key: string, of = resource('Book')): string | undefined => {
    const builder = new PlanBuilder()
    planOrder(keysOf(`${key} ASC`), of, builder)
    assert.equal(builder.problems.length, 1, key)
    return builder.problems[0]!.message
  }
  assert.equal(message('autor.name'), '"autor" is not a field of Book. Did you mean "author"?')
  assert.equal(message('author.nam'), '"nam" is not a field of Author. Did you mean "name"?')
  assert.equal(message('title.name'), '"title.name" leads nowhere: "title" is a field of the row itself.')
  const list = 'Write books._count, or {books: {count: …}} in GraphQL.'
  assert.equal(message('author.books'), `"books" of Author is not sortable. ${list}`)
  assert.equal(message('books', resource('Author')), `"books" is not sortable. ${list}`)
  assert.equal(message('author'), '"author" is not sortable. Sort by a field of it, such as author.name.')
  assert.equal(
    message('author.books.title'),
    `"author.books.title" leads into a list: sort by the number of its rows. ${list}`,
  )
  assert.match(message(`${'author.books.'.repeat(3)}_count`)!, /leads into a list/)
  assert.match(message('_count')!, /is not a field of Book/)
  assert.match(message('author._count')!, /is not a field of Author/)
})

test('an order leads to a limited number of other tables', () => {
  const builder = new PlanBuilder()
  planOrder(
    Array.from({ length: 30 }, (_, index) => ({ field: 'author.name', direction: 'ASC', place: `sort.${index}` })),
    resource('Book'),
    builder,
  )
  assert.match(builder.problems.at(-1)!.message, /leads to more than 20 other tables/)
  assert.equal(builder.problems.filter(({ code }) => code === 'RANGE').length, 1)
})

test('all wrong keys are reported at their places', () => {
  const builder = new PlanBuilder()
  const keys = ['titel ASC', 'notes ASC', 'author ASC', 'pages down', 'title ASC', 'title DESC']

  planOrder(keysOf(keys.join(', ')), resource('Book'), builder)

  assert.deepEqual(listProblems(builder.problems), [
    'sort.0 UNKNOWN',
    'sort.1 UNKNOWN',
    'sort.2 UNKNOWN',
    'sort.3 TYPE',
    'sort.5 UNKNOWN',
  ])
  assert.equal(builder.problems[0]!.message, '"titel" is not a field of Book. Did you mean "title"?')
  assert.match(builder.problems[1]!.message, /is not sortable/)
  assert.match(builder.problems[4]!.message, /named twice/)
})

function order(keys: string, of: Parameters<typeof planOrder>[1] = resource('Book')): string[] {
  const builder = new PlanBuilder()
  const planned = planOrder(keysOf(keys), of, builder)
  assert.deepEqual(builder.problems, [])
  return planned.map(
    (key) => `${key.kind === 'type' ? 'type' : orderKeyName(key, ({ name }) => name)} ${key.direction}`,
  )
}

function keysOf(text: string) {
  if (text === '') return []
  return text.split(', ').map((key, index) => {
    const [field = '', direction = ''] = key.split(' ')
    return { field, direction, place: `sort.${index}` }
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { abstract, listProblems, resource } from '../library.fixture.ts'
import { planOrder } from './order.ts'
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
  return planned.map((key) => `${key.kind === 'type' ? 'type' : key.field.name} ${key.direction}`)
}

function keysOf(text: string) {
  if (text === '') return []
  return text.split(', ').map((key, index) => {
    const [field = '', direction = ''] = key.split(' ')
    return { field, direction, place: `sort.${index}` }
  })
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Problem } from '#base'
import { loadModel, type Resource, type StoredField } from '#model'
import { checkSearch } from '../check/check-parameter.ts'
import type { Where } from '../plan.ts'
import { printWhere } from '../print-where.fixture.ts'
import { fullVisibility } from '../visibility.ts'
import { PlanBuilder } from './plan-builder.ts'
import { RequestValue } from './request-value.ts'
import { planSearch, searchShape } from './search.ts'

const model = loadModel(
  'type Post { id: ID! title: String @search body: String @search } type Tag { id: ID! label: String @search } type Log { id: ID! } union Any = Post | Tag | Log',
  'test.graphql',
)
const post = model.types.get('Post') as Resource

function plan(type: string, text: unknown, where: Where | null = null, hidden: string[] = []) {
  const visibility = { ...fullVisibility, isHidden: ({ name }: { name: string }) => hidden.includes(name) }
  const builder = new PlanBuilder(visibility)
  const planned = planSearch(text, where, model.types.get(type) as Resource, builder, 'search')
  return {
    planned: printWhere(planned),
    problems: builder.problems,
    meetsHidden: builder.namesHiddenField,
    values: builder.values(),
  }
}

test('a search is a condition beside the filter, and its text a parameter', () => {
  const { planned, values } = plan('Post', new RequestValue('Ann', () => 'Bob'), { kind: 'constant', is: true })
  assert.equal(planned, '(true & search Post.title Post.body)')
  assert.deepEqual(values, ['Ann'])
})

test('R113: over a union it searches the fields of each type', () => {
  assert.equal(plan('Any', 'x').planned, 'search Post.title Post.body Tag.label')
})

test('R110: a text without words adds no condition, and has a plan shape of its own', () => {
  for (const text of [undefined, null, '', ' ?!']) assert.equal(plan('Post', text).planned, '')
  assert.notEqual(searchShape('a'), searchShape('?'))
  assert.equal(searchShape('a'), searchShape('b c'))
})

test('R114: fields that the viewer can never read are not searched; without any other field there is no search', () => {
  assert.equal(plan('Post', 'x', null, ['body']).planned, 'search Post.title')
  const { problems, meetsHidden } = plan('Post', '', null, ['title', 'body'])
  assert.deepEqual(problems, [{ path: 'search', code: 'UNKNOWN', message: 'No field of Post can be searched.' }])
  assert.equal(meetsHidden, true)
  assert.deepEqual(plan('Log', 'x').problems, [
    { path: 'search', code: 'UNKNOWN', message: 'No field of Log can be searched.' },
  ])
})

test('R112: a search has a length and a number of words', () => {
  const check = (value: unknown) => {
    const problems: Problem[] = []
    const words = checkSearch(value, 'search', problems)
    return problems[0]?.code ?? words
  }
  assert.deepEqual(check('Zoë STRASSE'), ['zoe', 'strasse'])
  assert.equal(check('x'.repeat(501)), 'LENGTH')
  assert.equal(check(Array.from({ length: 21 }, (_, index) => `w${index}`).join(' ')), 'RANGE')
  assert.deepEqual(check('a '.repeat(250)), ['a', 'a'], 'a whole word, and a beginning')
  assert.equal(check(7), 'TYPE')
})

test('only String fields of a resource are searched', () => {
  assert.equal((post.fields.get('title') as StoredField).search, true)
  assert.equal((post.fields.get('id') as StoredField).search, undefined)
})

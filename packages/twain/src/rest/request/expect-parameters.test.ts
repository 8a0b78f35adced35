import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlanBuilder } from '#plan/build'
import { expectParameters } from './expect-parameters.ts'
import { parseQuery } from './query-string.ts'

test('R23: a parameter that has no meaning is named once, with what is near', () => {
  const builder = new PlanBuilder()
  expectParameters(parseQuery('feilds=id&where={}&limit=1&fields=id'), ['fields'], builder)
  assert.deepEqual(
    builder.problems.map(({ path, message }) => `${path} ${message}`),
    [
      'where is not a parameter here; there is fields.',
      'limit is not a parameter here; there is fields.',
      'feilds is not a parameter here; there is fields. Did you mean "fields"?',
    ],
  )
})

test('R23: where nothing is taken, the answer says so', () => {
  const builder = new PlanBuilder()
  expectParameters(parseQuery('fields=id'), [], builder)
  assert.equal(builder.problems[0]?.message, 'is not a parameter here; this request takes none.')
})

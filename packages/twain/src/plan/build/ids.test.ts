import assert from 'node:assert/strict'
import { test } from 'node:test'
import { uuidv7 } from '#base'
import { isPossibleId } from '../check/possible-id.ts'
import { listProblems } from '../library.fixture.ts'
import { expectPossibleNewId } from './ids.ts'
import { PlanBuilder } from './plan-builder.ts'

test('an id is 1 to 64 letters, digits, "_" and "-"', () => {
  for (const id of ['a', '0', '_-', 'a'.repeat(64), uuidv7()]) assert.ok(isPossibleId(id), id)
  for (const id of ['', 'a'.repeat(65), 'a b', 'ä', 'a/b', 'a.b', 'a\n']) assert.ok(!isPossibleId(id), id)
})

test('an impossible new id is reported at its place', () => {
  const builder = new PlanBuilder()
  expectPossibleNewId('a b', builder)
  expectPossibleNewId('ab', builder)
  assert.deepEqual(listProblems(builder.problems), ['id PATTERN'])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Problem } from '#base'
import { loadModel } from '../load-model.ts'
import type { Constraint, CustomScalar, StoredType } from '../model.ts'
import { checkConstraint, violation } from './check-constraint.ts'
import type { ScalarName } from './scalars.ts'

test('min and max are inclusive', () => {
  const constraint = { min: 0, max: 10 }

  assert.deepEqual(broken(constraint, 'Int', 0), [])
  assert.deepEqual(broken(constraint, 'Int', 10), [])
  assert.deepEqual(broken(constraint, 'Float', -5e-324), ['v RANGE'])
  assert.deepEqual(broken(constraint, 'Float', 10.000000000000002), ['v RANGE'])
})

test('exact numbers are compared exactly', () => {
  assert.deepEqual(broken({ max: 0.1 }, 'Decimal', '0.1'), [])
  assert.deepEqual(broken({ max: 0.1 }, 'Decimal', '0.1000000000000000000000001'), ['v RANGE'])
  assert.deepEqual(broken({ max: 9007199254740991 }, 'BigInt', '9007199254740992'), ['v RANGE'])
  assert.deepEqual(broken({ min: -2 }, 'Decimal', '-10'), ['v RANGE'])
})

test('a limit that JavaScript prints with an exponent is compared by its value', () => {
  assert.deepEqual(broken({ min: 1e-30 }, 'Decimal', '0'), ['v RANGE'])
  assert.deepEqual(broken({ min: 1e-30 }, 'Decimal', `0.${'0'.repeat(29)}1`), [])
})

test('dates and times are compared in their order', () => {
  assert.deepEqual(broken({ min: '09:00:00', max: '17:30:00' }, 'Time', '09:00:00'), [])
  assert.deepEqual(broken({ min: '09:00:00' }, 'Time', '08:59:59.999'), ['v RANGE'])
  assert.deepEqual(broken({ max: '17:30:00' }, 'Time', '17:30:00.001'), ['v RANGE'])
  assert.deepEqual(broken({ min: '2026-01-01' }, 'Date', '2025-12-31'), ['v RANGE'])
  assert.deepEqual(broken({ max: '2026-01-01T00:00:00.000Z' }, 'DateTime', '2026-01-01T00:00:00.001Z'), ['v RANGE'])
})

test('length is counted in code points, not in UTF-16 units', () => {
  assert.deepEqual(broken({ maxLength: 2 }, 'String', '𝄞𝄞'), [])
  assert.deepEqual(broken({ minLength: 3 }, 'String', '𝄞𝄞'), ['v LENGTH'])
  assert.deepEqual(broken({ maxLength: 1 }, 'String', '𝄞𝄞'), ['v LENGTH'])
})

test('a pattern matches anywhere unless it is anchored, as in JSON Schema', () => {
  assert.deepEqual(broken({ pattern: 'b+' }, 'String', 'abc'), [])
  assert.deepEqual(broken({ pattern: '^b+$' }, 'String', 'abc'), ['v PATTERN'])
  assert.deepEqual(broken({ pattern: '^.$' }, 'String', '𝄞'), [])
})

test('a format is checked by its name', () => {
  assert.deepEqual(broken({ format: 'email' }, 'String', 'ann@example.org'), [])
  assert.deepEqual(broken({ format: 'email' }, 'String', 'ann'), ['v PATTERN'])
  assert.deepEqual(broken({ format: 'duration' }, 'String', 'P1D'), [])
})

test('every violation is reported, but a pattern is not tried on a text of the wrong length', () => {
  assert.deepEqual(broken({ minLength: 3, pattern: '^x', format: 'uuid' }, 'String', 'a'), ['v LENGTH', 'v PATTERN'])
  assert.deepEqual(broken({ pattern: '^x', format: 'uuid' }, 'String', 'a'), ['v PATTERN', 'v PATTERN'])
})

test('without a maxLength a pattern is tried on 1,000 characters at most', () => {
  assert.deepEqual(broken({ pattern: '^x' }, 'String', 'x'.repeat(1000)), [])
  assert.deepEqual(broken({ pattern: '^x' }, 'String', 'x'.repeat(1001)), ['v PATTERN'])
  assert.deepEqual(broken({ pattern: '^x', maxLength: 2000 }, 'String', 'x'.repeat(1001)), [])
})

test('of a list, the items are counted and each is checked', () => {
  const list: StoredType = { kind: 'list', of: { kind: 'scalar', name: 'String' }, itemRequired: false }
  const constraint = { minItems: 1, maxItems: 2, maxLength: 2 }

  assert.deepEqual(problemsOf(constraint, list, ['ab', null]), [])
  assert.deepEqual(problemsOf(constraint, list, []), ['v LENGTH'])
  assert.deepEqual(problemsOf(constraint, list, ['a', 'b', 'abc']), ['v LENGTH', 'v.2 LENGTH'])
})

test('null violates no constraint, and a field without a constraint accepts any value', () => {
  assert.deepEqual(broken({ minLength: 1 }, 'String', null), [])
  assert.deepEqual(problemsOf(null, { kind: 'scalar', name: 'String' }, ''), [])
})

test('a custom scalar with a constraint is what the constraint is about', () => {
  const { types } = loadModel('scalar Opus type Work @allow { id: ID! opus: Opus }', 'a.graphql')
  const opus: StoredType = { kind: 'custom', scalar: types.get('Opus') as CustomScalar }
  assert.equal(violation({ pattern: 'a' }, opus, 7), 'violates its @constraint: must be a string')
  assert.equal(
    violation({ min: 1, maxLength: 2 }, opus, { a: 1 }),
    'violates its @constraint: must be a string or a number',
  )
  assert.equal(violation({ max: 3 }, opus, true), 'violates its @constraint: must be a number')
  assert.equal(violation({ max: 3, pattern: 'a' }, opus, 7), 'violates its @constraint: must be at most 3')
  assert.equal(violation({ max: 3, pattern: 'a' }, opus, 'xay'), null)
  assert.equal(violation({}, opus, { a: 1 }), null)
})

test('a violation in the schema file names the item of a list', () => {
  const list: StoredType = { kind: 'list', of: { kind: 'scalar', name: 'String' }, itemRequired: false }
  const expected = 'violates its @constraint: item 1 must have at most 2 characters (it has 3)'
  assert.equal(violation({ maxItems: 2, maxLength: 2 }, list, ['a', 'bbb']), expected)
})

function broken(constraint: Constraint, name: ScalarName, value: unknown): string[] {
  return problemsOf(constraint, { kind: 'scalar', name }, value)
}

function problemsOf(constraint: Constraint | null, type: StoredType, value: unknown): string[] {
  const problems: Problem[] = []
  checkConstraint(constraint, type, value, 'v', problems)
  return problems.map(({ path, code }) => `${path} ${code}`)
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Problem } from '#base'
import { type ScalarName, scalarNames, scalarOf } from './scalars.ts'

test('the example of each scalar is a canonical value of it', () => {
  for (const name of scalarNames) {
    const { example } = scalarOf(name)
    if (example !== null) assert.deepEqual(check(name, example), example, name)
  }
})

test('the example of each scalar matches the pattern of its JSON Schema', () => {
  for (const name of scalarNames) {
    const { example, jsonSchema } = scalarOf(name)
    if (jsonSchema.pattern !== undefined)
      assert.match(String(example), new RegExp(String(jsonSchema.pattern), 'u'), name)
  }
})

test('a Time is a time of day without a time zone, with milliseconds only if it has some', () => {
  assert.equal(check('Time', '09:30:00'), '09:30:00')
  assert.equal(check('Time', '00:00:00.000'), '00:00:00')
  assert.equal(check('Time', '23:59:59.5'), '23:59:59.500')
  assert.equal(check('Time', '23:59:59.9999'), '23:59:59.999')
  const wrong = [
    '9:30:00',
    '09:30',
    '24:00:00',
    '09:60:00',
    '09:30:60',
    '09:30:00Z',
    '09:30:00+01:00',
    '09:30:00.',
    '',
    93000,
    null,
  ]
  for (const value of wrong) assert.deepEqual(check('Time', value), ['v TYPE'], String(value))
})

test('texts of a query string become the JSON values of their scalar, and other texts stay texts', () => {
  const cases: [ScalarName, string, unknown][] = [
    ['Int', '12', 12],
    ['Int', '012', '012'],
    ['Float', '1e3', 1000],
    ['Boolean', 'true', true],
    ['Boolean', 'yes', 'yes'],
    ['JSON', '{"a":1}', { a: 1 }],
    ['JSON', '{', '{'],
    ['Time', '09:30:00', '09:30:00'],
    ['Decimal', '1.50', '1.50'],
  ]
  for (const [name, text, expected] of cases)
    assert.deepEqual(scalarOf(name).fromText(text), expected, `${name} ${text}`)
})

function check(name: ScalarName, value: unknown): unknown {
  const problems: Problem[] = []
  const canonical = scalarOf(name).check(value, 'v', problems)
  return problems.length === 0 ? canonical : problems.map(({ path, code }) => `${path} ${code}`)
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldModel } from '../api/model.ts'
import { mistakeIn } from './check-value.ts'

const field = (type: string, constraint: FieldModel['constraint']): FieldModel => ({
  name: 'price',
  description: null,
  kind: 'value',
  type,
  required: false,
  shown: true,
  read: 'all',
  operators: [],
  sort: true,
  create: 'all',
  update: 'all',
  ...(constraint && { constraint }),
})

test('exact numbers are compared digit by digit, beyond what a double holds', () => {
  const decimal = field('Decimal', { min: '-1.5', max: '12345678901234567890.05' })
  for (const right of ['12345678901234567890.05', '12345678901234567890.049', '-1.50', '-1', '+2', '.5', '0', '1e3'])
    assert.equal(mistakeIn(decimal, right), null, right)
  for (const wrong of ['12345678901234567890.051', '-1.51', '-2', '1e30'])
    assert.notEqual(mistakeIn(decimal, wrong), null, wrong)
  const whole = field('BigInt', { max: '9007199254740993' })
  assert.equal(mistakeIn(whole, '9007199254740993'), null)
  assert.notEqual(mistakeIn(whole, '9007199254740994'), null)
})

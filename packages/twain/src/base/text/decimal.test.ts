import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  addDecimals,
  canonicalDecimal,
  canonicalInteger,
  compareDecimals,
  decimalSortKey,
  numberDigits,
} from './decimal.ts'

const digits = fc.array(fc.constantFrom(...'0123456789'), { maxLength: 12 }).map((all) => all.join(''))
const written = fc
  .tuple(fc.constantFrom('', '+', '-'), digits, digits)
  .map(([sign, whole, fraction]) => `${sign}${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`)

test('each number has one canonical form, and it is the same number', () => {
  fc.assert(
    fc.property(written, written, (a, b) => {
      const [left, right] = [canonicalDecimal(a)!, canonicalDecimal(b)!]
      assert.equal(scaled(left), scaled(a))
      assert.equal(canonicalDecimal(left), left)
      assert.equal(left === right, scaled(a) === scaled(b))
    }),
    { seed: 1 },
  )
})

test('the order of the keys is the order of the numbers', () => {
  fc.assert(
    fc.property(written, written, (a, b) => {
      const [left, right] = [canonicalDecimal(a)!, canonicalDecimal(b)!]
      const difference = scaled(a) - scaled(b)
      const expected = difference < 0n ? -1 : difference > 0n ? 1 : 0
      assert.equal(compareDecimals(left, right), expected)
    }),
    { numRuns: 1000, seed: 1 },
  )
})

test('a sum is exact and canonical', () => {
  fc.assert(
    fc.property(written, written, (a, b) => {
      const sum = addDecimals(canonicalDecimal(a)!, canonicalDecimal(b)!)!
      assert.equal(scaled(sum), scaled(a) + scaled(b))
      assert.equal(canonicalDecimal(sum), sum)
    }),
    { seed: 1 },
  )
  const most = '9'.repeat(200)
  assert.equal(addDecimals(most, '1'), null)
  assert.equal(addDecimals(most, `-${most.slice(1)}`), `9${'0'.repeat(199)}`)
  assert.equal(addDecimals(`0.${'5'.repeat(198)}`, `0.${'4'.repeat(197)}5`), '1')
})

test('numbers near to each other and far from each other keep their order', () => {
  const rising = [
    '-100',
    '-99.5',
    '-10',
    '-9.91',
    '-9.9',
    '-9',
    '-0.5',
    '-0.05',
    '0',
    '0.05',
    '0.5',
    '9',
    '9.9',
    '10',
    '99.5',
  ]

  const keys = [...rising, `1${'0'.repeat(199)}`].map(decimalSortKey)

  assert.deepEqual(keys, keys.toSorted())
})

test('a text that is no number, or longer than 200 characters, has no canonical form', () => {
  for (const text of ['', '-', '.5', '5.', '1e3', '0x1', ' 1', '1 ', '१', 'Infinity']) {
    assert.equal(canonicalDecimal(text), null, text)
  }
  assert.equal(canonicalDecimal('9'.repeat(200)), '9'.repeat(200))
  assert.equal(canonicalDecimal('9'.repeat(201)), null)
})

test('a whole number has no point', () => {
  assert.equal(canonicalInteger('-007'), '-7')
  assert.equal(canonicalInteger('7.0'), null)
})

test('the digits of a double read back as the same double, and are canonical', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e25, max: 1e25 }), (value) => {
      const text = numberDigits(value)
      assert.equal(Number(text), value + 0)
      if (text.length <= 200) assert.equal(canonicalDecimal(text), text)
    }),
    { seed: 1 },
  )
  assert.equal(numberDigits(1.5e-7), '0.00000015')
  assert.equal(numberDigits(-1.5e21), '-1500000000000000000000')
})

/** The number times 10^12. */
function scaled(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace(/^[+-]/, '').split('.')
  const magnitude = BigInt(whole + fraction.padEnd(12, '0'))
  return text.startsWith('-') ? -magnitude : magnitude
}

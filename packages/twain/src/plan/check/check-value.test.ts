import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ScalarName, StoredType } from '#model'
import { listProblems, stored } from '../library.fixture.ts'
import { type CheckOptions, checkValue } from './check-value.ts'

test('an Int is whole and has 32 bits', () => {
  assert.deepEqual(scalar('Int', 2147483647), 2147483647)
  assert.deepEqual(scalar('Int', -2147483648), -2147483648)
  assert.deepEqual(scalar('Int', 2147483648), ['v RANGE'])
  assert.deepEqual(scalar('Int', -2147483649), ['v RANGE'])
  for (const wrong of [1.5, '1', true, {}, [1], Number.NaN]) assert.deepEqual(scalar('Int', wrong), ['v TYPE'])
})

test('a Float keeps every bit of a finite double', () => {
  for (const value of [0.1 + 0.2, 5e-324, 1.7976931348623157e308, 2 ** 53 + 2]) {
    assert.equal(scalar('Float', value), value)
  }
  assert.deepEqual(scalar('Float', Number.POSITIVE_INFINITY), ['v RANGE'])
  assert.deepEqual(scalar('Float', '1.5'), ['v TYPE'])
})

test('minus zero becomes zero, as an Int, a Float and inside JSON', () => {
  assert.ok(Object.is(scalar('Int', -0), 0))
  assert.ok(Object.is(scalar('Float', -0), 0))
  assert.ok(Object.is((scalar('JSON', [-0]) as number[])[0], 0))
})

test('a String is text of whole characters without NUL', () => {
  assert.equal(scalar('String', '𝄞 ünïcode'), '𝄞 ünïcode')
  assert.equal(scalar('String', ''), '')
  assert.deepEqual(scalar('String', 'a\0b'), ['v PATTERN'])
  assert.deepEqual(scalar('String', 'half \ud834'), ['v PATTERN'])
  assert.deepEqual(scalar('String', 5), ['v TYPE'])
})

test('a Boolean is true or false, not a string', () => {
  assert.equal(scalar('Boolean', false), false)
  for (const wrong of ['true', 0, 1]) assert.deepEqual(scalar('Boolean', wrong), ['v TYPE'])
})

test('an ID is text; a whole number is taken as its digits', () => {
  assert.equal(scalar('ID', 'a-1'), 'a-1')
  assert.equal(scalar('ID', 42), '42')
  assert.deepEqual(scalar('ID', 1.5), ['v TYPE'])
  assert.deepEqual(scalar('ID', 2 ** 53), ['v TYPE'])
  assert.deepEqual(scalar('ID', 'a\0'), ['v PATTERN'])
})

test('the canonical DateTime is in UTC with milliseconds', () => {
  const canonical: Record<string, string> = {
    '2026-01-31T09:30:00Z': '2026-01-31T09:30:00.000Z',
    '2026-01-31t09:30:00z': '2026-01-31T09:30:00.000Z',
    '2026-01-31T09:30:00.1234567Z': '2026-01-31T09:30:00.123Z',
    '2026-01-31T00:30:00.5+01:00': '2026-01-30T23:30:00.500Z',
    '2026-12-31T23:30:00-05:45': '2027-01-01T05:15:00.000Z',
    '2024-02-29T00:00:00Z': '2024-02-29T00:00:00.000Z',
    '0000-01-01T00:00:00Z': '0000-01-01T00:00:00.000Z',
  }
  for (const [written, expected] of Object.entries(canonical)) assert.equal(scalar('DateTime', written), expected)
})

test('a DateTime that no calendar or clock has is rejected', () => {
  const wrong = [
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00', // no offset: no moment
    '2026-01-01 00:00:00Z',
    '2026-01-01',
    '0000-01-01T00:00:00+01:00', // the year before
    '9999-12-31T23:59:59-01:00', // the year after
    '2026-01-01T00:00:00Z\n',
    1767225600000,
  ]
  for (const value of wrong) assert.deepEqual(scalar('DateTime', value), ['v TYPE'], String(value))
})

test('a Date is a day of the calendar', () => {
  assert.equal(scalar('Date', '2024-02-29'), '2024-02-29')
  for (const wrong of [
    '2026-02-30',
    '2025-02-29',
    '1900-02-29',
    '2026-1-1',
    '2026-01-00',
    '2026-01-01T00:00:00Z',
    20260101,
  ]) {
    assert.deepEqual(scalar('Date', wrong), ['v TYPE'], String(wrong))
  }
})

test('a Decimal has one canonical form and keeps every digit', () => {
  assert.equal(scalar('Decimal', '+007.50'), '7.5')
  assert.equal(scalar('Decimal', '-0.00'), '0')
  assert.equal(scalar('Decimal', '0.1234567890123456789012345678901'), '0.1234567890123456789012345678901')
  for (const wrong of ['', '.5', '5.', '1e3', ' 1', 'NaN', '1,5', '9'.repeat(201), true, null]) {
    assert.deepEqual(scalar('Decimal', wrong), ['v TYPE'], String(wrong))
  }
})

test('a JSON number is taken as a Decimal where no digit of it can be lost', () => {
  assert.equal(scalar('Decimal', 19.9), '19.9')
  assert.equal(scalar('Decimal', 1e-7), '0.0000001')
  assert.equal(scalar('Decimal', -9007199254740991), '-9007199254740991')
  // biome-ignore lint/correctness/noPrecisionLoss: that is what it is about
  for (const lossy of [0.1234567890123456789, 9007199254740993, 1e21, Number.NaN]) {
    assert.deepEqual(scalar('Decimal', lossy), ['v TYPE'], String(lossy))
  }
})

test('a BigInt is whole and of any size', () => {
  assert.equal(scalar('BigInt', '-00900719925474099300000'), '-900719925474099300000')
  assert.equal(scalar('BigInt', 42), '42')
  for (const wrong of ['1.0', '1.5', 1.5, '0x10', ''])
    assert.deepEqual(scalar('BigInt', wrong), ['v TYPE'], String(wrong))
})

test('JSON is anything, and a member called __proto__ is only a member', () => {
  const value = JSON.parse('{"a": [1, null, true, {"b": "c"}], "__proto__": {"admin": true}}') as unknown

  const canonical = scalar('JSON', value) as Record<string, unknown>

  assert.equal(JSON.stringify(canonical), JSON.stringify(value))
  assert.equal(canonical.admin, undefined)
})

test('JSON is checked down to its keys, each problem at its place', () => {
  assert.deepEqual(scalar('JSON', { a: ['ok', 'a\0'], 'b\0': 1 }), ['v.a.1 PATTERN', 'v PATTERN'])
  assert.deepEqual(scalar('JSON', { a: [undefined] }), ['v.a.0 TYPE'])
})

test('JSON is nested at most 64 levels', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)])

  assert.deepEqual(scalar('JSON', nested(64)), nested(64))
  assert.match(String(scalar('JSON', nested(65))), /RANGE$/)
})

test('a scalar of the file is any JSON', () => {
  assert.deepEqual(checked(stored('Book.colour').type, { r: 1 }), { r: 1 })
})

test('an enum accepts its values, and suggests the nearest', () => {
  const problems: never[] = []
  checkValue(stored('Book.genre').type, 'NOVLE', 'genre', problems)

  assert.equal(checked(stored('Book.genre').type, 'POEM'), 'POEM')
  assert.deepEqual(problems, [
    { path: 'genre', code: 'TYPE', message: 'must be one of NOVEL, ESSAY, POEM. Did you mean "NOVEL"?' },
  ])
})

test('each invalid item of a list is reported', () => {
  assert.deepEqual(checked(stored('Book.scores').type, [1, null]), [1, null])
  assert.deepEqual(checked(stored('Book.scores').type, [1, 'x', 1.5]), ['v.1 TYPE', 'v.2 TYPE'])
  assert.deepEqual(checked(stored('Book.labels').type, ['a', null]), ['v.1 REQUIRED'])
  assert.deepEqual(checked(stored('Book.labels').type, 'a'), ['v TYPE'])
})

test('a value is completed: a missing member gets its default or null', () => {
  assert.deepEqual(checked(stored('Book.size').type, { width: 2, unit: { name: 'cm', factor: 0.01 } }), {
    width: 2,
    height: 1,
    unit: { name: 'cm', factor: '0.01' },
    note: null,
  })
})

test('all problems of a value are reported at once', () => {
  const value = { height: null, widht: 1, unit: { name: 5 }, note: 'long' }

  assert.deepEqual(checked(stored('Book.size').type, value), [
    'v.widht UNKNOWN',
    'v.width REQUIRED',
    'v.height REQUIRED',
    'v.unit.name TYPE',
    'v.note LENGTH',
  ])
  assert.deepEqual(checked(stored('Book.size').type, [value]), ['v TYPE'])
})

test('a merge patch of a value leaves out what it does not change', () => {
  const { type } = stored('Book.size')

  assert.deepEqual(checked(type, { note: null, unit: { factor: '2' } }, { partial: true }), {
    unit: { factor: '2' },
    note: null,
  })
  assert.deepEqual(checked(type, { width: null }, { partial: true }), ['v.width REQUIRED'])
})

test('an item of a list is whole, also in a merge patch', () => {
  assert.deepEqual(checked(stored('Book.sizes').type, [{ height: 2 }], { partial: true }), ['v.0.width REQUIRED'])
})

function scalar(name: ScalarName, value: unknown): unknown {
  return checked({ kind: 'scalar', name }, value)
}

/** The canonical value, or what is wrong. */
function checked(type: StoredType, value: unknown, options: CheckOptions = {}): unknown {
  const problems: Parameters<typeof checkValue>[3] = []
  const canonical = checkValue(type, value, 'v', problems, options)
  return problems.length === 0 ? canonical : listProblems(problems)
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { abstract, resource } from '../library.fixture.ts'
import { cursorShape, orderName, readCursor, writeCursor } from './cursor.ts'
import { planOrder } from './order.ts'
import { PlanBuilder } from './plan-builder.ts'

const key = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  fc.string({ unit: 'binary' }),
)
const keys = fc.array(key, { minLength: 1, maxLength: 4 })

test('a cursor decodes to the keys that were encoded', () => {
  fc.assert(
    fc.property(keys, fc.string(), (keys, name) => {
      assert.deepEqual(readCursor(name, writeCursor(name, JSON.stringify(keys))), keys)
    }),
    { seed: 1 },
  )
})

test('a cursor with any one character changed, dropped or added is rejected', () => {
  const characters = fc.oneof(
    fc.constantFrom(...'ABCabc019-_.=+/ '),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
  )
  fc.assert(
    fc.property(keys, fc.nat(), characters, fc.constantFrom(0, 1), (keys, at, character, replaced) => {
      const cursor = writeCursor('order', JSON.stringify(keys))
      const place = at % cursor.length
      const changed = cursor.slice(0, place) + character + cursor.slice(place + replaced)
      const shorter = cursor.slice(0, place) + cursor.slice(place + 1)
      if (changed !== cursor) assert.equal(readCursor('order', changed), null)
      assert.equal(readCursor('order', shorter), null)
    }),
    { numRuns: 500, seed: 1 },
  )
})

test('a change that decodes to the same text is rejected too', () => {
  const cursor = writeCursor('order', '["\ufffd"]')
  const bytes = Buffer.from('["\ufffd"]')
  bytes[2] = 0xf3 // a broken sequence of four bytes, which reads as U+FFFD again

  assert.equal(bytes.toString(), '["\ufffd"]')
  assert.equal(readCursor('order', bytes.toString('base64url') + cursor.slice(cursor.indexOf('.'))), null)
})

test('a text that is no cursor is rejected', () => {
  for (const text of ['', '.', 'x', 'e30.', `${'A'.repeat(2_000_000)}.0123456789`]) {
    assert.equal(readCursor('order', text), null)
  }
})

test('a cursor with a valid checksum and anything but keys is rejected', () => {
  for (const forged of ['', '{', 'null', '5', '"ab"', '{"length":2}', '[[1],"a"]', '[{"a":1},"b"]', '[1,"b"']) {
    assert.equal(readCursor('order', writeCursor('order', forged)), null, forged)
  }
})

test('a cursor may contain a text as long as a body', () => {
  const long = 'x'.repeat(900_000)
  assert.deepEqual(readCursor('order', writeCursor('order', JSON.stringify([long, 'b1']))), [long, 'b1'])
})

test('a cursor of another type or another order is rejected', () => {
  const byTitle = nameOf('title ASC')
  const cursor = writeCursor(byTitle, '["a","1"]')

  assert.deepEqual(readCursor(byTitle, cursor), ['a', '1'])
  for (const other of [nameOf('title DESC'), nameOf('isbn ASC'), nameOf('title ASC', abstract('Work')), nameOf('')]) {
    assert.equal(readCursor(other, cursor), null, other)
  }
})

test('the shape of a cursor includes which keys are null', () => {
  assert.equal(cursorShape(writeCursor('order', '["a",null,1]')), 'vnv')
  assert.equal(cursorShape(undefined), '')
  const endless = writeCursor('order', JSON.stringify(new Array(5000).fill(1)))
  for (const wrong of ['', 'x', 'e30.x', '!!!.x', endless]) assert.equal(cursorShape(wrong), '?', wrong)
})

function nameOf(key: string, of: Parameters<typeof orderName>[0] = resource('Book')): string {
  const [field = '', direction = ''] = key.split(' ')
  return orderName(of, planOrder(key === '' ? [] : [{ field, direction, place: '' }], of, new PlanBuilder()))
}

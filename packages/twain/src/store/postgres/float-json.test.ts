// stores: postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { floatJson } from './float-json.ts'
import { makeTestDatabase } from './test-database.fixture.ts'

const samples = Number(process.env.TWAIN_FLOATS ?? 4000)

/** Random bits; few digits and many zeros, where decimals lie between two numbers; the neighbours of powers of two. */
const anyFloat = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.tuple(fc.integer(), fc.integer({ min: -320, max: 290 })).map(([digits, zeros]) => Number(`${digits}e${zeros}`)),
  fc.tuple(fc.integer(), fc.integer({ min: 6, max: 16 })).map(([digits, zeros]) => Number(`${digits}e${zeros}`)),
  fc
    .tuple(fc.integer({ min: -1074, max: 1023 }), fc.integer({ min: -2, max: 2 }))
    .map(([e, n]) => 2 ** e * (1 + n * 2 ** -52)),
)

test('PostgreSQL prints every number as ECMAScript does', async (t) => {
  const database = await makeTestDatabase()
  t.after(() => database.drop())
  const numbers = fc.sample(anyFloat, samples)
  const list = `{${numbers.join(',')}}`
  const rows = await database.raw.query(
    `SELECT (${floatJson('x')})::text AS text FROM unnest($1::text::double precision[]) WITH ORDINALITY AS e (x, n) ORDER BY n`,
    [list],
  )
  assert.deepEqual(
    rows.map(({ text }) => text),
    numbers.map((number) => JSON.stringify(number)),
  )
})

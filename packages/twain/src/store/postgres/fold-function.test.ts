// stores: postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { foldText } from '#base'
import { reserveSession } from './connect/reserve-session.ts'
import type { Session } from './connect/session.ts'
import { createFoldFunction, foldFunction } from './fold-function.ts'
import { makeTestDatabase, type TestDatabase } from './test-database.fixture.ts'

let database: TestDatabase
let session: Session
before(async () => {
  database = await makeTestDatabase()
  session = await reserveSession(database.address, 'SELECT 1')
  await createFoldFunction(session)
})
after(async () => {
  await session.close()
  await database.drop()
})

test('PostgreSQL folds every character of Unicode as Node does', async () => {
  const rows = await session.query<{ first: number; folded: string }>(
    `SELECT first, ${foldFunction}(string_agg(chr(n), '' ORDER BY n)) AS folded
     FROM generate_series(0, 1114111, 64) AS first, generate_series(first, first + 63) AS n
     WHERE n > 0 AND n NOT BETWEEN 55296 AND 57343 GROUP BY first`,
  )
  assert.equal(rows.length, (0x110000 - 0x800) / 64)
  for (const { first, folded } of rows) {
    const codes = Array.from({ length: 64 }, (_, index) => Number(first) + index).filter((code) => code > 0)
    const text = String.fromCodePoint(...codes)
    if (folded !== foldText(text)) assert.equal(folded, foldText(text), `from U+${Number(first).toString(16)}`)
  }
})

test('long and mixed texts fold alike, and NULL stays NULL', async () => {
  const many = Array.from({ length: 1500 }, (_, index) => String.fromCodePoint(0xc0 + index)).join('')
  const texts = [many, '', 'Zoë İ', '한글 ABC ß'.repeat(1000), 'e\u0301E\u0301', '＇＂＼$1 \\1 %', 'ΟΔΟΣ ЁЛКА 𝒳😀']
  for (const text of texts) {
    const [row] = await session.query(`SELECT ${foldFunction}($1::text) AS folded`, [text])
    assert.equal(row?.folded, foldText(text))
  }
  const [none] = await session.query(`SELECT ${foldFunction}(NULL) AS folded`)
  assert.equal(none?.folded, null)
})

test('the second start of a node creates nothing', async () => {
  await createFoldFunction(session)
  const [row] = await session.query(
    `SELECT count(*)::integer AS count FROM pg_proc WHERE proname = '${foldFunction}' AND pronamespace = current_schema()::regnamespace`,
  )
  assert.equal(row?.count, 1)
})

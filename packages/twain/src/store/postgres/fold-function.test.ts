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

/** The characters of one query: a long one would hold up tests that build indexes, which wait for it. */
const queryLength = 8192

test('PostgreSQL folds every character of Unicode as Node does', async () => {
  for (let begin = 0; begin < 0x110000; begin += queryLength) {
    // Short texts, like most; long ones where Unicode has no letters.
    const textLength = begin < 0x40000 ? 64 : queryLength
    const rows = await session.query<{ first: number; folded: string }>(
      `SELECT first, ${foldFunction}(string_agg(chr(n), '' ORDER BY n)) AS folded
       FROM generate_series($1::integer, $1 + ${queryLength - 1}, ${textLength}) AS first,
         generate_series(first, first + ${textLength - 1}) AS n
       WHERE n > 0 AND n NOT BETWEEN 55296 AND 57343 GROUP BY first`,
      [begin],
    )
    for (const { first, folded } of rows) {
      const codes = Array.from({ length: textLength }, (_, index) => Number(first) + index)
      const text = String.fromCodePoint(...codes.filter((code) => code > 0))
      if (folded !== foldText(text)) assert.equal(folded, foldText(text), `from U+${Number(first).toString(16)}`)
    }
    const hasSurrogates = begin === 0xd800 - (0xd800 % queryLength)
    assert.equal(rows.length, (hasSurrogates ? queryLength - 0x800 : queryLength) / textLength)
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

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { MissCounter } from '../read/read-cost.ts'
import { openWriteConnection } from './connect.ts'
import { clearFunctionError, requireNoFunctionError } from './function-error.ts'

test('an error of a function is found although the statement has an aggregate of Twain', (t) => {
  const database = open(t)
  clearFunctionError()
  const isBeyond = `twain_double('1${'0'.repeat(400)}') > 0`
  const row = database.prepare(`SELECT twain_sum(value) FROM json_each('[1, 2]') WHERE value = 1 OR ${isBeyond}`).get()
  assert.equal(row, undefined)
  assert.throws(requireNoFunctionError, { message: 'The sum is larger than a Float can be.' })
  clearFunctionError()
  requireNoFunctionError()
})

test('a counted read with an aggregate of Twain stops after too many rows', (t) => {
  const database = open(t)
  const counter = new MissCounter(database)
  const statement = database.prepare(
    `SELECT twain_sum(value) AS sum FROM json_each('[1, 2, 3]') WHERE twain_missed() = 0`,
  )
  const read = () => statement.get()?.sum ?? null
  assert.equal(counter.run(2, read), undefined)
  assert.equal(counter.run(3, read), '10016 6')
})

function open(t: { after(run: () => void): void }) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-function-'))
  const database = openWriteConnection(join(folder, 'twain.db'))
  t.after(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  return database
}

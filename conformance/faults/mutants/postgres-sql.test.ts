// Shows that the comparison of the stores finds bugs: with any one default of PostgreSQL, some answer differs.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ReadPool } from '../../../packages/twain/src/store/postgres/read/read-pool.ts'
import { WriteSession } from '../../../packages/twain/src/store/postgres/write/write-session.ts'
import { compareRandomRequests } from '../../stores/compare-answers.ts'
import { StorePair } from '../../stores/store-pair.ts'
import { everything } from '../../stores/store-schema.ts'
import { type Mutant, mutants } from './postgres-sql-mutants.ts'

let mutant: Mutant | null = null
/** Statements that the mutant changed. */
let changed = 0
const mutated = (sql: string): string => {
  const sent = mutant?.sql(sql) ?? sql
  if (sent !== sql) changed++
  return sent
}
const real = { read: ReadPool.prototype.query, write: WriteSession.prototype.query }

before(() => {
  ReadPool.prototype.query = function ask(sql, parameters) {
    return real.read.call(this, mutated(sql), parameters)
  }
  WriteSession.prototype.query = function ask(queries, received) {
    const sent = queries.map(({ sql, parameters }) => ({ sql: mutated(sql), parameters }))
    return real.write.call(this, sent, received)
  }
})

after(() => {
  ReadPool.prototype.query = real.read
  WriteSession.prototype.query = real.write
})

for (const each of mutants) {
  test(`the comparison finds that ${each.name}`, { timeout: 180_000 }, async (context) => {
    const pair = await StorePair.open(everything)
    const tally = { sent: 0, writes: 0, statuses: new Map<string, number>() }
    mutant = each
    changed = 0
    try {
      const failure = await compareRandomRequests(pair, everything, each.seed, 2000, tally).catch(
        (error: Error) => error,
      )
      assert.ok(changed > 0, 'no statement has the text that the mutant replaces')
      assert.match(String(failure), /PostgreSQL differs from SQLite/)
      context.diagnostic(`by request ${tally.sent + 1}`)
    } finally {
      mutant = null
      await pair.close()
    }
  })
}

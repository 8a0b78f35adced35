import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Query } from '../../sql/query.ts'
import type { HeldLocks } from './held-locks.ts'
import { type OpenSession, runInOpenTransaction } from './run-step.ts'
import type { WriteSession } from './write-session.ts'

const query = (sql: string): Query => ({ sql, parameters: [] })

test('a step that comes after the end of an open transaction does not reach its connection', async () => {
  const sent: string[] = []
  const session = {
    async query(queries: readonly Query[], received: unknown[]) {
      for (const { sql } of queries) {
        sent.push(sql)
        received.push([['1']])
      }
    },
    rollBack: () => void sent.push('ROLLBACK'),
  } as unknown as WriteSession
  let late: OpenSession | null = null
  const work = async (open: OpenSession): Promise<void> => {
    late = open
    await open.run([query('first step')])
    throw new Error('timeout')
  }
  const locks = { has: () => false } as unknown as HeldLocks
  await assert.rejects(
    runInOpenTransaction(work, async () => session, { isolation: 'SERIALIZABLE', waitMs: 50 }, locks),
    { message: 'timeout' },
  )
  assert.equal(sent.at(-1), 'ROLLBACK')
  await assert.rejects(late!.run([query('second step')]), { message: 'the transaction has ended' })
  assert.ok(!sent.includes('second step'))
})

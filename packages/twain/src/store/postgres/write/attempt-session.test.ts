import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { StatementObserver } from '../../observe/statement-observer.ts'
import { silent } from '../../store.fixture.ts'
import { AssertionTexts } from './assumptions.ts'
import { AttemptSession } from './attempt-session.ts'
import type { SessionPool } from './session-pool.ts'
import { SharedCommits } from './shared-commits.ts'

/** A pool and a clock: each wait for a connection takes `waitMs`, each round trip `tripMs`. */
function open(t: TestContext, waitMs: number, tripMs: number) {
  let clock = 1000
  t.mock.method(performance, 'now', () => clock)
  const slow: { duration_ms: number; shape: string; 'db.query.text': string }[] = []
  const warn = (fields: object) => void slow.push(fields as (typeof slow)[number])
  const observer = new StatementObserver({
    system: 'postgresql',
    log: { ...silent, warn },
    slowQueryMs: 100,
    tracing: null,
  })
  const session = {
    process: null,
    async query() {
      clock += tripMs
    },
  }
  const acquire = async () => {
    clock += waitMs
    return session
  }
  const sessions = { size: 8, time: 0, versionFloor: 0, acquire, release() {} } as unknown as SessionPool
  const shared = new SharedCommits(sessions, new AssertionTexts())
  const run = (subject: string, isWhole: boolean) => {
    const queries = ['BEGIN', subject, 'COMMIT'].map((sql) => ({ sql, parameters: [] }))
    return new AttemptSession(sessions, shared, observer, subject, () => {}).query(queries, [], isWhole)
  }
  return { run, slow }
}

test('the wait for a connection is no time of a statement', async (t) => {
  const { run, slow } = open(t, 500, 1)
  await run('update Post', false)
  await run('create Post', true)
  await Promise.all([run('create Post', true), run('create User', true)])
  assert.deepEqual(slow, [])
})

test('a slow round trip is reported', async (t) => {
  const { run, slow } = open(t, 0, 200)
  await run('update Post', false)
  await run('create Post', true)
  assert.deepEqual(
    slow.map(({ shape, duration_ms }) => [shape, duration_ms]),
    [
      ['update Post', 200],
      ['create Post', 200],
    ],
  )
})

test('a slow round trip of several writes is reported once, with the statements of all', async (t) => {
  const { run, slow } = open(t, 500, 200)
  await Promise.all(['create Post', 'create User', 'create Post'].map((subject) => run(subject, true)))
  assert.deepEqual(
    slow.map(({ shape, duration_ms }) => [shape, duration_ms]),
    [['create Post, and 2 more in one transaction', 200]],
  )
  assert.match(
    slow[0]!['db.query.text'],
    /^BEGIN;\n.*lock_timeout.*;\n.*xact_id.*;\ncreate Post;\ncreate User;\nCOMMIT$/,
  )
})

// On PostgreSQL a change is in the feed when the sequencer has assigned its position, and in the history of its row at once. Also shows
// that `TWAIN_TEST_DELAY_MS` delays the feeds: otherwise it would find no test that reads them too early.
// stores: postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delayStatements } from '../../scripts/delay-positions.ts'
import { OwnDatabase } from '../harness/own-database.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

test('a change whose position is late is in the history of its row at once, and in the feed later', async (t) => {
  const own = new OwnDatabase()
  t.after(() => own.close())
  const { address: database, raw } = await own.schema()
  t.after(() => raw.end())
  const [role] = await raw.query('SELECT rolsuper AS is_super FROM pg_roles WHERE rolname = current_user')
  if (role?.is_super !== true) return t.skip('only a superuser may create an event trigger')
  for (const statement of delayStatements(60_000)) await raw.query(statement)
  const service = await TestService.open(t, 'type Note @allow { id: ID! text: String! }', { database })
  await service.succeed('PUT', '/notes/n1', { text: 'one' })
  const kinds = async (path: string) => {
    const { edges } = await service.succeed('GET', path)
    return edges.map(({ node }: { node: { kind?: string; type?: string } }) => node.kind ?? node.type)
  }
  assert.deepEqual(await kinds('/notes/n1/changes'), ['CREATED'])
  const sleeping = `FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()`
  await until(
    () => raw.query(`SELECT pid ${sleeping}`),
    ({ length }) => length === 1,
  )
  assert.deepEqual(await kinds('/changes'), [])
  for (const statement of delayStatements(0)) await raw.query(statement) // for the next batch
  await raw.query(`SELECT pg_cancel_backend(pid) ${sleeping}`)
  await service.settle()
  assert.deepEqual(await kinds('/changes'), ['note.created'])
})

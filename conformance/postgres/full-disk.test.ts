// A full disk of a PostgreSQL server: the detail FULL, a log entry of its own, and a metric. A trigger stands for the disk.
// stores: postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Metrics } from '../../packages/twain/src/http/index.ts'
import { makePreparedDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = 'type Note @allow { id: ID! text: String! }'

test('a full disk of the server refuses writes with FULL, and the log and a metric say so', async (t) => {
  const { address, raw, drop } = await makePreparedDatabase()
  t.after(drop)
  const logged: string[] = []
  const note = (_: object, entry: string) => void logged.push(entry)
  const log = { ...silent, warn: note, error: note }
  const metrics = { of: new Metrics(), to: 'local' } as const
  const service = await TestService.open(t, sdl, { database: address, log, metrics })
  await raw.query(`CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$`)
  await raw.query('CREATE TRIGGER fill BEFORE INSERT ON "Note" FOR EACH ROW EXECUTE FUNCTION fill()')

  for (let n = 0; n < 2; n++) {
    const { status, body } = await service.send('POST', '/notes', { text: 'a' })
    assert.deepEqual([status, body.code, body.errors[0].code], [503, 'UNAVAILABLE', 'FULL'])
  }
  assert.deepEqual(logged, ['the disk is full: free some space, and writes succeed again'])
  const text = await (await fetch(`${service.address}/metrics`)).text()
  assert.match(text, /^twain_storage_failures_total\{kind="full"\} 2$/m)

  await raw.query('DROP TRIGGER fill ON "Note"')
  await service.succeed('POST', '/notes', { text: 'a' })
})

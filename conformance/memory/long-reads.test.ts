// Long reads on PostgreSQL: whatever one client reads, short reads of others are answered at once.
// stores: postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { makePreparedDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = 'type Note @allow(to: [READ, CREATE]) { id: ID! title: String! text: String! }'

test('ten long reads of one client leave connections to others, and short reads go on', async (t) => {
  const database = await makePreparedDatabase()
  t.after(() => database.drop())
  const service = await TestService.open(t, sdl, { database: database.address, poolSize: 10 })
  const { id } = await service.succeed('POST', '/notes', { title: 'a', text: 'a' })
  // As slow as a large table: each row that the filter looks at takes a moment.
  await database.raw.query(`
    CREATE FUNCTION slow_text(value text) RETURNS text LANGUAGE plpgsql STABLE AS
    $$ BEGIN PERFORM pg_sleep(1); RETURN value; END $$;
    ALTER TABLE "Note" RENAME TO note_rows;
    CREATE VIEW "Note" AS SELECT _n, id, _version, title, slow_text(text) AS text FROM note_rows`)

  const read = (path: string, address: string) => {
    const request = plainRequest('GET', path, { address })
    return service.service.handle({ ...request, context: contextOf(address) } as never)
  }
  const running = () => database.raw.query(selectRunning).then(([row]) => row!.count as number)
  const long = Array.from({ length: 10 }, (_, n) =>
    read(`/notes?text[contains]=${n}&sort=text&limit=${n + 1}`, '192.0.2.1'),
  )
  const counts: number[] = []
  while (counts.length < 3) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    counts.push(await running())
    const began = performance.now()
    const { status } = await read(`/notes/${id}?fields=title`, '192.0.2.2')
    assert.equal(status, 200)
    assert.ok(performance.now() - began < 900, 'a short read waited for a long one')
  }
  assert.ok(Math.max(...counts) <= 2, `${Math.max(...counts)} of one client ran at once`)
  const others = Array.from({ length: 3 }, (_, n) => read(`/notes?text[contains]=b&limit=${n + 1}`, `192.0.2.${n + 3}`))
  assert.equal((await read(`/notes/${id}?fields=title`, '192.0.2.9')).status, 200)
  await service.service.close().catch(() => null)
  await Promise.allSettled([...long, ...others])
})

const selectRunning = `SELECT count(*)::integer AS count FROM pg_stat_activity
  WHERE datname = current_database() AND state = 'active' AND query LIKE '%"Note"%' AND wait_event = 'PgSleep'`

function contextOf(address: string): object {
  return { client: address, connection: null, passwords: 0, responseHeaders: [], stages: null }
}

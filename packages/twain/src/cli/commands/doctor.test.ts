import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { makeEmptyPlace } from '#test-place'
import { command } from '../command.fixture.ts'

function makeSchema(t: TestContext, sdl = 'type Note @allow { id: ID! }'): { file: string; data: string } {
  const folder = mkdtempSync(join(tmpdir(), 'twain-doctor-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'schema.graphql')
  writeFileSync(file, sdl)
  return { file, data: join(folder, 'data') }
}

test('a service on SQLite that is fine', async (t) => {
  const { file, data } = makeSchema(t)
  const { code, out } = await command('doctor', file, '--data', data, '--port', '0')
  assert.equal(code, 0, out)
  assert.match(out, /^✓ Node 2\d/)
  assert.match(out, /✓ .*schema\.graphql has no mistakes: 1 types/)
  assert.match(out, /data has [\d.]+ GB free/)
})

test('what is wrong comes with what to do', async (t) => {
  const { file, data } = makeSchema(t, 'type Note { text: String }')
  const taken = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => taken.once('listening', resolve))
  t.after(() => taken.close())
  const { port } = taken.address() as { port: number }
  const { code, out } = await command('doctor', file, '--data', data, '--port', String(port))
  assert.equal(code, 1)
  assert.match(out, /✗ .*schema\.graphql can't be served\.\n {2}twain check /)
  assert.match(out, /! Port \d+ of 127\.0\.0\.1 is taken\.\n {2}Is the service running already\?/)
})

test('a service on PostgreSQL', async (t) => {
  const { file, data } = makeSchema(t)
  const { place, drop } = await makeEmptyPlace(data, 'postgres')
  t.after(drop)
  const { code, out } = await command('doctor', file, '--database', place.database!, '--port', '0', '--host', '0.0.0.0')
  assert.equal(code, 0, out)
  assert.match(out, /✓ PostgreSQL \d+.* answers at postgres:/)
  assert.match(out, /connections/)
  assert.match(out, /✓ The clocks .* agree/)
  assert.doesNotMatch(out, /deadlock_timeout/) // a superuser may set it
  assert.match(out, /! The service does not know its public address/)
  const wrong = new URL(place.database!)
  wrong.port = '1'
  wrong.password = 'secret'
  const away = await command('doctor', file, '--database', wrong.href, '--port', '0')
  assert.equal(away.code, 1)
  assert.match(away.out, /✗ postgres:\/\/.* can't be used: /)
  assert.doesNotMatch(away.out, /secret/)
})

// Damaged pages of the database file and a full disk are told apart from bugs: codes, log, readiness, and what commands say.
// stores: sqlite

import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { command } from '../../packages/twain/src/cli/command.fixture.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = 'type Note @allow { id: ID! text: String! } type Tag @allow { id: ID! name: String! @unique }'
const message = 'The database file is damaged where this request reads or writes.'

test('reads of damaged pages answer DAMAGED, and readiness and the log say so', async (t) => {
  const { data, logged, service } = await serveDamaged(t)
  for (const path of ['/notes', '/notes?text[contains]=x&sort=text']) {
    const { code, detail, errors } = (await (await fetch(service.address + path)).json()) as Problem
    assert.deepEqual([code, detail, errors?.[0]?.code], ['INTERNAL', message, 'DAMAGED'], path)
  }
  const body = JSON.stringify({ query: '{ notes { text } }' })
  const headers = { 'content-type': 'application/json' }
  const answer = await (await fetch(`${service.address}/graphql`, { method: 'POST', headers, body })).json()
  assert.equal((answer as GraphQLAnswer).errors[0]!.extensions.errors[0]!.code, 'DAMAGED')

  const ready = await fetch(`${service.address}/readyz`)
  assert.deepEqual(
    [ready.status, ((await ready.json()) as { reason: string }).reason],
    [503, 'the database file is damaged'],
  )
  assert.ok(logged.includes('the database file is damaged: twain doctor --deep shows how much; restore a backup'))
  assert.ok(!logged.includes('request failed'))
  await service.close()

  const schema = join(data, 'schema.graphql')
  writeFileSync(schema, sdl)
  const backup = await command('backup', '--data', data, '--to', join(data, 'backup.db'))
  assert.equal(backup.code, 1)
  assert.match(backup.err, /^error The database file is damaged: twain doctor --deep shows how much\. Stop the server/)
  assert.doesNotMatch(backup.err, /bug in Twain/)
  const deep = await command('doctor', schema, '--data', data, '--port', '0', '--deep')
  assert.equal(deep.code, 1)
  assert.match(deep.out, /✗ .*twain\.db is damaged: [\s\S]*\n {2}Stop the service, and restore a backup/)
})

interface Problem {
  code: string
  detail: string
  errors?: { code: string }[]
}

interface GraphQLAnswer {
  errors: { extensions: { errors: { code: string }[] } }[]
}

/** A service whose rows of one type are garbage on disk. */
async function serveDamaged(t: TestContext): Promise<{ service: TestService; data: string; logged: string[] }> {
  const data = mkdtempSync(join(tmpdir(), 'twain-damage-'))
  t.after(() => rmSync(data, { recursive: true, force: true }))
  const first = await TestService.open(t, sdl, { data })
  for (let n = 0; n < 3; n++) {
    const rows = Array.from({ length: 100 }, () => ({ text: 'x'.repeat(1000) }))
    await first.succeed('POST', '/notes', rows)
  }
  await first.close()
  spoilPages(data, 'Note')
  const logged: string[] = []
  const log = { ...silent, error: (_: object, entry: string) => void logged.push(entry) }
  return { service: await TestService.open(t, sdl, { data, log }), data, logged }
}

/** Writes garbage to the pages of a table, all but those that are inner nodes. */
function spoilPages(data: string, table: string): void {
  const file = join(data, 'twain.db')
  const database = new DatabaseSync(file)
  const pages = database.prepare(`SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf'`).all(table)
  database.close()
  assert.ok(pages.length > 10 && statSync(file).size > 0)
  const handle = openSync(file, 'r+')
  for (const { pageno } of pages as { pageno: number }[])
    writeSync(handle, Buffer.alloc(4096, 0xee), 0, 4096, (pageno - 1) * 4096)
  closeSync(handle)
}

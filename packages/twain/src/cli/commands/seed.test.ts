// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { loadModel } from '#model'
import { defaultLimits } from '#plan'
import { openStore } from '#store'
import { makeTestPlace } from '#test-place'
import { command } from '../command.fixture.ts'

const sdl = 'type Post @allow(role: "admin") { id: ID! title: String! }'

test('fills an empty place once, whatever the rules', async (t) => {
  const { file, seed, flags } = await place(t)
  const first = await command('seed', file, '--seed', seed, ...flags)
  assert.equal(first.code, 0, first.err)
  assert.match(first.out, /created 2 Post in \d+ ms\.\n$/)
  const again = await command('seed', file, '--seed', seed, ...flags)
  assert.deepEqual([again.code, again.err], [0, ''])
  assert.match(again.out, /was not run: the database already has rows/)
})

test('reports missing options and refuses data that a server runs on', async (t) => {
  const { file, seed, data } = await place(t)
  const none = await command('seed', file, '--data', data)
  assert.equal(none.code, 2)
  assert.match(none.err, /--seed FILE is missing/)
  const log = { info() {}, warn() {}, error() {} }
  const store = await openStore({ data, model: loadModel(sdl, ''), sdl, limits: defaultLimits, log })
  const refused = await command('seed', file, '--seed', seed, '--data', data)
  await store.close()
  assert.equal(refused.code, 1)
  assert.match(refused.err, /^error /)
})

async function place(t: TestContext) {
  const data = mkdtempSync(join(tmpdir(), 'twain-seed-'))
  const { flags, drop } = await makeTestPlace(data)
  t.after(async () => {
    await drop()
    rmSync(data, { recursive: true })
  })
  const [file, seed] = [join(data, 'schema.graphql'), join(data, 'seed.ts')]
  writeFileSync(file, sdl)
  writeFileSync(
    seed,
    `export async function seed(make) { for (const title of ['One', 'Two']) await make('Post', { title }) }`,
  )
  return { data, file, seed, flags }
}

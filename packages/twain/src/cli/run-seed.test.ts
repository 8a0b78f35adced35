// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { HttpHandler } from '#http'
import { loadModel, type Model } from '#model'
import { defaultLimits } from '#plan'
import { openStore } from '#store'
import { makeTestPlace } from '#test-place'
import { command } from './command.fixture.ts'
import { seed } from './run-seed.ts'

const sdl = 'type Post @allow(role: "admin") { id: ID! title: String! }'

test('fills an empty database once, without access rules', async (t) => {
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

test('creates rows through the REST API and reports how many', async (t) => {
  const { handle, rows } = shop()
  const file = seedFile(
    t,
    `const { id } = await make('Shelf', { name: 'A' })
     await Promise.all(['x', 'y'].map((name) => make('Item', { name, shelf: id })))
     return 'Look at shelf A.'`,
  )

  assert.match(
    await seed(file, { handleAsSystem: handle, model }),
    /created 1 Shelf, 2 Item in \d+ ms\.\nLook at shelf A\.$/,
  )
  assert.deepEqual(rows.items, [
    { id: '1', name: 'x', shelf: '1' },
    { id: '2', name: 'y', shelf: '1' },
  ])
})

test('does nothing if the database has a row', async (t) => {
  const { handle, rows } = shop()
  rows.items!.push({ id: '1' })
  assert.match(await seed(seedFile(t, "await make('Item', {})"), { handleAsSystem: handle, model }), /was not run/)
  assert.equal(rows.items!.length, 1)
})

test('reports a refused row, an unknown resource and a module without seed', async (t) => {
  const { handle } = shop()
  const failing = (body: string) => seed(seedFile(t, body), { handleAsSystem: handle, model })
  await assert.rejects(failing("await make('Item', { name: 7 })"), {
    message: /Item \{"name":7\} was refused: name: not a text$/,
  })
  await assert.rejects(failing("await make('Itme', {})"), { message: /no resource "Itme"\. Did you mean "Item"\?$/ })
  await assert.rejects(failing("throw new Error('own')"), { message: /failed: Error: own/ })
  await assert.rejects(seed('no/such.ts', { handleAsSystem: handle, model }), {
    message: /no\/such\.ts can't be loaded/,
  })
  const commonjs = seedFile(t, '').replace(/\.mts$/, '.ts')
  writeFileSync(commonjs, 'export async function seed() {}')
  writeFileSync(join(commonjs, '../package.json'), '{"type": "commonjs"}')
  await assert.rejects(seed(commonjs, { handleAsSystem: handle, model }), {
    message:
      /can't be loaded: .*\n.*\n.*\nNode reads it as CommonJS, because of package\.json\. Rename it to seed\.mts\.$/,
  })
  await assert.rejects(seed(seedFile(t, '', 'other'), { handleAsSystem: handle, model }), {
    message: /does not export seed\. Write: export/,
  })
})

const model = {
  resources: [
    { name: 'Shelf', path: 'shelves' },
    { name: 'Item', path: 'items' },
  ],
} as unknown as Model

/** Two collections behind a fake REST API. */
function shop(): { handle: HttpHandler; rows: Record<string, object[]> } {
  const rows: Record<string, object[]> = { shelves: [], items: [] }
  const reply = (status: number, value: unknown) => ({ status, headers: {}, body: JSON.stringify(value) })
  return {
    rows,
    async handle({ method, path, body }) {
      const collection = rows[path.slice(1)]!
      if (method === 'GET') return reply(200, collection.slice(0, 1))
      const input = JSON.parse(Buffer.from(await body()).toString())
      if (typeof input.name !== 'string') return reply(400, { detail: 'name: not a text', errors: [] })
      const row = { id: String(collection.length + 1), ...input }
      collection.push(row)
      return reply(201, row)
    },
  }
}

function seedFile(t: TestContext, body: string, name = 'seed'): string {
  const folder = mkdtempSync(join(tmpdir(), 'twain-seed-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'seed.mts')
  writeFileSync(file, `export async function ${name}(make: (type: string, input: object) => Promise<any>) { ${body} }`)
  return file
}

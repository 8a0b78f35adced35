// What no read shows, deleted rows that can be restored and changes that only @history keeps, in copies, backups and exports.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Service } from '../../packages/twain/src/main/index.ts'
import { until } from '../harness/until.ts'
import { type Ask, setUpCopy } from './copy-fixture.ts'

const sdl = `
type Post @softDelete @history(keep: "1y") @allow {
  id: ID!, slug: String @unique, title: String!, photo: File, notes: [Note!]!
}
type Note @allow { id: ID!, text: String!, post: Post! @relation(onDelete: CASCADE) }
type Plain @allow { id: ID!, title: String }
`

/** A short time, after which the log has moved its entries to the kept ones. */
const events = { retentionSeconds: 1, heartbeatSeconds: 15 }

async function versions(service: Service, path: string, ask: Ask): Promise<number[]> {
  const { body } = await ask(service, 'GET', `${path}/changes?fields=version`)
  return (body as { edges: { node: { version: number } }[] }).edges.map(({ node }) => node.version)
}

async function fill(service: Service, ask: Ask): Promise<void> {
  for (const id of ['kept', 'gone']) {
    assert.equal((await ask(service, 'PUT', `/posts/${id}`, { slug: id, title: 'One' })).status, 201)
    assert.equal((await ask(service, 'PATCH', `/posts/${id}`, { title: 'Two' })).status, 200)
  }
  await ask(service, 'PUT', '/notes/along', { text: 'n', post: 'gone' })
  assert.equal((await ask(service, 'DELETE', '/posts/gone')).status, 204)
  await ask(service, 'PUT', '/plains/last', { title: 'x' })
  await until(
    () => versions(service, '/plains/last', ask),
    (found) => found.length === 0,
  )
}

/** The history is there, a version comes back, and so does the deleted row with what went along. */
async function expectAll(service: Service, ask: Ask): Promise<void> {
  assert.deepEqual(await versions(service, '/posts/kept', ask), [2, 1])
  const reverted = await ask(service, 'POST', '/posts/kept/reversions', { version: 1 })
  assert.equal((reverted.body as { title: string }).title, 'One')
  assert.equal((await ask(service, 'GET', '/posts/gone')).status, 404)
  const deleted = (await ask(service, 'GET', '/posts?deleted=only&fields=id')).body
  assert.deepEqual(deleted, [{ id: 'gone' }])
  assert.equal((await ask(service, 'POST', '/posts/gone/restorations')).status, 200)
  assert.equal((await ask(service, 'GET', '/notes/along')).status, 200)
  // After a restored backup new versions begin far above those that were lost.
  assert.deepEqual((await versions(service, '/posts/gone', ask)).slice(1), [3, 2, 1])
}

test('copies and backups have deleted rows and kept histories; an export has neither', async (t) => {
  const { folder, database, serve, twain, ask } = await setUpCopy(t, sdl)
  const [data, back, restored] = ['data', 'back', 'restored'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const service = await serve({ data, events })
  await fill(service, ask)
  await service.close()

  const backup = join(folder, 'backup.db')
  assert.equal((await twain('backup', '--data', data, '--to', backup)).code, 0)
  assert.equal((await twain('restore', backup, '--data', restored)).code, 0)
  assert.equal((await twain('copy', '--move', '--from', data, '--to', database.address)).code, 0)
  assert.equal((await twain('copy', '--move', '--from', database.address, '--to', back)).code, 0)

  const schema = join(folder, 'schema.graphql')
  const exported = join(folder, 'exported')
  const written = await twain('export', '--schema', schema, '--data', back, '--to', exported)
  assert.equal(written.code, 0, written.err)
  const files = readdirSync(exported, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ndjson'))
  const text = files.map((name) => readFileSync(join(exported, name), 'utf8')).join('')
  assert.match(text, /"id":"kept"/)
  assert.doesNotMatch(text, /"gone"|"along"/)

  for (const place of [{ data: restored }, { data: back }, { data: back, database: database.address }]) {
    const copy = await serve(place)
    await expectAll(copy, ask)
    await copy.close()
  }
})

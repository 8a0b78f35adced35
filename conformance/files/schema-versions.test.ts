// Files and two versions of a schema: a file stays while any column or link of the database refers to it, whichever version
// of the schema created that column.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { hour, openCleanup, read, sweepAll } from './open-cleanup.ts'
import { makeTestStorage, type TestStorage } from './test-storage.ts'

const star = 'id: ID! name: String! photo: File'
const v1 = `type Star { ${star} }`
const newer = {
  'fields of a known type': `type Star { ${star} doc: File atlas: [File!]! }`,
  'a type of its own': `${v1} type Sky { id: ID! doc: File! atlas: [File!]! }`,
}

for (const [what, v2] of Object.entries(newer)) {
  const path = what === 'a type of its own' ? '/skies/a' : '/stars/a'

  test(`a rollback keeps the files of ${what}, however long it lasts`, async (t) => {
    const storage = await makeStorage(t)
    await (await openCleanup(t, v1, storage)).close()
    const { doc, map } = await fill(t, v2, path, storage)

    const back = await openCleanup(t, v1, storage)
    const loose = await back.keep('loose')
    await passDays(back, 3)
    assert.equal((await back.request('GET', `/files/${loose}`)).status, 404, 'the cleanup has run')
    await back.close()

    const again = await openCleanup(t, v2, storage)
    await passDays(again, 3)
    assert.deepEqual(await Promise.all([doc, map].map((id) => read(again.files, id))), ['doc', 'map'])
    const { text } = await again.request('GET', path)
    assert.deepEqual(JSON.parse(text).doc, doc)
  })
}

test('a line that is taken out of the schema and put back finds its files', async (t) => {
  const storage = await makeStorage(t)
  const v2 = newer['fields of a known type']
  const { doc, map } = await fill(t, v2, '/stars/a', storage)
  const without = await openCleanup(t, `type Star { ${star} more: String }`, storage)
  await passDays(without, 3)
  await without.close()
  const again = await openCleanup(t, v2, storage)
  assert.deepEqual(await Promise.all([doc, map].map((id) => read(again.files, id))), ['doc', 'map'])
})

test('a node that runs since before the newer schema keeps its files', {
  skip: testedStore === 'sqlite' && 'a SQLite file has one node',
}, async (t) => {
  const storage = await makeStorage(t)
  const old = await openCleanup(t, v1, storage)
  await passDays(old, 3)
  const v2 = newer['a type of its own']
  const { doc, map } = await fill(t, v2, '/skies/a', storage)
  const loose = await old.keep('loose')
  await passDays(old, 3)
  assert.equal((await old.request('GET', `/files/${loose}`)).status, 404, 'the cleanup has run')
  const node = await openCleanup(t, v2, storage)
  assert.deepEqual(await Promise.all([doc, map].map((id) => read(node.files, id))), ['doc', 'map'])
})

async function makeStorage(t: TestContext): Promise<TestStorage> {
  const storage = await makeTestStorage()
  t.after(() => storage.drop())
  return storage
}

/** Two files that only the newer schema refers to: by a column and by a link. */
async function fill(t: TestContext, sdl: string, path: string, storage: TestStorage) {
  const node = await openCleanup(t, sdl, storage)
  const [doc, map] = [await node.keep('doc'), await node.keep('map')]
  await node.write('PUT', path, { ...(path === '/skies/a' ? {} : { name: 'a' }), doc, atlas: [map] })
  await node.close()
  return { doc, map }
}

type Opened = Awaited<ReturnType<typeof openCleanup>>

/** The cleanup runs twice a day. */
async function passDays({ pass, files }: Opened, days: number): Promise<void> {
  for (let half = 0; half < 2 * days; half++) {
    await sweepAll(files)
    pass(12 * hour + 1)
  }
  await sweepAll(files)
}

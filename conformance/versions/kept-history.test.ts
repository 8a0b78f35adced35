// Changes that @history keeps, when the directive or the type changes, and when a node with an older schema prunes the log.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { ChangingService } from '../harness/changing-service.ts'
import { until } from '../harness/until.ts'

const plain = 'type Plain @allow { id: ID! title: String }'
const schema = (directive: string, name = 'Post') =>
  `type ${name} ${directive} @allow { id: ID! title: String } ${plain}`

const events = { retentionSeconds: 1, heartbeatSeconds: 15 }

async function versions(service: ChangingService, path: string): Promise<number[]> {
  const { body } = await service.rest('GET', `${path}/changes?fields=version`)
  return (body as { edges: { node: { version: number } }[] }).edges.map(({ node }) => node.version)
}

/** Until the log has lost everything that was written so far. */
async function forget(service: ChangingService): Promise<void> {
  const { body } = await service.rest('POST', '/plains', { title: 'last' })
  await until(
    () => versions(service, `/plains/${(body as { id: string }).id}`),
    (found) => found.length === 0,
  )
}

async function makePost(service: ChangingService): Promise<string> {
  const { id } = (await service.rest('POST', '/posts', { title: 'One' })).body as { id: string }
  await service.rest('PATCH', `/posts/${id}`, { title: 'Two' })
  return id
}

const revert = (service: ChangingService, path: string, version: number) =>
  service.rest('POST', `${path}/reversions`, { version })

test('kept changes survive another time and another name; without @history the next pruning drops them', async () => {
  const service = await ChangingService.open(schema('@history(keep: "1y")'), null, { allowBreaking: true, events })
  try {
    const id = await makePost(service)
    await forget(service)
    assert.deepEqual(await versions(service, `/posts/${id}`), [2, 1])
    await service.change(schema('@history(keep: "2y")'))
    await forget(service)
    assert.deepEqual(await versions(service, `/posts/${id}`), [2, 1])
    await service.change(schema('@history(keep: "2y") @was(name: "Post")', 'Article'))
    await forget(service)
    assert.deepEqual(await versions(service, `/articles/${id}`), [2, 1])
    const { body } = await revert(service, `/articles/${id}`, 1)
    assert.equal((body as { title: string }).title, 'One')

    await service.change(schema(''))
    await forget(service)
    await forget(service) // a run that began before the change may have ended the first wait
    assert.equal((await revert(service, `/posts/${id}`, 1)).status, 410)
    await service.change(schema('@history(keep: "1y")'))
    assert.deepEqual(await versions(service, `/posts/${id}`), [])
    await service.rest('PATCH', `/posts/${id}`, { title: 'Four' })
    await forget(service)
    assert.deepEqual(await versions(service, `/posts/${id}`), [4])
  } finally {
    await service.close()
  }
})

test('a shorter time holds for changes that are kept already', async () => {
  const service = await ChangingService.open(schema('@history(keep: "1y")'), null, { allowBreaking: true, events })
  try {
    const id = await makePost(service)
    await forget(service)
    assert.deepEqual(await versions(service, `/posts/${id}`), [2, 1])
    await service.change(schema('@history(keep: "1s")'))
    const left = await until(
      () => versions(service, `/posts/${id}`),
      (found) => found.length === 0,
    )
    assert.deepEqual(left, [])
  } finally {
    await service.close()
  }
})

test('a node with an older schema prunes the log and keeps what the newer one wants', {
  skip: testedStore === 'sqlite',
}, async () => {
  const older = await ChangingService.open(schema(''), null, { events })
  const newer = await ChangingService.open(schema('@history(keep: "1y")'), older)
  try {
    const id = await makePost(newer)
    await forget(newer) // only the older node prunes: the newer one has the default time
    assert.deepEqual(await versions(newer, `/posts/${id}`), [2, 1])
    assert.equal((await revert(newer, `/posts/${id}`, 1)).status, 200)
    const other = await makePost(newer)
    await forget(newer)
    assert.equal((await older.rest('DELETE', `/posts/${other}`)).status, 204)
    await forget(newer)
    await newer.rest('PUT', `/posts/${other}`, { title: 'New' })
    const found = await versions(newer, `/posts/${other}`)
    assert.ok(!found.includes(1) && !found.includes(2), String(found))
  } finally {
    await newer.close()
    await older.close()
  }
})

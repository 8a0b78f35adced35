// The history of a row, and its earlier versions, under other versions of the schema.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChangingService } from '../harness/changing-service.ts'

interface Row {
  id: string
  [name: string]: unknown
}

interface Changes {
  edges: { node: { version: number; changed: { field: string; before: unknown; after: unknown }[] } }[]
}

const type = (fields: string) => `type Post @allow { id: ID! ${fields} }`

async function withService(sdl: string, use: (service: ChangingService) => Promise<void>): Promise<void> {
  const service = await ChangingService.open(sdl, null, { allowBreaking: true })
  try {
    await use(service)
  } finally {
    await service.close()
  }
}

const revert = (service: ChangingService, id: string, version: number) =>
  service.rest('POST', `/posts/${id}/reversions`, { version })

const problems = (body: unknown) =>
  (body as { errors: { path: string; code: string }[] }).errors.map(({ path, code }) => [path, code])

test('a renamed field has its present name in the history, and comes back', async () => {
  await withService(type('title: String words: Int'), async (service) => {
    const { id } = (await service.rest('POST', '/posts', { title: 'One', words: 1 })).body as Row
    await service.rest('PATCH', `/posts/${id}`, { title: 'Two' })
    await service.change(type('heading: String @was(name: "title") words: Int'))
    const { edges } = (await service.rest('GET', `/posts/${id}/changes`)).body as Changes
    assert.deepEqual(edges[0]!.node.changed, [{ field: 'heading', before: 'One', after: 'Two' }])
    const { body } = await revert(service, id, 1)
    assert.deepEqual([(body as Row).heading, (body as Row).words], ['One', 1])
    await service.change(type('title: String words: Int'))
    const older = (await service.rest('GET', `/posts/${id}/changes?first=1`)).body as Changes
    assert.deepEqual(older.edges[0]!.node.changed, [{ field: 'title', before: 'Two', after: 'One' }])
    assert.equal(((await revert(service, id, 2)).body as Row).title, 'Two')
  })
})

test('fields that the version did not have, and fields that the schema has no more, stay out', async () => {
  await withService(type('title: String old: String'), async (service) => {
    const { id } = (await service.rest('POST', '/posts', { title: 'One', old: 'a' })).body as Row
    await service.rest('PATCH', `/posts/${id}`, { title: 'Two', old: 'b' })
    await service.change(type('title: String fresh: String words: Int! @default(value: 3)'))
    await service.rest('PATCH', `/posts/${id}`, { fresh: 'x', words: 5 })
    const { status, body } = await revert(service, id, 1)
    assert.equal(status, 200)
    assert.deepEqual(body, { id, title: 'One', fresh: 'x', words: 5 })
  })
})

test('a value that the schema does not allow any more is a mistake of its field, unless the row still has it', async () => {
  await withService(`enum Kind { A B C } ${type('title: String kind: Kind note: String')}`, async (service) => {
    const { id } = (await service.rest('POST', '/posts', { title: 'a long title', kind: 'C' })).body as Row
    await service.rest('PATCH', `/posts/${id}`, { title: 'short', kind: 'A', note: 'x' })
    const strict = type('title: String @constraint(maxLength: 8) kind: Kind note: String!')
    await service.change(`enum Kind { A B } ${strict}`)
    const { status, body } = await revert(service, id, 1)
    assert.equal(status, 400, JSON.stringify(body))
    assert.deepEqual(problems(body), [
      ['title', 'LENGTH'],
      ['kind', 'TYPE'],
    ])
    const other = (await service.rest('POST', '/posts', { title: 'y', note: 'y' })).body as Row
    await service.rest('PATCH', `/posts/${other.id}`, { title: 'z' })
    assert.equal((await revert(service, other.id, 1)).status, 200)
    await service.change(type('title: String note: String'))
    const third = (await service.rest('POST', '/posts', { title: 'a' })).body as Row
    await service.rest('PATCH', `/posts/${third.id}`, { note: 'n' })
    await service.change(type('title: String note: String!'))
    assert.deepEqual(problems((await revert(service, third.id, 1)).body), [['note', 'REQUIRED']])
  })
})

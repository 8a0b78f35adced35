// @history keeps the changes of a type's rows longer than the change log (docs/guide/history.md,
// docs/internals/decisions/0078-reversions.md).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { anonymous, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import { type ApiClient, openApis, restBody, type TestApis } from '../harness/open-apis.ts'
import { until } from '../harness/until.ts'

const sdl = `
  type Tag @allow { id: ID! label: String }
  type Post @history(keep: "1y") @softDelete @allow(to: READ, where: {open: {eq: true}}) @allow(role: "editor") {
    id: ID! title: String open: Boolean tags: [Tag!]!
  }
  type Brief @history(keep: "1s") @allow { id: ID! title: String }
  type Plain @allow { id: ID! title: String }
`

interface Row {
  id: string
  [name: string]: unknown
}

let apis: TestApis
let editor: ApiClient
before(async () => {
  apis = await openApis(sdl)
  editor = apis.as({ ...anonymous, roles: ['editor'], authenticated: true } satisfies Viewer)
})
after(() => apis.close())

const make = async (path: string, body: object) => (await restBody(editor, 'POST', path, body)) as Row
const patch = (path: string, body: object) => restBody(editor, 'PATCH', path, body)

async function versions(path: string, client: ApiClient = editor, query = ''): Promise<number[]> {
  const { edges } = (await restBody(client, 'GET', `${path}/changes?fields=version${query}`)) as {
    edges: { node: { version: number } }[]
  }
  return edges.map(({ node }) => node.version)
}

/** The log forgets everything that was written so far: the last of it is a row of a type that is not kept. */
async function forget(): Promise<void> {
  const { id } = await make('/plains', { title: 'last' })
  const left = async () => {
    await apis.forgetChanges()
    return versions(`/plains/${id}`)
  }
  assert.deepEqual(await until(left, (found) => found.length === 0), [])
}

test('the history goes on behind the log, by pages and under the rules, and a version comes back', async () => {
  const tag = await make('/tags', { label: 'sea' })
  const { id } = await make('/posts', { title: 'One', open: false, tags: [tag.id] })
  await patch(`/posts/${id}`, { title: 'Two', open: true, tags: [] })
  await patch(`/posts/${id}`, { title: 'Three' })
  await forget()
  assert.deepEqual(await versions(`/posts/${id}`), [3, 2, 1])
  await patch(`/posts/${id}`, { title: 'Four' })
  assert.deepEqual(await versions(`/posts/${id}`), [4, 3, 2, 1])
  assert.deepEqual(await versions(`/posts/${id}`, editor, '&first=2'), [4, 3])
  assert.deepEqual(await versions(`/posts/${id}`, apis), [4, 3])
  const back = await restBody(editor, 'POST', `/posts/${id}/reversions`, { version: 1 })
  assert.equal((back as Row).title, 'One')
  assert.deepEqual(
    ((await restBody(editor, 'GET', `/posts/${id}/tags`)) as Row[]).map((one) => one.id),
    [tag.id],
  )
  await forget()
  assert.deepEqual(await versions(`/posts/${id}`), [5, 4, 3, 2, 1])
})

test('keep is over: a change goes when the log is pruned the next time', async () => {
  const { id } = await make('/briefs', { title: 'One' })
  await forget()
  const left = async () => {
    await apis.forgetChanges()
    return versions(`/briefs/${id}`)
  }
  assert.deepEqual(await until(left, (found) => found.length === 0), [])
})

test('a deleted row keeps its history until it is gone for good', async () => {
  const { id } = await make('/posts', { title: 'One' })
  await patch(`/posts/${id}`, { title: 'Two' })
  await forget()
  await restBody(editor, 'DELETE', `/posts/${id}`)
  await forget()
  await restBody(editor, 'POST', `/posts/${id}/restorations`)
  assert.deepEqual(await versions(`/posts/${id}`), [4, 3, 2, 1])
  await restBody(editor, 'DELETE', `/posts/${id}?purge=true`)
  await forget()
  await restBody(editor, 'PUT', `/posts/${id}`, { title: 'New' })
  assert.deepEqual(await versions(`/posts/${id}`), [6])
  assert.equal((await editor.rest('POST', `/posts/${id}/reversions`, { version: 1 })).status, 410)
})

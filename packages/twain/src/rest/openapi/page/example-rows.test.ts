import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anonymous } from '#base/http'
import { loadModel } from '#model'
import { ExampleRows } from './example-rows.ts'

test("R266: the example of a delete by a filter is not the viewer's own account", async () => {
  const model = loadModel('type User @account @allow { id: ID! email: String! @unique }', 'users.graphql')
  const viewer = { ...anonymous, account: 'u2', authenticated: true }
  const read = async (target: string) => [{ id: decodeURIComponent(target).includes('"ne":"u2"') ? 'u1' : 'u2' }]
  const rows = new ExampleRows(model, viewer, read)
  const { resource } = model.account!
  assert.equal(await rows.deletable(resource), 'u2')
  assert.equal(await rows.deletableByFilter(resource), 'u1')
  assert.equal(await new ExampleRows(model, anonymous, read).deletableByFilter(resource), 'u2')
})

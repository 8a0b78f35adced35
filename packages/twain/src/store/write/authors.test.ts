import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { onEachStore, openTestStore, type TestStore } from '../store.fixture.ts'

const sdl = `
  type User @account @allow { id: ID! email: String! @unique }
  type Team @allow { id: ID! name: String lead: User }
`

onEachStore('the author of a change', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(sdl, { on })
  })
  after(() => store.close())

  const authors = () => store.query('SELECT resource, kind, by, via FROM twain_change ORDER BY version, resource')

  test('is stored with every change, of the row and of rows that follow it', async () => {
    const ann = store.as({ account: 'ann', via: 'web 1.0' })
    await store.as(null).replace('User', 'ann', { email: 'ann@example.org' })
    await ann.replace('Team', 't', { name: 'Blue', lead: 'ann' })
    await store.as({ token: 'k1' }).update('Team', 't', { name: 'Red' })
    await store.as({ account: 'bob', via: 'web 1.0' }).delete('User', 'ann')
    assert.deepEqual(
      (await authors()).map(({ resource, kind, by, via }) => [resource, kind, by, via]),
      [
        ['Team', 'created', 'account:ann', 'web 1.0'],
        ['User', 'created', 'anonymous', null],
        ['Team', 'updated', 'key:k1', null],
        ['User', 'deleted', 'account:bob', 'web 1.0'],
        ['Team', 'updated', 'account:bob', 'web 1.0'],
      ],
    )
  })
})

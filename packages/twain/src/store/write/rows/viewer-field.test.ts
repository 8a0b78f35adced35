import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiErrorOf, onEachStore, openTestStore, type TestStore } from '../../store.fixture.ts'

onEachStore('a field with the viewer as its value', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(
      `
      type User @account @allow { id: ID! email: String! @unique }
      type Bot @allow { id: ID! }
      union Maker = User | Bot
      type Note @allow {
        id: ID! text: String by: User! @auto(set: VIEWER) maker: Maker @default(value: VIEWER) owner: User @default(value: VIEWER)
      }
    `,
      { on },
    )
    for (const id of ['ann', 'bob']) await store.as(null).replace('User', id, { email: id })
    await store.as(null).replace('Bot', 'bot', {})
  })
  after(() => store.close())

  const problems = async (write: Promise<unknown>) => {
    const { code, problems: all } = await apiErrorOf(write)
    return [code, ...all.map(({ path, code: detail }) => `${path} ${detail}`)]
  }

  test('is filled by a create', async () => {
    const { id, row } = await store.as({ account: 'ann' }).create('Note', {})
    assert.deepEqual([row.by, row.maker, row.owner], ['ann', 'User:ann', 'ann'])
    const [stored] = await store.query('SELECT maker, maker_type FROM "Note" WHERE id = ?1', id)
    assert.deepEqual(stored, { maker: 'ann', maker_type: 'User' })
  })

  test('can be set if it is a default, but not if the server sets it', async () => {
    const ann = store.as({ account: 'ann' })
    const { row } = await ann.create('Note', { owner: 'bob', maker: null, by: 'ann' })
    assert.deepEqual([row.by, row.maker, row.owner], ['ann', null, 'bob'])
    assert.deepEqual(await problems(ann.create('Note', { by: 'bob' })), ['VALIDATION_FAILED', 'by READONLY'])
    const { problems: reported } = await apiErrorOf(ann.create('Note', { by: 'bob' }))
    assert.equal(reported[0]!.message, 'is set by the server to who is signed in; leave it out.')
    assert.deepEqual(await problems(ann.replace('Note', 'mine', { by: 'bob' })), ['VALIDATION_FAILED', 'by READONLY'])
  })

  test('must be set by a viewer without an account', async () => {
    const operator = store.as({ roles: ['admin'] })
    const { row } = await operator.create('Note', { by: 'bob' })
    assert.deepEqual([row.by, row.maker, row.owner], ['bob', null, null])
    assert.deepEqual(await problems(operator.create('Note', {})), ['VALIDATION_FAILED', 'by REQUIRED'])
  })

  test('does not change when another viewer writes', async () => {
    const { id } = await store.as({ account: 'ann' }).create('Note', {})
    const bob = store.as({ account: 'bob' })
    const { row } = await bob.replace('Note', id, { text: 'x' })
    assert.deepEqual([row.by, row.maker, row.owner], ['ann', 'User:ann', 'ann'])
    assert.deepEqual(await problems(bob.update('Note', id, { by: 'bob' })), ['VALIDATION_FAILED', 'by READONLY'])
    assert.equal((await bob.update('Note', id, { by: 'ann', owner: 'bob' })).row.owner, 'bob')
  })

  test('a viewer whose account was deleted is unauthenticated', async () => {
    assert.equal((await apiErrorOf(store.as({ account: 'deleted' }).create('Note', {}))).code, 'UNAUTHENTICATED')
  })
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { faultOf, onEachStore, openTestStore, type TestStore } from '../../store.fixture.ts'

onEachStore('a field is filled with the viewer', (on) => {
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
    const { code, problems: all } = await faultOf(write)
    return [code, ...all.map(({ path, code: detail }) => `${path} ${detail}`)]
  }

  test('on create', async () => {
    const { id, row } = await store.as({ account: 'ann' }).create('Note', {})
    assert.deepEqual([row.by, row.maker, row.owner], ['ann', 'ann', 'ann'])
    const [kept] = await store.query('SELECT maker, maker_type FROM "Note" WHERE id = ?1', id)
    assert.deepEqual(kept, { maker: 'ann', maker_type: 'User' })
  })

  test('a default gives way to what is given, and what the server sets does not', async () => {
    const ann = store.as({ account: 'ann' })
    const { row } = await ann.create('Note', { owner: 'bob', maker: null, by: 'ann' })
    assert.deepEqual([row.by, row.maker, row.owner], ['ann', null, 'bob'])
    assert.deepEqual(await problems(ann.create('Note', { by: 'bob' })), ['VALIDATION_FAILED', 'by READONLY'])
    const { problems: told } = await faultOf(ann.create('Note', { by: 'bob' }))
    assert.equal(told[0]!.message, 'is set by the server to who is signed in; leave it out.')
    assert.deepEqual(await problems(ann.replace('Note', 'mine', { by: 'bob' })), ['VALIDATION_FAILED', 'by READONLY'])
  })

  test('who has no account gives it', async () => {
    const operator = store.as({ roles: ['admin'] })
    const { row } = await operator.create('Note', { by: 'bob' })
    assert.deepEqual([row.by, row.maker, row.owner], ['bob', null, null])
    assert.deepEqual(await problems(operator.create('Note', {})), ['VALIDATION_FAILED', 'by REQUIRED'])
  })

  test('and it never changes hands because someone else writes', async () => {
    const { id } = await store.as({ account: 'ann' }).create('Note', {})
    const bob = store.as({ account: 'bob' })
    const { row } = await bob.replace('Note', id, { text: 'x' })
    assert.deepEqual([row.by, row.maker, row.owner], ['ann', 'ann', 'ann'])
    assert.deepEqual(await problems(bob.update('Note', id, { by: 'bob' })), ['VALIDATION_FAILED', 'by READONLY'])
    assert.equal((await bob.update('Note', id, { by: 'ann', owner: 'bob' })).row.owner, 'bob')
  })

  test('a viewer whose account is gone is no one', async () => {
    assert.equal((await faultOf(store.as({ account: 'gone' }).create('Note', {}))).code, 'UNAUTHENTICATED')
  })
})

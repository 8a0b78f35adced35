import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { onEachStore, openTestStore, type TestStore } from '../../store.fixture.ts'

onEachStore('default children of a new row', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(
      `
      type User @account @allow { id: ID! email: String! @unique }
      type Team @allow(to: [READ]) @allow(who: "signedIn", to: [CREATE]) @allow(role: "admin") {
        id: ID! name: String
        members: [Member!]! @default(value: [{user: VIEWER, role: OWNER}])
        boards: [Board!]! @default(value: [{name: "first"}, {name: "second"}])
      }
      type Member @allow(to: [READ]) { id: ID! team: Team! user: User! role: Role! at: DateTime @auto(set: CREATE_TIME) }
      enum Role { OWNER GUEST }
      type Board @allow(to: [READ]) {
        id: ID! name: String team: Team! columns: [Column!]! @default(value: [{name: "todo"}])
      }
      type Column @allow(to: [READ]) { id: ID! name: String board: Board! }
    `,
      { on },
    )
    await store.as(null).replace('User', 'ann', { email: 'ann' })
  })
  after(() => store.close())

  test('are created in its transaction, without checking rules, each with its own change', async () => {
    const from = (await store.changes()).length
    const { id } = await store.as({ account: 'ann' }).create('Team', { name: 'ours' })
    const team = await store.one('Team', id, [
      { members: ['user', 'role'] },
      { boards: ['name', { columns: ['name'] }] },
    ])
    const columns = [{ name: 'todo' }]
    assert.deepEqual(team, {
      members: [{ user: 'ann', role: 'OWNER' }],
      boards: [
        { name: 'first', columns },
        { name: 'second', columns },
      ],
    })
    const log = (await store.changes()).slice(from)
    assert.deepEqual(
      log.map(({ resource, kind, version }) => `${kind} ${resource} ${version}`),
      ['Team', 'Member', 'Board', 'Column', 'Board', 'Column'].map((type) => `created ${type} 1`),
    )
  })

  test('are created for an id of the client, but not by a replace of an existing row', async () => {
    const admin = store.as({ account: 'ann', roles: ['admin'] })
    await admin.replace('Team', 'mine', {})
    await admin.replace('Team', 'mine', { name: 'x' })
    assert.equal((await store.many('Member', { where: { team: { id: { eq: 'mine' } } } })).length, 1)
  })

  test('that refer to the viewer are created only for a viewer with an account', async () => {
    const { id } = await store.as({ roles: ['admin'] }).create('Team', {})
    const team = await store.one('Team', id, [{ members: ['user'] }, { boards: ['name'] }])
    assert.deepEqual(team, { members: [], boards: [{ name: 'first' }, { name: 'second' }] })
  })
})

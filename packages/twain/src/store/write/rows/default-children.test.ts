import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { onEachStore, openTestStore, type TestStore } from '../../store.fixture.ts'

onEachStore('rows are made along with a new one', (on) => {
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

  test('in its transaction, judged by no rule, each with its own change', async () => {
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

  test('also under an id that the client chose, but not when it is replaced', async () => {
    const admin = store.as({ account: 'ann', roles: ['admin'] })
    await admin.replace('Team', 'mine', {})
    await admin.replace('Team', 'mine', { name: 'x' })
    assert.equal((await store.many('Member', { where: { team: { id: { eq: 'mine' } } } })).length, 1)
  })

  test('those that are about the viewer only for one who has an account', async () => {
    const { id } = await store.as({ roles: ['admin'] }).create('Team', {})
    const team = await store.one('Team', id, [{ members: ['user'] }, { boards: ['name'] }])
    assert.deepEqual(team, { members: [], boards: [{ name: 'first' }, { name: 'second' }] })
  })
})

import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { apiErrorOf, onEachStore, openTestStore, type StoreName, type TestStore } from '../store.fixture.ts'

const sdl = `
  type Team { id: ID! name: String @search code: String @unique members: [Member!]! lead: Member parts: [Part!]! }
  type Member { id: ID! team: Team! @relation(onDelete: CASCADE) notes: [Note!]! }
  type Note { id: ID! text: String @search member: Member! @relation(onDelete: CASCADE) parent: Note @relation(onDelete: CASCADE) }
  type Badge { id: ID! to: Owner @relation(onDelete: CASCADE) }
  type Poll { id: ID! team: Team name: String }
  type Part { id: ID! teams: [Team!]! }
  union Owner = Team | Member
`

const everywhere = ['Team', 'Member', 'Note', 'Badge', 'Poll', 'Part']

/** A team with twelve rows behind it, and the same rows of another team. */
async function openTeams(t: TestContext, on: StoreName): Promise<TestStore> {
  const store = await openTestStore(sdl, { on, limits: { cascade: 4 } })
  t.after(() => store.close())
  for (const team of ['a', 'b']) {
    await store.replace('Part', `${team}-part`, {})
    await store.replace('Team', team, { name: `team ${team}`, code: team, parts: [`${team}-part`] })
    for (const member of ['m1', 'm2', 'm3']) await store.replace('Member', `${team}-${member}`, { team })
    await store.replace('Note', `${team}-n1`, { text: 'first', member: `${team}-m1` })
    await store.replace('Note', `${team}-n2`, { text: 'second', member: `${team}-m1`, parent: `${team}-n1` })
    await store.replace('Note', `${team}-n3`, { text: 'third', member: 'b-m1', parent: `${team}-n2` }).catch(() => {})
    await store.replace('Badge', `${team}-b1`, { to: `Team:${team}` })
    await store.replace('Badge', `${team}-b2`, { to: `Member:${team}-m2` })
    await store.replace('Poll', `${team}-p`, { team, name: team })
  }
  // A note of the other team below a note of this one.
  await store.replace('Note', 'a-n3', { text: 'third', member: 'b-m1', parent: 'a-n2' })
  return store
}

const ids = async (store: TestStore, type: string, request = {}) =>
  (await store.many(type, { ...request, limit: 100 })).map(({ id }) => String(id)).toSorted()

const remaining = async (store: TestStore) => Promise.all(everywhere.map((type) => ids(store, type)))

const afterwards = [
  ['b'],
  ['b-m1', 'b-m2', 'b-m3'],
  ['b-n1', 'b-n2', 'b-n3'],
  ['b-b1', 'b-b2'],
  ['a-p', 'b-p'],
  ['a-part', 'b-part'],
]

async function finish(store: TestStore, type: string, id: string): Promise<number> {
  const root = { type, id, by: 'me', via: null, trace: null }
  for (let portions = 1; ; portions++) if ((await store.store.deletePortion(root)).isDone) return portions
}

onEachStore('a delete in the background', (on) => {
  test('hides the row and all that goes with it at once, on every path', async (t) => {
    const store = await openTeams(t, on)
    assert.equal(await store.deleteAsync('Team', 'a'), true)
    assert.deepEqual(await remaining(store), afterwards)
    for (const type of ['Team', 'Member', 'Note', 'Badge'])
      assert.deepEqual(await ids(store, type, { where: {} }), await ids(store, type))
    assert.equal(await store.one('Team', 'a'), null)
    assert.equal(await store.one('Note', 'a-n3'), null)
    assert.deepEqual((await store.one('Poll', 'a-p', ['id', { team: ['id'] }]))!.team, null)
    assert.deepEqual(await ids(store, 'Poll', { where: { team: { name: { startsWith: 'team' } } } }), ['b-p'])
    assert.deepEqual(await ids(store, 'Team', { search: 'team' }), ['b'])
    assert.deepEqual(await ids(store, 'Note', { search: 'third' }), ['b-n3'])
    assert.deepEqual(await ids(store, 'Member', { where: { notes: { some: { text: { eq: 'first' } } } } }), ['b-m1'])
    const { totalCount } = await store.many<{ totalCount: number }>('Note', { first: 10, connection: ['totalCount'] })
    assert.equal(totalCount, 3)
    const mine = await store.one('Member', 'b-m1', ['id', { notes: ['id'] }])
    assert.deepEqual((mine!.notes as { id: string }[]).map(({ id }) => id).toSorted(), ['b-n1', 'b-n2', 'b-n3'])
  })

  test('is over for writes: no row is changed, referred to, linked or made again', async (t) => {
    const store = await openTeams(t, on)
    await store.deleteAsync('Team', 'a')
    const codeOf = async (write: Promise<unknown>) => (await apiErrorOf(write)).code
    assert.equal(await codeOf(store.update('Team', 'a', { name: 'x' })), 'NOT_FOUND')
    assert.equal(await codeOf(store.update('Member', 'a-m1', { team: 'b' })), 'NOT_FOUND')
    assert.equal(await store.delete('Team', 'a'), false)
    assert.equal(await store.deleteAsync('Team', 'a'), false)
    assert.equal(await codeOf(store.create('Member', { team: 'a' })), 'CONFLICT')
    assert.equal(await codeOf(store.create('Note', { member: 'a-m1' })), 'CONFLICT')
    assert.equal(await codeOf(store.update('Part', 'b-part', { teams: ['a'] })), 'CONFLICT')
    assert.equal(await codeOf(store.replace('Team', 'a', { name: 'again' })), 'GONE')
  })

  test('logs the row at once, and each other row when it goes: no row twice', async (t) => {
    const store = await openTeams(t, on)
    const from = (await store.changes()).length
    const log = async () =>
      (await store.changes()).slice(from).map(({ kind, resource, id }) => `${kind} ${resource} ${id}`)
    await store.deleteAsync('Team', 'a')
    assert.deepEqual(await log(), ['deleted Team a'])
    await finish(store, 'Team', 'a')
    const all = await log()
    assert.equal(new Set(all).size, all.length)
    assert.deepEqual(all.toSorted(), [
      'deleted Badge a-b1',
      'deleted Badge a-b2',
      'deleted Member a-m1',
      'deleted Member a-m2',
      'deleted Member a-m3',
      'deleted Note a-n1',
      'deleted Note a-n2',
      'deleted Note a-n3',
      'deleted Team a',
      'updated Poll a-p',
    ])
    const isBefore = (one: string, other: string) =>
      assert.ok(all.indexOf(`deleted ${one}`) < all.indexOf(`deleted ${other}`))
    isBefore('Note a-n3', 'Note a-n2')
    isBefore('Note a-n2', 'Note a-n1')
    isBefore('Note a-n1', 'Member a-m1')
    assert.deepEqual(await remaining(store), afterwards)
    assert.deepEqual(await store.query('SELECT id FROM "Team" ORDER BY id'), [{ id: 'b' }])
  })

  test('goes on after a restart, from wherever it was', async (t) => {
    const before = await openTeams(t, on)
    const root = { type: 'Team', id: 'a', by: 'me', via: null, trace: null }
    await before.deleteAsync('Team', 'a')
    await before.store.deletePortion(root)
    const store = await before.reopenWith(sdl)
    try {
      assert.deepEqual(await remaining(store), afterwards)
      const [job] = await store.store.jobs.list({ kind: 'delete', offset: 0, limit: 10 })
      assert.deepEqual(
        [job!.name, job!.state, JSON.parse(job!.payload)],
        ['Team', 'waiting', { id: 'a', via: null, trace: null }],
      )
      await finish(store, 'Team', 'a')
      const left = await store.query('SELECT id FROM "Member" ORDER BY id')
      assert.deepEqual(
        left.map(({ id }) => id),
        ['b-m1', 'b-m2', 'b-m3'],
      )
      assert.equal((await store.store.deletePortion(root)).isDone, true)
    } finally {
      await store.store.close()
    }
  })

  test('of a small cascade is an ordinary delete', async (t) => {
    const store = await openTeams(t, on)
    assert.equal(await store.deleteAsync('Member', 'a-m2'), false)
    assert.deepEqual(await store.query(`SELECT id FROM "Badge" WHERE id = 'a-b2'`), [])
  })

  test('a delete that meets hidden rows takes them along, without a second event', async (t) => {
    const store = await openTestStore(
      `type Org { id: ID! }
       type Team { id: ID! org: Org @relation(onDelete: CASCADE) friend: Team }
       type Member { id: ID! team: Team! @relation(onDelete: CASCADE) }`,
      { on, limits: { cascade: 3 } },
    )
    t.after(() => store.close())
    await store.replace('Org', 'o', {})
    await store.replace('Team', 'friend', {})
    await store.replace('Team', 't', { org: 'o', friend: 'friend' })
    for (const id of ['1', '2', '3', '4']) await store.replace('Member', id, { team: 't' })
    await store.deleteAsync('Team', 't')
    assert.equal(await store.delete('Team', 'friend'), true)
    assert.equal((await apiErrorOf(store.delete('Org', 'o'))).code, 'CONFLICT')
    assert.equal(await store.deleteAsync('Org', 'o'), true)
    await finish(store, 'Org', 'o')
    const logged = (await store.changes()).filter(({ kind }) => kind === 'deleted').map(({ id }) => id)
    assert.deepEqual(logged.toSorted(), ['1', '2', '3', '4', 'friend', 'o', 't'])
    assert.deepEqual(await store.query('SELECT id FROM "Team"'), [])
  })

  describe('is refused', () => {
    const restricted = `type Team { id: ID! }
       type Member { id: ID! team: Team! @relation(onDelete: CASCADE) }
       type Loan { id: ID! member: Member! team: Team @relation(onDelete: CASCADE) }`
    const open = async (t: TestContext) => {
      const store = await openTestStore(restricted, { on, limits: { cascade: 3 } })
      t.after(() => store.close())
      await store.replace('Team', 't', {})
      for (const id of ['1', '2', '3', '4', '5']) await store.replace('Member', id, { team: 't' })
      return store
    }

    test('if a row far below restricts it', async (t) => {
      const store = await open(t)
      await store.replace('Loan', 'l', { member: '5' })
      const { code, problems } = await apiErrorOf(store.deleteAsync('Team', 't'))
      assert.deepEqual([code, problems[0]!.code], ['CONFLICT', 'REFERENCE'])
      assert.notEqual(await store.one('Team', 't'), null)
    })

    test('but not by a row that goes with it', async (t) => {
      const store = await open(t)
      await store.replace('Loan', 'l', { member: '5', team: 't' })
      assert.equal(await store.deleteAsync('Team', 't'), true)
      await finish(store, 'Team', 't')
      assert.deepEqual(await store.query('SELECT id FROM "Loan"'), [])
    })
  })

  test('rows that refer to each other go together', async (t) => {
    const store = await openTestStore(
      `type A { id: ID! }
       type With { id: ID! a: A @relation(onDelete: CASCADE) parent: With @relation(onDelete: CASCADE) }`,
      { on, limits: { cascade: 2 } },
    )
    t.after(() => store.close())
    await store.replace('A', 'root', {})
    await store.replace('With', 'w1', { a: 'root' })
    for (const [id, parent] of ['w1', 'w2', 'w3', 'w4'].map((one, at, all) => [all[at + 1], one])) {
      if (id !== undefined) await store.replace('With', id, { parent: parent! })
    }
    await store.update('With', 'w1', { parent: 'w4' })
    await store.replace('With', 'stays', {})
    assert.equal(await store.deleteAsync('A', 'root'), true)
    assert.deepEqual(await ids(store, 'With'), ['stays'])
    await finish(store, 'A', 'root')
    assert.deepEqual(await store.query('SELECT id FROM "With"'), [{ id: 'stays' }])
  })
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiErrorOf, onEachStore, openTestStore, type TestStore } from '../../store.fixture.ts'

onEachStore('an update or replace', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(
      `
      type Team { id: ID! name: String }
      type User {
        id: ID! name: String! nick: String key: String @immutable score: Float exact: Decimal flag: Boolean json: JSON
        since: DateTime @auto(set: CREATE_TIME) seen: DateTime @auto(set: UPDATE_TIME)
        size: Int! @default(value: 3) team: Team @immutable mate: User tags: [Tag!]! home: Home
      }
      type Home { street: String! city: City }
      type City { name: String! zip: String }
      type Tag { id: ID! }
    `,
      { on },
    )
    await store.replace('Team', 't', {})
    await store.replace('Tag', 'x', {})
  })
  after(() => store.close())

  const ann = {
    name: 'Ann',
    nick: 'A',
    key: 'k',
    score: 0.1,
    exact: '1.50',
    flag: true,
    json: { a: 1 },
    team: 't',
    tags: ['x'],
  }
  const versions = async (id: string) => (await store.changes()).filter((change) => change.id === id).length

  test('an update changes the fields that it names', async () => {
    const { id } = await store.create('User', ann)
    const { row, version, created } = await store.update('User', id, { nick: null, score: 2 })
    assert.deepEqual([row.name, row.nick, row.score, row.key, version, created], ['Ann', null, 2, 'k', 2, false])
  })

  test('logs the row after the change, and the previous values of the changed fields', async () => {
    const { id, row } = await store.create('User', ann)
    const { row: changed } = await store.update('User', id, { nick: 'B', name: 'Ann', flag: false })
    const {
      after: image,
      before: previous,
      kind,
      version,
    } = (await store.changes()).at(-1) as Record<string, Record<string, unknown>>
    assert.deepEqual([kind, version], ['updated', 2])
    assert.deepEqual(previous, { nick: 'A', flag: 1, seen: row.seen })
    assert.equal(image!.nick, 'B')
    assert.equal(image!.key, 'k')
    assert.equal(image!.seen, changed.seen)
  })

  test('with unchanged values makes no version, no change and no new time', async () => {
    const { id, row } = await store.create('User', ann)
    for (const same of [{}, { ...ann }, { exact: '001.5' }, { tags: ['x', 'x'] }, { score: 0.1, json: { a: 1 } }]) {
      const { version, row: still } = await store.update('User', id, same)
      assert.equal(version, 1)
      assert.deepEqual(still, row)
    }
    assert.equal(await versions(id), 1)
  })

  test('accepts a row as it was read', async () => {
    const { id, row } = await store.create('User', ann)
    assert.equal((await store.update('User', id, row)).version, 1)
    assert.equal((await store.replace('User', id, row)).version, 1)
  })

  test('can’t change the id, immutable fields and server-set fields, and reports all of them', async () => {
    const { id } = await store.create('User', ann)
    const other = { id: 'other', key: 'l', since: '2020-01-01T00:00:00Z', team: null, nick: 'new' }
    for (const write of [store.update('User', id, other), store.replace('User', id, { name: 'Ann', ...other })]) {
      const error = await apiErrorOf(write)
      assert.equal(error.code, 'VALIDATION_FAILED')
      assert.deepEqual(
        error.problems.map(({ path, code }) => `${path} ${code}`),
        ['id READONLY', 'key READONLY', 'since READONLY', 'team READONLY'],
      )
    }
    assert.equal(await versions(id), 1)
  })

  test('a replace resets omitted fields to their default or null, but keeps links, times and immutable fields', async () => {
    const { id, row } = await store.create('User', { ...ann, size: 9 })
    const { row: replaced } = await store.replace('User', id, { name: 'Bob' })
    assert.deepEqual(
      { ...replaced, seen: null },
      {
        ...row,
        name: 'Bob',
        nick: null,
        score: null,
        exact: null,
        flag: null,
        json: null,
        size: 3,
        seen: null,
      },
    )
    assert.deepEqual(await store.one('User', id, [{ tags: ['id'] }]), { tags: [{ id: 'x' }] })
  })

  test('with a precondition fails if the row has another version', async () => {
    const { id } = await store.create('User', ann)
    await store.update('User', id, { nick: 'B' }, { ifVersion: 1 })
    for (const stale of [
      () => store.update('User', id, { nick: 'C' }, { ifVersion: 1 }),
      () => store.replace('User', id, ann, 1),
      () => store.delete('User', id, 1),
    ]) {
      const error = await apiErrorOf(stale())
      assert.equal(error.code, 'PRECONDITION_FAILED')
      assert.equal(error.problems[0]!.code, 'VERSION')
    }
    assert.equal((await store.one('User', id, ['nick']))!.nick, 'B')
    assert.equal((await apiErrorOf(store.replace('User', 'nowhere', ann, 1))).code, 'PRECONDITION_FAILED')
  })

  test('of two with the same precondition, one succeeds', async () => {
    const { id } = await store.create('User', ann)
    const both = await Promise.allSettled(
      ['B', 'C'].map((nick) => store.update('User', id, { nick }, { ifVersion: 1 })),
    )
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  })

  test('of a missing row is NOT_FOUND', async () => {
    assert.equal((await apiErrorOf(store.update('User', 'nowhere', { nick: 'A' }))).code, 'NOT_FOUND')
  })

  test('replaces a value whole, or merges it member by member', async () => {
    const home = { street: 'Main', city: { name: 'Rome', zip: '1' } }
    const { id } = await store.create('User', { ...ann, home })
    const merged = await store.update('User', id, { home: { city: { zip: null } } }, { merge: true })
    assert.deepEqual(merged.row.home, { street: 'Main', city: { name: 'Rome', zip: null } })
    const replaced = await store.update('User', id, { home: { street: 'Side' } })
    assert.deepEqual(replaced.row.home, { street: 'Side', city: null })
    const cleared = await store.update('User', id, { home: null }, { merge: true })
    assert.equal(cleared.row.home, null)
  })

  test('refuses a merge that leaves out a required member, with its path', async () => {
    const { id } = await store.create('User', ann)
    const patch = { home: { city: { zip: '2' } } }
    const error = await apiErrorOf(store.update('User', id, patch, { merge: true }))
    assert.equal(error.code, 'VALIDATION_FAILED')
    assert.deepEqual(
      error.problems.map(({ path, code }) => `${path} ${code}`),
      ['home.street REQUIRED', 'home.city.name REQUIRED'],
    )
  })
})

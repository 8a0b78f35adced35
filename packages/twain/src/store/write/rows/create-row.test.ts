import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiErrorOf, onEachStore, openTestStore, type TestStore } from '../../store.fixture.ts'

onEachStore('a create', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(
      `
      type Team { id: ID! name: String }
      type Seat { id: ID! team: Team @relation(onDelete: CASCADE) }
      type User {
        id: ID! name: String! @immutable size: Int! @default(value: 3) mood: Mood @default(value: GOOD)
        since: DateTime @auto(set: CREATE_TIME) seen: DateTime @auto(set: UPDATE_TIME)
        at: DateTime @default(value: "2026-01-01T01:00:00+01:00") team: Team
      }
      enum Mood { GOOD BAD }
    `,
      { on },
    )
  })
  after(() => store.close())

  test('returns a new id, version 1, defaults and times', async () => {
    const { id, version, created, row } = await store.create('User', { name: 'Ann' })
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    assert.equal(version, 1)
    assert.equal(created, true)
    const { since, ...rest } = row
    assert.ok(Math.abs(Date.parse(since as string) - Date.now()) < 5000)
    assert.deepEqual(rest, {
      id,
      name: 'Ann',
      size: 3,
      mood: 'GOOD',
      seen: since,
      at: '2026-01-01T00:00:00.000Z',
      team: null,
    })
  })

  test('with null does not use the default', async () => {
    const { row } = await store.create('User', { name: 'Ann', mood: null })
    assert.equal(row.mood, null)
  })

  test('under an id of the client is a replace', async () => {
    const first = await store.replace('User', 'my-id_1', { id: 'my-id_1', name: 'Ann' })
    assert.deepEqual([first.id, first.version, first.created], ['my-id_1', 1, true])
    const again = await store.replace('User', 'my-id_1', { name: 'Ann', size: 4 })
    assert.deepEqual([again.version, again.created], [2, false])
  })

  test('refuses ids of other characters, and fields that the server sets', async () => {
    const error = await apiErrorOf(
      store.replace('User', 'a b', { id: 'x', name: 'Ann', since: '2026-01-01T00:00:00Z' }),
    )
    assert.equal(error.code, 'VALIDATION_FAILED')
    assert.deepEqual(
      error.problems.map(({ path, code }) => [path, code]),
      [
        ['id', 'PATTERN'],
        ['id', 'READONLY'],
        ['since', 'READONLY'],
      ],
    )
    assert.equal((await apiErrorOf(store.replace('User', 'x'.repeat(65), { name: 'Ann' }))).code, 'VALIDATION_FAILED')
  })

  test('of a deleted id is refused while the change log has its delete, and then continues its versions', async () => {
    await store.replace('Team', 'back', { name: 'one' })
    await store.update('Team', 'back', { name: 'two' })
    await store.delete('Team', 'back') // the delete is version 3 of the row
    const refused = await apiErrorOf(store.replace('Team', 'back', { name: 'three' }))
    assert.deepEqual([refused.code, await store.one('Team', 'back')], ['GONE', null])
    const other = await apiErrorOf(store.as(null).replace('Team', 'back', { name: 'three' }))
    assert.equal(other.code, 'GONE') // without rules too
    await store.pruneChanges()
    const { version, created } = await store.replace('Team', 'back', { name: 'three' })
    assert.deepEqual([version, created], [4, true])
    assert.deepEqual(
      (await store.changes()).map(({ id, kind, version: number }) => `${id} ${kind} ${number}`),
      ['back created 4'],
    )
  })

  test('of the id of a row that a cascade deleted is refused too, and the same id of another type is free', async () => {
    const team = await store.create('Team', { name: 'cascade' })
    await store.replace('Seat', 'seat1', { team: team.id })
    await store.delete('Team', team.id)
    assert.equal((await apiErrorOf(store.replace('Seat', 'seat1', {}))).code, 'GONE')
    assert.equal((await store.replace('User', 'seat1', { name: 'Ann' })).created, true)
  })

  test('is in the change log with all fields', async () => {
    const { id } = await store.create('Team', { name: 'log' })
    assert.deepEqual((await store.changes()).at(-1), {
      resource: 'Team',
      id,
      kind: 'created',
      version: 1,
      after: { name: 'log' },
      before: null,
    })
  })
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiErrorOf, onEachStore, openTestStore, type TestStore } from '../../store.fixture.ts'

onEachStore('a conflict names its fields', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(
      `
      type User {
        id: ID! email: String @unique first: String last: String @unique(with: ["first"]) score: Float @unique
        boss: User best: Thing @unique(with: ["first"]) seat: Seat @unique
      }
      type Seat { id: ID! user: User @relation(inverse: "seat") }
      union Thing = User | Seat
    `,
      { on },
    )
    await store.replace('User', 'ann', { email: 'a@x', first: 'Ann', last: 'Lee' })
    await store.replace('Seat', 's', {})
  })
  after(() => store.close())

  const conflicts = async (write: Promise<unknown>): Promise<string[]> => {
    const error = await apiErrorOf(write)
    assert.equal(error.code, 'CONFLICT')
    return error.problems.map(({ path, code }) => `${path} ${code}`)
  }

  test('for a value that another row has', async () => {
    assert.deepEqual(await conflicts(store.create('User', { email: 'a@x' })), ['email UNIQUE'])
    const { id } = await store.create('User', { email: 'b@x' })
    assert.deepEqual(await conflicts(store.update('User', id, { email: 'a@x' })), ['email UNIQUE'])
    assert.deepEqual(await conflicts(store.replace('User', id, { email: 'a@x' })), ['email UNIQUE'])
    assert.deepEqual(await conflicts(store.replace('User', 'new', { email: 'a@x' })), ['email UNIQUE'])
    await store.update('User', 'ann', { email: 'a@x' }) // its own is no conflict
  })

  test('for a combination that another row has, unless a value is null', async () => {
    assert.deepEqual(await conflicts(store.create('User', { first: 'Ann', last: 'Lee' })), [
      'last UNIQUE',
      'first UNIQUE',
    ])
    await store.create('User', { first: 'Bob', last: 'Lee' })
    await store.create('User', { last: 'Lee' })
    const { id } = await store.create('User', { last: 'Lee' })
    assert.deepEqual(await conflicts(store.update('User', id, { first: 'Bob' })), ['last UNIQUE', 'first UNIQUE'])
  })

  test('for an equal number, compared by value', async () => {
    await store.create('User', { score: 0 })
    assert.deepEqual(await conflicts(store.create('User', { score: -0 })), ['score UNIQUE'])
  })

  test('for a second row of a one-to-one', async () => {
    await store.replace('Seat', 'one', {})
    await store.create('User', { seat: 'one' })
    assert.deepEqual(await conflicts(store.create('User', { seat: 'one' })), ['seat UNIQUE'])
  })

  test('for references to missing rows, together with unique values', async () => {
    const input = { email: 'a@x', boss: 'none', best: 'nothing' }
    assert.deepEqual(await conflicts(store.create('User', input)), ['boss REFERENCE', 'best REFERENCE', 'email UNIQUE'])
    assert.deepEqual(await conflicts(store.update('User', 'ann', { boss: 'none' })), ['boss REFERENCE'])
  })

  test('for an ambiguous reference to one of several types', async () => {
    const { row } = await store.create('User', { best: 's', first: 'x' })
    assert.equal(row.best, 'Seat:s')
    await store.replace('User', 's', {})
    const error = await apiErrorOf(store.create('User', { best: 's' }))
    assert.match(error.message, /could be User:s or Seat:s; add its type to the id/)
    const seat = await store.create('User', { best: 'Seat:s', first: 'y' })
    assert.deepEqual(
      await store.one('User', seat.id, [{ best: { byType: { User: ['email'], Seat: ['__typename'] } } }]),
      {
        best: { __typename: 'Seat' },
      },
    )
    // The same id in another type is another row.
    await store.create('User', { best: 'User:s', first: 'y' })
    assert.deepEqual(await conflicts(store.create('User', { best: 'Seat:s', first: 'y' })), [
      'best UNIQUE',
      'first UNIQUE',
    ])
    assert.deepEqual(await conflicts(store.create('User', { best: 'Nothing:s' })), ['best REFERENCE'])
  })
})

onEachStore('a conflict does not name fields that its viewer can never read', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(
      `
      type User @account @allow { id: ID! email: String! @unique @allow(who: "self", to: [READ]) phone: String @unique @allow(who: "self", to: [READ]) }
      type Box @allow {
        id: ID! title: String code: String @unique @allow(role: "auditor", to: [READ])
        mark: String @unique(with: ["title"]) @allow(role: "auditor", to: [READ])
      }
    `,
      { on },
    )
    await store.as(null).replace('User', 'ann', { email: 'a@x', phone: '1' })
    await store.as(null).replace('Box', 'b', { code: 'secret', title: 'one', mark: 'm' })
    await store.as(null).replace('Box', 'c', { title: 'two', mark: 'm' })
  })
  after(() => store.close())

  const problemsOf = async (write: Promise<unknown>): Promise<string[]> => {
    const { code, problems } = await apiErrorOf(write)
    return [code, ...problems.map(({ path, message }) => `${path}: ${message}`)]
  }
  const bob = { account: 'bob' }

  test('as the only field', async () => {
    const expected = ['CONFLICT', ': A value must be unique, and another Box has it already.']
    assert.deepEqual(await problemsOf(store.as(bob).create('Box', { code: 'secret' })), expected)
    assert.deepEqual(await problemsOf(store.as(bob).update('Box', 'c', { code: 'secret' })), expected)
    assert.deepEqual(await problemsOf(store.as(bob).replace('Box', 'new', { code: 'secret' })), expected)
    const auditor = store.as({ ...bob, roles: ['auditor'] })
    assert.deepEqual(await problemsOf(auditor.create('Box', { code: 'secret' })), [
      'CONFLICT',
      'code: Another Box has this code already.',
    ])
  })

  test('in a combination of fields', async () => {
    assert.deepEqual(await problemsOf(store.as(bob).update('Box', 'c', { title: 'one' })), [
      'CONFLICT',
      'title: Another Box has this combination of title and fields that you may not read already.',
    ])
  })

  test('except a login that exists already, for a viewer who signs up', async () => {
    const nobody = store.as({ authenticated: false })
    const input = { password: 'correct horse', email: 'a@x', phone: '1' }
    assert.deepEqual(await problemsOf(nobody.create('User', input)), [
      'CONFLICT',
      'email: Another User has this email already.',
      ': A value must be unique, and another User has it already.',
    ])
  })
})

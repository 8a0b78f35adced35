import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { faultOf, onEachStore, openTestStore, type TestStore } from '../../store.fixture.ts'

onEachStore('what stands against a write is a conflict that names its fields', (on) => {
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
    const fault = await faultOf(write)
    assert.equal(fault.code, 'CONFLICT')
    return fault.problems.map(({ path, code }) => `${path} ${code}`)
  }

  test('a value that another row has', async () => {
    assert.deepEqual(await conflicts(store.create('User', { email: 'a@x' })), ['email UNIQUE'])
    const { id } = await store.create('User', { email: 'b@x' })
    assert.deepEqual(await conflicts(store.update('User', id, { email: 'a@x' })), ['email UNIQUE'])
    assert.deepEqual(await conflicts(store.replace('User', id, { email: 'a@x' })), ['email UNIQUE'])
    assert.deepEqual(await conflicts(store.replace('User', 'new', { email: 'a@x' })), ['email UNIQUE'])
    await store.update('User', 'ann', { email: 'a@x' }) // its own is no conflict
  })

  test('a combination that another row has, and one with a null never is taken', async () => {
    assert.deepEqual(await conflicts(store.create('User', { first: 'Ann', last: 'Lee' })), [
      'last UNIQUE',
      'first UNIQUE',
    ])
    await store.create('User', { first: 'Bob', last: 'Lee' })
    await store.create('User', { last: 'Lee' })
    const { id } = await store.create('User', { last: 'Lee' })
    assert.deepEqual(await conflicts(store.update('User', id, { first: 'Bob' })), ['last UNIQUE', 'first UNIQUE'])
  })

  test('numbers are compared by value', async () => {
    await store.create('User', { score: 0 })
    assert.deepEqual(await conflicts(store.create('User', { score: -0 })), ['score UNIQUE'])
  })

  test('a second row of a one-to-one', async () => {
    await store.replace('Seat', 'one', {})
    await store.create('User', { seat: 'one' })
    assert.deepEqual(await conflicts(store.create('User', { seat: 'one' })), ['seat UNIQUE'])
  })

  test('a reference to nothing, in every field, together with what is taken', async () => {
    const input = { email: 'a@x', boss: 'none', best: 'nothing' }
    assert.deepEqual(await conflicts(store.create('User', input)), ['boss REFERENCE', 'best REFERENCE', 'email UNIQUE'])
    assert.deepEqual(await conflicts(store.update('User', 'ann', { boss: 'none' })), ['boss REFERENCE'])
  })

  test('a reference to one of several types, by the id alone while one row can be meant', async () => {
    const { row } = await store.create('User', { best: 's', first: 'x' })
    assert.equal(row.best, 's')
    await store.replace('User', 's', {})
    const fault = await faultOf(store.create('User', { best: 's' }))
    assert.match(fault.message, /could be User:s or Seat:s; say which/)
    const seat = await store.create('User', { best: 'Seat:s', first: 'y' })
    assert.deepEqual(
      await store.one('User', seat.id, [{ best: { cases: { User: ['email'], Seat: ['__typename'] } } }]),
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

onEachStore('a conflict does not name what its viewer can never read', (on) => {
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

  const told = async (write: Promise<unknown>): Promise<string[]> => {
    const { code, problems } = await faultOf(write)
    return [code, ...problems.map(({ path, message }) => `${path}: ${message}`)]
  }
  const bob = { account: 'bob' }

  test('neither alone', async () => {
    const expected = ['CONFLICT', ': A value must be unique, and another Box has it already.']
    assert.deepEqual(await told(store.as(bob).create('Box', { code: 'secret' })), expected)
    assert.deepEqual(await told(store.as(bob).update('Box', 'c', { code: 'secret' })), expected)
    assert.deepEqual(await told(store.as(bob).replace('Box', 'new', { code: 'secret' })), expected)
    const auditor = store.as({ ...bob, roles: ['auditor'] })
    assert.deepEqual(await told(auditor.create('Box', { code: 'secret' })), [
      'CONFLICT',
      'code: Another Box has this code already.',
    ])
  })

  test('nor among others', async () => {
    assert.deepEqual(await told(store.as(bob).update('Box', 'c', { title: 'one' })), [
      'CONFLICT',
      'title: Another Box has this combination of title and fields that you may not read already.',
    ])
  })

  test('but a login that is taken is told to who signs up', async () => {
    const nobody = store.as({ authenticated: false })
    const input = { password: 'correct horse', email: 'a@x', phone: '1' }
    assert.deepEqual(await told(nobody.create('User', input)), [
      'CONFLICT',
      'email: Another User has this email already.',
      ': A value must be unique, and another User has it already.',
    ])
  })
})

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { apiErrorOf, onEachStore, openTestStore, type TestStore } from '../../../store.fixture.ts'

onEachStore('the login and password of an account', (on) => {
  let store: TestStore
  before(async () => {
    store = await openTestStore(
      `
      type Team @allow { id: ID! users: [User!]! }
      type User @account @allow(to: [READ, CREATE]) @allow(who: "self") @allow(role: "admin") {
        id: ID! email: String! @unique name: String team: Team @relation(onDelete: CASCADE)
      }
    `,
      { on },
    )
  })
  after(() => store.close())

  const loginOf = async (id: string) =>
    (await store.query('SELECT login, hash FROM twain_login WHERE account = ?1', id))[0]
  const conflicts = async (write: Promise<unknown>) => {
    const { code, problems } = await apiErrorOf(write)
    return [code, ...problems.map(({ path, code: detail }) => `${path} ${detail}`)]
  }
  const signUp = (email: string) => store.create('User', { email, password: `hash of ${email}` })
  /** As the module `auth` does when someone signs in. */
  const signIn = (account: string, ...tokens: string[]) =>
    store.store.credentials &&
    Promise.all(
      tokens.map(async (id) =>
        store.store.credentials.createToken(
          {
            id,
            account,
            generation: 0,
            created: 1,
            used: 1,
            expires: 9e12,
            client: null,
            how: 'PASSWORD',
            address: '',
          },
          (await loginOf(account))!.hash as string,
        ),
      ),
    )
  const activeTokens = async (account: string) =>
    (await store.query('SELECT id FROM twain_token WHERE account = ?1 AND ended IS NULL ORDER BY id', account)).map(
      ({ id }) => id,
    )

  test('are stored at sign-up, and the password is neither in the result nor in the log', async () => {
    const { id, row } = await signUp('Ann@Example.org')
    const { _lockedAt, ...shown } = row
    assert.match(String(_lockedAt), /^forbidden:/) // only an administrator reads it
    assert.deepEqual(shown, { id, email: 'Ann@Example.org', name: null, team: null, _verifiedAt: null })
    assert.deepEqual(await loginOf(id), { login: 'ann@example.org', hash: 'hash of Ann@Example.org' })
    assert.equal(JSON.stringify(await store.changes()).includes('hash'), false)
  })

  test('logins that differ by case or width are the same', async () => {
    await signUp('twin@example.org')
    for (const variant of ['TWIN@example.org', 'ｔｗｉｎ@example.org', 'twin@example.org']) {
      assert.deepEqual(await conflicts(signUp(variant)), ['CONFLICT', 'email UNIQUE'])
    }
    const { id } = await signUp('other@example.org')
    const self = store.as({ account: id })
    assert.deepEqual(await conflicts(self.update('User', id, { email: 'Twin@Example.org' })), [
      'CONFLICT',
      'email UNIQUE',
    ])
    const many = await Promise.allSettled(Array.from({ length: 50 }, () => signUp('race@example.org')))
    assert.equal(many.filter(({ status }) => status === 'fulfilled').length, 1)
  })

  test('a changed login replaces the old one and keeps the password', async () => {
    const { id } = await signUp('old@example.org')
    await store.as({ account: id }).update('User', id, { email: 'New@example.org' })
    assert.deepEqual(await loginOf(id), { login: 'new@example.org', hash: 'hash of old@example.org' })
    await signUp('old@example.org')
  })

  test('a new password revokes all other tokens, and is no change of the row', async () => {
    const { id } = await signUp('pass@example.org')
    await signIn(id, 'one', 'two', 'three')
    const changes = (await store.changes()).length
    const { version } = await store.as({ account: id, token: 'two' }).update('User', id, { password: 'another hash' })
    assert.equal(version, 1)
    assert.equal((await store.changes()).length, changes)
    assert.equal((await loginOf(id))!.hash, 'another hash')
    assert.deepEqual(await activeTokens(id), ['two'])
    await store.as({ roles: ['admin'], token: 'two' }).update('User', id, { password: 'by an admin', name: 'P' })
    assert.deepEqual(await activeTokens(id), [])
  })

  test('a current password confirms a change only while it is the password', async () => {
    const { id } = await signUp('race-of@example.org')
    const self = store.as({ account: id })
    const former = { currentPassword: 'hash of race-of@example.org' }
    await self.update('User', id, { password: 'second hash', ...former })
    for (const change of [{ password: 'third hash' }, { email: 'moved@example.org' }]) {
      assert.deepEqual(await conflicts(self.update('User', id, { ...change, ...former })), [
        'REAUTHENTICATION_REQUIRED',
        'currentPassword WRONG',
      ])
    }
    await self.update('User', id, { email: 'race-of@example.org', name: 'R', ...former }) // changes neither
    assert.deepEqual(await loginOf(id), { login: 'race-of@example.org', hash: 'second hash' })
    await self.replace('User', id, { email: 'moved@example.org', currentPassword: 'second hash' })
    assert.equal((await loginOf(id))!.login, 'moved@example.org')
  })

  test('a viewer can’t change the password of another account', async () => {
    const { id } = await signUp('mine@example.org')
    const { id: other } = await signUp('theirs@example.org')
    const taken = store.as({ account: other }).update('User', id, { password: 'mine now' })
    assert.deepEqual(await conflicts(taken), ['FORBIDDEN'])
    assert.equal((await loginOf(id))!.hash, 'hash of mine@example.org')
  })

  test('the login and the tokens are deleted with the account, also by a cascade', async () => {
    await store.replace('Team', 'team', {})
    const { id } = await signUp('going@example.org')
    await store.as({ account: id }).update('User', id, { team: 'team' })
    await signIn(id, 'going')
    await store.delete('Team', 'team')
    assert.equal(await loginOf(id), undefined)
    assert.deepEqual(await activeTokens(id), [])
    await signUp('going@example.org')
  })
})

onEachStore('logins', (on) => {
  test('a password is changed by its owner or an admin, not by whoever may update the account', async () => {
    const store = await openTestStore(
      `
    type User @account @allow(to: [READ]) @allow(who: "self", to: [UPDATE]) @allow(who: "boss", to: [UPDATE]) @allow(role: "admin", to: [UPDATE]) {
      id: ID!
      email: String! @unique
      boss: User
    }`,
      { on },
    )
    const unchecked = store.as(null)
    await unchecked.replace('User', 'ann', { email: 'ann@example.org' })
    await unchecked.replace('User', 'bob', { email: 'bob@example.org', boss: 'ann' })
    const password = 'a new password'

    await store.as({ account: 'ann' }).update('User', 'bob', { email: 'robert@example.org' })
    await assert.rejects(store.as({ account: 'ann' }).update('User', 'bob', { password }), { code: 'FORBIDDEN' })
    await store.as({ account: 'bob' }).update('User', 'bob', { password })
    await store.as({ account: 'ann', roles: ['admin'] }).update('User', 'bob', { password })

    await store.close()
  })
})

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { NewSession } from '#plan'
import { openCredentialStore } from '../../databases.ts'
import { onEachStore, openTestStore, type StoreName } from '../../store.fixture.ts'
import type { Token } from './credential-store.ts'

/** Of the account's password. */
const hash = 'the first hash'
const now = Date.parse('2030-01-01T00:00:00.000Z')

onEachStore('the credential store', (on) => {
  test('reads roles from a text, an enum and a list, and of a token only until it is revoked', async (t) => {
    for (const [type, stored, roles] of [
      ['String', 'editor', ['editor']],
      ['String', null, []],
      ['Role', 'EDITOR', ['EDITOR']],
      ['[Role!]', ['EDITOR', 'ADMIN'], ['EDITOR', 'ADMIN']],
    ] as const) {
      const { vault: credentials, ann } = await open(t, on, type, stored)
      assert.deepEqual(await credentials.rightsOf(ann, null), { roles, verified: false })
      assert.equal(await credentials.rightsOf(ann, 't1'), null)
      await credentials.createToken(session('t1', ann), hash)
      assert.deepEqual(await credentials.rightsOf(ann, 't1'), { roles, verified: false })
      assert.equal(await credentials.rightsOf('bob', 't1'), null)
      await credentials.revokeToken('t1', now)
      assert.equal(await credentials.rightsOf(ann, 't1'), null)
    }
  })

  test('renews a token for one request only, and never after it was revoked or has expired', async (t) => {
    const { vault: credentials, ann } = await open(t, on)
    assert.equal(await credentials.createToken(session('t0', ann), 'a previous hash'), false)
    assert.equal(await credentials.createToken(session('t1', ann), hash), true)
    const both = await Promise.all([1, 2].map(() => credentials.renewToken('t1', 1, now + 1, now + 2000)))
    assert.deepEqual(
      both.filter((renewed) => renewed !== null),
      [{ ...token('t1', ann), generation: 2, used: now + 1, expires: now + 2000 }],
    )
    assert.equal(await credentials.renewToken('t1', 2, now + 2000, now + 9000), null)
    assert.equal(await credentials.revokeToken('t1', now), true)
    assert.equal(await credentials.revokeToken('t1', now), false)
    assert.equal(await credentials.renewToken('t1', 2, now + 2, now + 9000), null)
  })

  test('stores a hundred tokens of an account, and no expired ones', async (t) => {
    const { store, vault: credentials, ann } = await open(t, on)
    for (let n = 0; n < 102; n++) {
      await credentials.createToken({ ...session(`t${n}`, ann), used: now + n, expires: now + 1e6 }, hash)
    }
    const tokens = await store.query('SELECT id FROM twain_token WHERE account = ?1', ann)
    assert.equal(tokens.length, 100)
    assert.ok(!tokens.some(({ id }) => id === 't0' || id === 't1'))
    await credentials.revokeToken('t50', now)
    await credentials.createToken({ ...session('last', ann), created: now + 10 }, hash)
    assert.equal(await credentials.findToken('t50'), null)
  })

  test('refuses a password that is being changed', async (t) => {
    const { store, vault: credentials, ann } = await open(t, on)
    for (let round = 0; round < 20; round++) {
      const [previous, next] = round % 2 === 0 ? [hash, 'another hash'] : ['another hash', hash]
      const ids = Array.from({ length: 4 }, (_, n) => `r${round}-${n}`)
      await Promise.all([
        ...ids.map((id) => credentials.createToken({ ...session(id, ann), expires: 9e12 }, previous!)),
        store.as({ account: ann }).update('User', ann, { password: next! }),
      ])
      const standing = await store.query('SELECT id FROM twain_token WHERE account = ?1 AND ended IS NULL', ann)
      assert.deepEqual(
        standing.filter(({ id }) => ids.includes(id as string)),
        [],
      )
    }
  })

  test('shows a running server what the command line writes, at once', async (t) => {
    const { vault: credentials, place } = await open(t, on)
    const command = await openCredentialStore(place)
    await command.createKey({ id: 'k1', name: null, roles: ['importer'], created: now }, 'hash')
    assert.deepEqual(await credentials.findKey('hash'), { id: 'k1', name: null, roles: ['importer'], created: now })
    await credentials.createKey({ id: 'k2', name: 'two', roles: [], created: now + 1 }, 'other')
    assert.deepEqual(
      (await command.keys()).map(({ id }) => id),
      ['k1', 'k2'],
    )
    assert.equal(await command.revokeKey('k1', now), true)
    assert.equal(await credentials.findKey('hash'), null)
    await command.saveSecret({ name: 's', value: 'first', created: now })
    await credentials.saveSecret({ name: 's', value: 'second', created: now })
    const secrets = async () => (await credentials.secrets()).filter(({ name }) => name === 's')
    assert.deepEqual(await secrets(), [{ name: 's', value: 'first', created: now }])
    await credentials.deleteSecrets(['s'])
    assert.deepEqual(await secrets(), [])
    await command.close()
  })
})

test('other users of the machine can’t read the data folder', async (t) => {
  const { place, vault: credentials } = await open(t, 'sqlite')
  await credentials.saveSecret({ name: 's', value: 'x', created: now })
  for (const file of ['twain.db', 'twain.db-wal', 'twain.db-shm']) {
    assert.equal(statSync(join(place.data, file)).mode & 0o777, 0o600, file)
  }
})

test('a folder without data has no credential store, and is not created', async () => {
  const data = join(mkdtempSync(join(tmpdir(), 'twain-vault-')), 'none')
  await assert.rejects(openCredentialStore({ data, database: null }), /There is no data in .*none/)
  rmSync(join(data, '..'), { recursive: true })
})

test('a database without data has no credential store', async () => {
  const { makeTestDatabase } = await import('../../postgres/test-database.fixture.ts')
  const database = await makeTestDatabase()
  const refused = openCredentialStore({ data: '', database: database.address })
  await assert.rejects(refused, { name: 'StartRefused', message: /There is no data in postgres:\/\/127/ })
  await database.drop()
  const away = openCredentialStore({ data: '', database: 'postgres://ann:secret@127.0.0.1:9/none' })
  await assert.rejects(away, (error: Error) => {
    return (
      error.name === 'StartRefused' &&
      /127\.0\.0\.1:9\/none can't be used/.test(error.message) &&
      !/secret/.test(error.message)
    )
  })
})

function session(id: string, account: string): NewSession {
  return { ...token(id, account), how: 'PASSWORD', address: '192.0.2.0/24' }
}

function token(id: string, account: string): Token {
  return { id, account, generation: 1, created: now, used: now, expires: now + 1000, ended: false, client: null }
}

/** With an account. */
async function open(t: TestContext, on: StoreName, type = 'String', roles: unknown = null) {
  const sdl = `type User @account @allow { id: ID!, email: String! @unique, roles: ${type} } enum Role { EDITOR ADMIN }`
  const store = await openTestStore(sdl, { on })
  t.after(() => store.close())
  const { id: ann } = await store.create('User', { email: 'ann', password: hash })
  await store.as(null).update('User', ann, { roles })
  return { store, vault: store.store.credentials, ann, place: store.place }
}

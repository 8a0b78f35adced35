import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { loadModel } from '#model'
import { defaultLimits } from '#plan'
import { openStore } from '../open-store.ts'
import type { Token } from '../vault.ts'
import { openVault } from './open-vault.ts'

const now = Date.parse('2030-01-01T00:00:00.000Z')

test('roles are read of a text, an enum and a list, and of a signing in only while it stands', async (t) => {
  for (const [type, column, roles] of [
    ['String', "'editor'", ['editor']],
    ['String', 'NULL', []],
    ['Role', "'EDITOR'", ['EDITOR']],
    ['[Role!]', `'["EDITOR","ADMIN"]'`, ['EDITOR', 'ADMIN']],
  ] as const) {
    const { vault, run } = await open(t, type)
    run(`INSERT INTO User (id, _version, email, roles) VALUES ('ann', 1, 'ann', ${column})`)
    run("INSERT INTO twain_login (account, login, hash, changed) VALUES ('ann', 'ann', 'h', '')")
    assert.deepEqual(await vault.rolesOf('ann', null), roles)
    assert.equal(await vault.rolesOf('ann', 't1'), null)
    await vault.makeToken(token('t1'), 'h')
    assert.deepEqual(await vault.rolesOf('ann', 't1'), roles)
    assert.equal(await vault.rolesOf('bob', 't1'), null)
    await vault.endToken('t1', 'ann', now)
    assert.equal(await vault.rolesOf('ann', 't1'), null)
  }
})

test('a signing in is renewed by one alone, and not once it has ended or expired', async (t) => {
  const { vault, run } = await open(t)
  run("INSERT INTO twain_login (account, login, hash, changed) VALUES ('ann', 'ann', 'h', '')")
  await vault.makeToken(token('t1'), 'h')
  const both = await Promise.all([1, 2].map(() => vault.renewToken('t1', 1, now + 1, now + 2000)))
  assert.deepEqual(
    both.filter((renewed) => renewed !== null),
    [{ ...token('t1'), generation: 2, used: now + 1, expires: now + 2000 }],
  )
  assert.equal(await vault.renewToken('t1', 2, now + 2000, now + 9000), null)
  await vault.endToken('t1', 'ann', now)
  assert.equal(await vault.renewToken('t1', 2, now + 2, now + 9000), null)
})

test('an account keeps a hundred signings in, and none that are over', async (t) => {
  const { vault, run } = await open(t)
  run("INSERT INTO twain_login (account, login, hash, changed) VALUES ('ann', 'ann', 'h', '')")
  for (let n = 0; n < 102; n++) await vault.makeToken({ ...token(`t${n}`), used: now + n, expires: now + 1e6 }, 'h')
  const kept = await vault.tokens('ann', now)
  assert.equal(kept.length, 100)
  assert.ok(!kept.some(({ id }) => id === 't0' || id === 't1'))
  await vault.endToken('t50', 'ann', now)
  await vault.makeToken({ ...token('last'), created: now + 10 }, 'h')
  assert.equal(await vault.findToken('t50'), null)
})

test('the command writes beside a running server, which sees it at once', async (t) => {
  const { vault, data } = await open(t)
  const command = openVault(data)
  await command.makeKey({ id: 'k1', name: null, roles: ['importer'], created: now }, 'hash')
  assert.deepEqual(await vault.findKey('hash'), { id: 'k1', name: null, roles: ['importer'], created: now })
  await vault.makeKey({ id: 'k2', name: 'two', roles: [], created: now + 1 }, 'other')
  assert.deepEqual(
    (await command.keys()).map(({ id }) => id),
    ['k1', 'k2'],
  )
  assert.equal(await command.endKey('k1', now), true)
  assert.equal(await vault.findKey('hash'), null)
  await command.keepSecret({ name: 's', value: 'first', created: now })
  await vault.keepSecret({ name: 's', value: 'second', created: now })
  assert.deepEqual(
    (await vault.secrets()).filter(({ name }) => name === 's'),
    [{ name: 's', value: 'first', created: now }],
  )
  command.close()
})

test('what is kept is for nobody else on the machine', async (t) => {
  const { data, vault } = await open(t)
  await vault.keepSecret({ name: 's', value: 'x', created: now })
  for (const file of ['twain.db', 'twain.db-wal', 'twain.db-shm']) {
    assert.equal(statSync(join(data, file)).mode & 0o777, 0o600, file)
  }
})

test('a folder that nothing was served from has no vault, and is not made', () => {
  assert.throws(() => openVault('no/such/folder'), /There is no data in no\/such\/folder/)
})

function token(id: string): Token {
  return { id, account: 'ann', generation: 1, created: now, used: now, expires: now + 1000, ended: false }
}

async function open(t: TestContext, roles = 'String') {
  const data = mkdtempSync(join(tmpdir(), 'twain-vault-'))
  const sdl = `type User @account @allow { id: ID!, email: String! @unique, roles: ${roles} } enum Role { EDITOR ADMIN }`
  const log = { info() {}, warn() {}, error() {} }
  const store = await openStore({ data, model: loadModel(sdl, 'a.graphql'), sdl, limits: defaultLimits, log })
  const database = new DatabaseSync(join(data, 'twain.db'))
  t.after(async () => {
    database.close()
    await store.close()
    rmSync(data, { recursive: true })
  })
  return { vault: store.vault, data, run: (sql: string) => database.exec(sql) }
}

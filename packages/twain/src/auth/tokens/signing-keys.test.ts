import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MachineCredentialStore, Secret } from '#store'
import { defaultAuthSettings } from '../settings.ts'
import { SigningKeys } from './signing-keys.ts'

const day = 86_400_000

test('a secret is generated once and stored', async () => {
  const { credentials, stored, open } = place()
  const first = await open().current()
  const second = await open().current()
  assert.deepEqual([second.newest.kid, second.audience], [first.newest.kid, first.audience])
  assert.equal(stored.length, 2)
  assert.equal((await credentials.secrets()).length, 2)
})

test('after a rotation the new key signs, and the previous one verifies until its tokens have expired', async () => {
  const { open, time, stored } = place()
  const [server, command] = [open(), open()]
  const before = await server.current()
  await command.rotate(false)
  time.now += 1000
  const after = await server.current()
  assert.notEqual(after.newest.kid, before.newest.kid)
  assert.ok(after.byKid.has(before.newest.kid))
  assert.equal(after.audience, before.audience)

  time.now += 30 * day
  assert.ok(!(await server.current()).byKid.has(before.newest.kid))
  await command.rotate(false)
  assert.deepEqual(
    stored.filter(({ name }) => name.includes(before.newest.kid)),
    [],
  )
})

test('a rotation with forget leaves only the new key', async () => {
  const { open, time } = place()
  const server = open()
  await open().rotate(false)
  await open().rotate(true)
  time.now += 1000
  assert.equal((await server.current()).byKid.size, 1)
})

test('secrets of the settings are used in their order, and none is generated', async () => {
  const { open, stored } = place()
  const old = await open('old '.repeat(10)).current()
  const both = await open(`${'new '.repeat(10)},${'old '.repeat(10)}`).current()
  assert.notEqual(both.newest.kid, old.newest.kid)
  assert.ok(both.byKid.has(old.newest.kid))
  assert.deepEqual(
    stored.map(({ name }) => name),
    ['audience'],
  )
})

test('two services with the same secret have different audiences', async () => {
  const secret = 'shared '.repeat(6)
  const [one, two] = [await place().open(secret).current(), await place().open(secret).current()]
  assert.equal(one.newest.kid, two.newest.kid)
  assert.notEqual(one.audience, two.audience)
})

function place() {
  const stored: Secret[] = []
  const time = { now: 1_000_000_000_000 }
  const credentials = {
    secrets: async () => [...stored].sort((a, b) => b.created - a.created),
    saveSecret: async (secret: Secret) => {
      if (!stored.some(({ name }) => name === secret.name)) stored.push(secret)
    },
    deleteSecrets: async (names: readonly string[]) => {
      stored.splice(0, stored.length, ...stored.filter(({ name }) => !names.includes(name)))
    },
  } as unknown as MachineCredentialStore
  const open = (secret: string | null = null) =>
    new SigningKeys(credentials, { ...defaultAuthSettings, secret }, () => time.now)
  return { credentials, stored, time, open }
}

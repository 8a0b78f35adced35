// process: own (the hashes are those that a server stores)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Passwords } from './passwords.ts'

test('only the right password is verified', async () => {
  const passwords = new Passwords()
  const stored = await passwords.hash('correct horse')
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
  assert.equal(await passwords.verify('correct horse', stored), true)
  assert.equal(await passwords.verify('correct horsf', stored), false)
  assert.notEqual(await passwords.hash('correct horse'), stored)
})

test('composed and decomposed accents are the same password', async () => {
  const passwords = new Passwords()
  assert.equal(await passwords.verify('cafe\u0301 au lait', await passwords.hash('caf\u00e9 au lait')), true)
})

test('a password of an unknown login is never right', async () => {
  assert.equal(await new Passwords().verify('correct horse', null), false)
})

test('a hash with other parameters can still be verified', async () => {
  const stored = '$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$' // argon2id("password", "somesalt"), m=64, t=1, p=1, 32 bytes
  const { argon2Sync } = await import('node:crypto')
  const [message, nonce] = [Buffer.from('password'), Buffer.from('somesalt')]
  const tag = argon2Sync('argon2id', { message, nonce, parallelism: 1, tagLength: 32, memory: 64, passes: 1 })
  assert.equal(await new Passwords().verify('password', stored + tag.toString('base64').replace(/=+$/, '')), true)
  await assert.rejects(new Passwords().verify('password', 'plain'), /unknown form/)
})

test('an unknown login takes as long as a wrong password: medians within 20 %', async () => {
  const passwords = new Passwords()
  const stored = await passwords.hash('correct horse')
  const times: { known: number[]; unknown: number[] } = { known: [], unknown: [] }
  // CPU time, which a busy machine does not stretch.
  for (let round = 0; round < 15; round++) {
    for (const [name, hash] of [
      ['known', stored],
      ['unknown', null],
    ] as const) {
      const before = process.cpuUsage()
      await passwords.verify('wrong horse', hash)
      const { user, system } = process.cpuUsage(before)
      times[name].push(user + system)
    }
  }
  const ratio = median(times.known) / median(times.unknown)
  assert.ok(ratio > 0.8 && ratio < 1.25, `ratio of medians ${ratio}`)
})

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[numbers.length >> 1]!
}

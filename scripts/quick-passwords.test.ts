// process: own (it replaces the hash function)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import './quick-passwords.ts'

test('with quick hashes only the right password is verified, in a hundredth of the CPU time', async () => {
  const { Passwords } = await import('../packages/twain/src/auth/sign-in/passwords.ts')
  const passwords = new Passwords()
  const before = process.cpuUsage()
  for (let round = 0; round < 20; round++) {
    const stored = await passwords.hash(`correct horse ${round}`)
    assert.equal(await passwords.verify(`correct horse ${round}`, stored), true)
    assert.equal(await passwords.verify('wrong horse', stored), false)
  }
  const { user, system } = process.cpuUsage(before)
  assert.ok(user + system < 1_000_000, `${user + system} µs`) // Twain's take 3.6 s
})

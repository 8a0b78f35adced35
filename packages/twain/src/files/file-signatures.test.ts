import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MachineCredentialStore, Secret } from '#store'
import { openFileSignatures } from './file-signatures.ts'

test('a signature is valid for its file only, for at least an hour, and then expired', async () => {
  const time = { now: Date.parse('2026-01-01T00:00:00Z') }
  const signatures = await openFileSignatures(credentialStore([]), () => time.now)
  const { expires, signature } = partsOf(signatures.sign('a', ''))
  assert.equal(signatures.check('a', '', expires, signature), 'good')
  assert.equal(signatures.check('b', '', expires, signature), null)
  assert.equal(signatures.check('a', '', String(Number(expires) + 1), signature), null)
  for (const [wrongly, by] of [
    ['', signature],
    ['-1', signature],
    ['1e9', signature],
    [expires, ''],
    [expires, `${signature}A`],
  ]) {
    assert.equal(signatures.check('a', '', wrongly!, by!), null)
  }
  time.now += 3_599_000
  assert.equal(signatures.check('a', '', expires, signature), 'good')
  time.now += 602_000
  assert.equal(signatures.check('a', '', expires, signature), 'expired')
})

test('a signature of one variant opens no other, nor the file itself', async () => {
  const signatures = await openFileSignatures(credentialStore([]), Date.now)
  const query = signatures.sign('a', 'width=320&format=WEBP')
  assert.match(query, /^\?width=320&format=WEBP&expires=\d+&signature=/)
  const { expires, signature } = partsOf(query)
  assert.equal(signatures.check('a', 'width=320&format=WEBP', expires, signature), 'good')
  assert.equal(signatures.check('a', 'width=640&format=WEBP', expires, signature), null)
  assert.equal(signatures.check('a', '', expires, signature), null)
  const whole = partsOf(signatures.sign('a', ''))
  assert.equal(signatures.check('a', 'width=320&format=WEBP', whole.expires, whole.signature), null)
})

test('a signed URL stays the same for ten minutes', async () => {
  const time = { now: Date.parse('2026-01-01T00:00:01Z') }
  const signatures = await openFileSignatures(credentialStore([]), () => time.now)
  const first = signatures.sign('a', '')
  time.now += 598_000
  assert.equal(signatures.sign('a', ''), first)
  time.now += 2_000
  assert.notEqual(signatures.sign('a', ''), first)
})

test('the secret is stored, and every node uses the same', async () => {
  const saved: Secret[] = []
  const now = () => Date.parse('2026-01-01T00:00:00Z')
  const [one, other] = [
    await openFileSignatures(credentialStore(saved), now),
    await openFileSignatures(credentialStore(saved), now),
  ]
  assert.equal(one.sign('a', ''), other.sign('a', ''))
  assert.deepEqual(
    saved.map(({ name }) => name),
    ['files'],
  )
})

function partsOf(query: string): { expires: string; signature: string } {
  const { expires = '', signature = '' } = Object.fromEntries(new URLSearchParams(query))
  return { expires, signature }
}

function credentialStore(saved: Secret[]): MachineCredentialStore {
  const parts: Pick<MachineCredentialStore, 'secrets' | 'saveSecret'> = {
    secrets: async () => saved,
    saveSecret: async (secret) => void saved.push(secret),
  }
  return parts as MachineCredentialStore
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openAuth } from '../auth.fixture.ts'
import { DerivedKeys } from './derived-keys.ts'

test('a sealed text shows nothing and opens only unchanged, also after a rotation that keeps the key', async (t) => {
  const { keys, time } = await openAuth(t)
  const derived = new DerivedKeys(keys)
  const sealed = await derived.seal('the code is 12345678')
  assert.ok(!sealed.includes('12345678') && !Buffer.from(sealed.split('.')[1]!, 'base64url').includes('12345678'))
  assert.notEqual(sealed, await derived.seal('the code is 12345678'))
  assert.equal(await derived.open(sealed), 'the code is 12345678')
  const end = sealed.at(-1) === 'A' ? 'B' : 'A'
  const middle = sealed.length - 10
  const changed = sealed.slice(0, middle) + (sealed[middle] === 'A' ? 'B' : 'A') + sealed.slice(middle + 1, -1) + end
  assert.equal(await derived.open(changed), null)
  assert.equal(await derived.open('x.y'), null)

  const { key, hmac } = await derived.hmac('text')
  time.now += 1
  await keys.rotate(false)
  assert.equal(await derived.open(sealed), 'the code is 12345678')
  assert.equal(await derived.hmacBy(key, 'text'), hmac)
  assert.notEqual((await derived.hmac('text')).key, key)
  await keys.rotate(true)
  assert.equal(await derived.open(sealed), null)
  assert.equal(await derived.hmacBy(key, 'text'), null)
})

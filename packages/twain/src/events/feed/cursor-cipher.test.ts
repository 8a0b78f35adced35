import assert from 'node:assert/strict'
import { createHmac, hash } from 'node:crypto'
import { test } from 'node:test'
import { CursorCipher, cipherTextLength } from './cursor-cipher.ts'

const point = { epoch: '0a0b0c0d', position: 7 }

test('a point is restored, and equal points give equal texts', () => {
  const cipher = new CursorCipher('secret', 'log')
  for (const position of [0, 1, 255, 256, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
    for (const epoch of ['00000000', 'ffffffff']) {
      const text = cipher.encrypt({ epoch, position })
      assert.equal(text.length, cipherTextLength)
      assert.equal(new CursorCipher('secret', 'log').encrypt({ epoch, position }), text)
      assert.deepEqual(cipher.decrypt(text), { epoch, position })
    }
  }
})

test('a text that was changed at any character, or is of another key or log, is refused', () => {
  const cipher = new CursorCipher('secret', 'log')
  const text = cipher.encrypt(point)
  for (let at = 0; at < text.length; at++) {
    const other = text[at] === 'A' ? 'B' : 'A'
    assert.equal(cipher.decrypt(text.slice(0, at) + other + text.slice(at + 1)), null)
  }
  for (const wrong of ['', text.slice(1), `${text}A`, `${text}=`]) assert.equal(cipher.decrypt(wrong), null)
  assert.equal(new CursorCipher('other', 'log').decrypt(text), null)
  assert.equal(new CursorCipher('secret', 'other').decrypt(text), null)
})

test('the IV is an HMAC of the point', () => {
  const bytes = Buffer.from('0a0b0c0d0000000000000007', 'hex')
  const key = hash('sha256', 'twain cursor mac log secret', 'buffer')
  const iv = Buffer.from(new CursorCipher('secret', 'log').encrypt(point), 'base64url').subarray(0, 16)
  assert.deepEqual(iv, createHmac('sha256', key).update(bytes).digest().subarray(0, 16))
})

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { PrefixDigest } from './prefix-digest.ts'

test('has the digest of each beginning that was read', async () => {
  const digest = new PrefixDigest()
  async function* chunks() {
    for (const text of ['abc', '', 'defg', 'h']) yield Buffer.from(text)
  }
  for await (const _chunk of digest.watch(chunks()));
  for (const position of [0, 2, 3, 7]) {
    digest.advance(position)
    assert.equal(digest.upTo(position), hash('sha256', 'abcdefgh'.slice(0, position), 'hex'))
    assert.equal(digest.upTo(8), hash('sha256', 'abcdefgh', 'hex'))
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textKey } from './text-key.ts'

test('the key of a text is its folded form', () => {
  const texts = ['Ångström', 'anna', 'Bob', 'Çağla', 'Émile', 'Zoë', 'Straße', '', '東京']
  assert.deepEqual(texts.map(textKey), ['angstrom', 'anna', 'bob', 'cagla', 'emile', 'zoe', 'strasse', '', '東京'])
})

test('only the first 32 characters make the key, whatever they become', () => {
  assert.equal(textKey('A'.repeat(100)), 'a'.repeat(32))
  assert.equal(textKey('ß'.repeat(32)), 's'.repeat(32))
  assert.equal(textKey('😀'.repeat(33)), '😀'.repeat(32))
  assert.equal(textKey('É'.repeat(31) + '😀x'), 'e'.repeat(31) + '😀')
})

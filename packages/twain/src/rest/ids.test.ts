import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPossibleId } from './ids.ts'

test('R3: an id is 1 to 64 letters, digits, "_" and "-"', () => {
  for (const id of ['a', 'A-Z_09', 'x'.repeat(64), '__proto__']) assert.equal(isPossibleId(id), true, id)
  for (const id of ['', 'a b', 'a.b', 'é', 'a\n', '\0', 'x'.repeat(65)]) assert.equal(isPossibleId(id), false, id)
})

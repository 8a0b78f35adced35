import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unreachable } from './unreachable.ts'

test('a kind that was forgotten is shown', () => {
  assert.throws(() => unreachable({ kind: 'new' } as never), /unreachable: \{"kind":"new"\}/)
})

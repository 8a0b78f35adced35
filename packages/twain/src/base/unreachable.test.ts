import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unreachable } from './unreachable.ts'

test('the error shows the kind that was not handled', () => {
  assert.throws(() => unreachable({ kind: 'new' } as never), /unreachable: \{"kind":"new"\}/)
})

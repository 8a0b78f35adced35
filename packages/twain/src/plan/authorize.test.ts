import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anonymous } from '#base'
import { authorize } from './authorize.ts'
import { Draft } from './draft.ts'
import { resource } from './library.fixture.ts'
import type { One } from './plan.ts'

test('without an account type everyone may do everything: the plan stays as it is', () => {
  const id = new Draft().slot({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, 'b1', 'id')
  const plan: One = { kind: 'one', of: resource('Book'), id, pick: [] }

  assert.equal(authorize(plan, anonymous), plan)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Where } from '../plan.ts'
import { all, always, any, isAlways, isNever, never, simplify } from './conditions.ts'

const viewer: Where = { kind: 'viewer' }

test('conditions that are always or never true are simplified', () => {
  assert.deepEqual([all([]), all([always, viewer]), all([viewer, never])], [always, viewer, never])
  assert.deepEqual([any([]), any([never, viewer]), any([viewer, always])], [never, viewer, always])
})

test('without an account, isViewer is never true', () => {
  const own: Where = { kind: 'or', of: [{ kind: 'not', of: viewer }, viewer] }
  assert.ok(isNever(simplify(viewer, false)))
  assert.ok(isAlways(simplify(own, false)))
  assert.deepEqual(simplify(own, true), own)
})

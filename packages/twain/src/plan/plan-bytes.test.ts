import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planBytes } from './plan-bytes.ts'

test('the estimate counts the objects and texts of a plan, and stops at the model', () => {
  const model = { name: 'Post', fields: Array.from({ length: 1000 }, () => ({ name: 'title' })) }
  const selection = (key: string) => ({ kind: 'field', key, field: model })
  const plan = (size: number) => ({
    kind: 'one',
    of: model,
    selections: Array.from({ length: size }, () => selection('title')),
  })

  assert.ok(planBytes(plan(1)) < 1000)
  assert.ok(planBytes(plan(1000)) > 200_000 && planBytes(plan(1000)) < 400_000)
})

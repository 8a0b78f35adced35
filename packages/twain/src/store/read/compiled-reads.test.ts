import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuthorizedPlan, ReadPlan } from '#plan'
import { CompiledReads } from './compiled-reads.ts'

const nothing = { more: false, total: false }
const all = [nothing, { more: true, total: false }, { more: false, total: true }, { more: true, total: true }]

test('a plan is compiled once for each combination of page extras', () => {
  const compiled: string[] = []
  const reads = new CompiledReads((plan, { more, total }) => {
    compiled.push(`${plan.kind} ${more} ${total}`)
    return { sql: 'SELECT 1', parameters: [] }
  })
  const plan = { kind: 'many' } as AuthorizedPlan<ReadPlan>
  const first = all.map((extras) => reads.get(plan, extras))
  assert.deepEqual(compiled, ['many false false', 'many true false', 'many false true', 'many true true'])

  const again = all.map((extras) => reads.get(plan, extras))
  assert.ok(again.every((read, index) => read === first[index]))
  assert.equal(compiled.length, 4)
  assert.notEqual(reads.get({ ...plan }, nothing), first[0])
})

test('a full cache evicts the least recently used statement', () => {
  let count = 0
  const reads = new CompiledReads(() => ({ sql: `${++count}`.padEnd(400_000), parameters: [] }))
  const [a, b, c] = ['a', 'b', 'c'].map((kind) => ({ kind }) as unknown as AuthorizedPlan<ReadPlan>)
  const numberOf = (plan: AuthorizedPlan<ReadPlan> | undefined) => Number(reads.get(plan!, nothing).sql)
  assert.deepEqual([a, b, a, c, a, b].map(numberOf), [1, 2, 1, 3, 1, 4])
})

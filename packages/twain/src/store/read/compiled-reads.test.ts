import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CacheBudget } from '#base'
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
  const reads = new CompiledReads(
    () => ({ sql: `${count++}`.padEnd(10), parameters: [] }), // 700 bytes with its entry
    new CacheBudget(300 * 700),
  )
  const plans = Array.from({ length: 301 }, (_, kind) => ({ kind }) as unknown as AuthorizedPlan<ReadPlan>)
  const numberOf = (plan: AuthorizedPlan<ReadPlan> | undefined) => Number(reads.get(plan!, nothing).sql)
  for (const plan of plans.slice(0, 300)) numberOf(plan)

  assert.deepEqual([plans[0], plans[300], plans[0], plans[1]].map(numberOf), [0, 300, 0, 301])
})

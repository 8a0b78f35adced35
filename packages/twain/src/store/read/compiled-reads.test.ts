import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CacheBudget } from '#base'
import type { AuthorizedPlan, ReadPlan } from '#plan'
import { CompiledReads } from './compiled-reads.ts'

test('a plan is compiled once with the question whether more rows follow, and once without', () => {
  const compiled: string[] = []
  const reads = new CompiledReads((plan, more) => {
    compiled.push(`${plan.kind} ${more}`)
    return { sql: 'SELECT 1', parameters: [] }
  })
  const plan = { kind: 'many' } as AuthorizedPlan<ReadPlan>
  const first = [false, true].map((more) => reads.get(plan, more))
  assert.deepEqual(compiled, ['many false', 'many true'])

  const again = [false, true].map((more) => reads.get(plan, more))
  assert.ok(again.every((read, index) => read === first[index]))
  assert.equal(compiled.length, 2)
  assert.notEqual(reads.get({ ...plan }, false), first[0])
})

test('a full cache evicts the least recently used statement', () => {
  let count = 0
  const reads = new CompiledReads(
    () => ({ sql: `${count++}`.padEnd(10), parameters: [] }), // 700 bytes with its entry
    new CacheBudget(300 * 700),
  )
  const plans = Array.from({ length: 301 }, (_, kind) => ({ kind }) as unknown as AuthorizedPlan<ReadPlan>)
  const numberOf = (plan: AuthorizedPlan<ReadPlan> | undefined) => Number(reads.get(plan!, false).sql)
  for (const plan of plans.slice(0, 300)) numberOf(plan)

  assert.deepEqual([plans[0], plans[300], plans[0], plans[1]].map(numberOf), [0, 300, 0, 301])
})

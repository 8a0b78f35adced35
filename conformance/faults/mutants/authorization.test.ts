// Shows that the suite of rules finds bugs: without any one branch of authorize, some cell differs.
// stores: sqlite (mutants test the suite, not a store)

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { AuthorizedPlan } from '../../../packages/twain/src/plan/index.ts'
import { ruleSchemas } from '../../rules/rule-schemas.ts'
import { openRulesFixture, type RulesFixture } from '../../rules/rules-fixture.ts'
import { runReads, runWrites } from '../../rules/run-cells.ts'
import { type Mutant, mutants } from './authorization-mutants.ts'

let mutant: Mutant | null = null
const fixtures = new Map<string, RulesFixture>()

after(async () => {
  for (const { apis } of fixtures.values()) await apis.close()
})

for (const each of mutants) {
  test(`the suite finds authorize without ${each.name}`, async () => {
    const fixture = fixtures.get(each.on) ?? (await open(each.on))
    mutant = each
    const reads = await runReads(fixture, { every: 5, stops: true })
    const found = reads.differences.length > 0 ? reads : await runWrites(fixture, { every: 1, stops: true })
    mutant = null
    assert.equal(found.differences.length, 1)
  })
}

async function open(name: string): Promise<RulesFixture> {
  const mutated = new WeakMap<Mutant, WeakMap<AuthorizedPlan, AuthorizedPlan>>()
  const fixture = await openRulesFixture(ruleSchemas.find((schema) => schema.name === name)!, (plan, sent, viewer) => {
    if (mutant === null) return plan
    const known = mutated.get(mutant) ?? new WeakMap<AuthorizedPlan, AuthorizedPlan>()
    mutated.set(mutant, known)
    const changed = known.get(plan) ?? mutant.forget(plan, sent, viewer, fixture.rows.model)
    known.set(plan, changed)
    return changed
  })
  fixtures.set(name, fixture)
  return fixture
}

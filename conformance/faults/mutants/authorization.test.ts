// Shows that the suite of rules finds bugs: without any one branch of authorize, some cell differs.
// stores: sqlite (mutants test the suite, not a store)

import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import type { CustomOperation, OperationRule } from '../../../packages/twain/src/model/index.ts'
import { ViewerRules } from '../../../packages/twain/src/plan/authorize/viewer-rules.ts'
import { Authority, type AuthorizedPlan } from '../../../packages/twain/src/plan/index.ts'
import { RestorableRow } from '../../../packages/twain/src/store/sql/sql-row.ts'
import { openApis } from '../../harness/open-apis.ts'
import { softName, softSchemas } from '../../rules/cells/deleted-cells.ts'
import { operationDifferences, operationSchema, operationService } from '../../rules/cells/operation-cells.ts'
import { runReads, runWrites } from '../../rules/cells/run-cells.ts'
import { runDeleted } from '../../rules/cells/run-deleted-cells.ts'
import { ruleSchemas } from '../../rules/rule-schemas.ts'
import { openRulesFixture, type RulesFixture } from '../../rules/rules-fixture.ts'
import { type Mutant, mutants } from './authorization-mutants.ts'

const allSchemas = [...ruleSchemas, ...softSchemas(ruleSchemas)]

let mutant: Mutant | null = null
const fixtures = new Map<string, RulesFixture>()

after(async () => {
  for (const { apis } of fixtures.values()) await apis.close()
})

for (const each of mutants) {
  test(`the suite finds authorize without ${each.name}`, async () => {
    const fixture = fixtures.get(each.on) ?? (await open(each.on))
    mutant = each
    const found = await findsDifference(fixture)
    mutant = null
    assert.equal(found, true)
  })
}

/** A few cells find most mutants; the others are found by more of them. */
const passes = [
  [runReads, 20],
  [runWrites, 40],
  [runWrites, 5],
  [runReads, 5],
  [runWrites, 1],
] as const

const softPasses = [[runDeleted, 1]] as const

async function findsDifference(fixture: RulesFixture): Promise<boolean> {
  for (const [run, every] of fixture.schema.name.endsWith(softName('')) ? softPasses : passes) {
    const { differences } = await run(fixture, { every, stops: true })
    if (differences.length > 0) return true
  }
  return false
}

/** Mutants of the rules on custom operations, as methods that take the place of the server's own. */
const operationMutants: Record<string, (t: TestContext) => void> = {
  'the rules of an operation': (t) => void t.mock.method(Authority.prototype, 'mayCall', () => true),
  'the role of a rule on an operation': (t) => {
    const { mayCallBy } = ViewerRules.prototype
    t.mock.method(ViewerRules.prototype, 'mayCallBy', function (this: ViewerRules, rule: OperationRule) {
      return mayCallBy.call(this, { ...rule, role: null })
    })
  },
  'who of a rule on an operation': (t) => {
    const { mayCallBy } = ViewerRules.prototype
    t.mock.method(ViewerRules.prototype, 'mayCallBy', function (this: ViewerRules, rule: OperationRule) {
      return mayCallBy.call(this, { ...rule, who: { kind: 'anyone' } })
    })
  },
  'the role admin of an operation without rules': (t) => {
    const { mayCall } = ViewerRules.prototype
    t.mock.method(ViewerRules.prototype, 'mayCall', function (this: ViewerRules, operation: CustomOperation) {
      return operation.rules.length === 0 || mayCall.call(this, operation)
    })
  },
}

for (const [name, mutate] of Object.entries(operationMutants)) {
  test(`the suite finds authorize without ${name}`, async (t) => {
    const apis = await openApis(operationSchema, {}, undefined, undefined, undefined, { service: operationService })
    t.after(() => apis.close())
    mutate(t)
    assert.notDeepEqual(await operationDifferences(apis), [])
  })
}

test('the suite finds rules of deleted rows that only look at what is left', async (t) => {
  t.mock.getter(RestorableRow.prototype, 'states', () => null)
  const fixture = await openRulesFixture(allSchemas.find(({ name }) => name === softName('what a neighbour decides'))!)
  t.after(() => fixture.apis.close())
  assert.notDeepEqual((await runDeleted(fixture, { every: 1, stops: true })).differences, [])
})

async function open(name: string): Promise<RulesFixture> {
  const mutated = new WeakMap<Mutant, WeakMap<AuthorizedPlan, AuthorizedPlan>>()
  const fixture = await openRulesFixture(allSchemas.find((schema) => schema.name === name)!, (plan, sent, viewer) => {
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

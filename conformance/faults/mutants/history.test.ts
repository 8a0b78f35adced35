// Shows that the cells of histories and reversions find bugs: without any one rule in their plans, some cell differs.
// stores: sqlite (mutants test the suite, not a store)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  AuthorizedPlan,
  ChangedField,
  HistoryRead,
  Reversion,
  Selection,
} from '../../../packages/twain/src/plan/index.ts'
import { historyDifferences, openHistoryCells } from '../../rules/cells/history-cells.ts'

const withoutGuard = <Part extends { guard?: unknown }>({ guard: _, ...part }: Part) => part

/** A field without its rule, or without those of the rows that it refers to. */
const freed = (part: 'guard' | 'targets') => (changed: ChangedField) => {
  if (changed.kind === 'links') return changed
  const { [part]: _, ...selection } = changed.selection as unknown as Record<string, unknown>
  return { ...changed, selection } as unknown as ChangedField
}

const historyMutants: Record<string, (read: HistoryRead) => HistoryRead> = {
  'READ of the row as it was': (read) => withoutGuard(read) as HistoryRead,
  'READ of its fields': (read) => ({ ...read, fields: read.fields.map(freed('guard')) }),
  'READ of the rows that it refers to': (read) => ({ ...read, fields: read.fields.map(freed('targets')) }),
  AUDIT: (read) => ({ ...read, audit: { kind: 'constant', is: true } }),
}

const reversionMutants: Record<string, (revert: Reversion) => Reversion> = {
  'READ of the version': (revert) => withoutGuard(revert) as Reversion,
  'READ of the fields': (revert) => ({ ...revert, fields: revert.fields.map(freed('guard')) }),
  'READ of what it refers to': (revert) => ({ ...revert, fields: revert.fields.map(freed('targets')) }),
}

for (const [name, mutate] of Object.entries(historyMutants)) {
  test(`the cells find a history without ${name}`, () =>
    findsDifference((plan) => {
      if (plan.kind !== 'one') return plan
      const selections = plan.selections.map(
        (one): Selection => (one.kind === 'changes' ? { ...one, read: mutate(one.read) } : one),
      )
      return { ...plan, selections } as AuthorizedPlan
    }))
}

for (const [name, mutate] of Object.entries(reversionMutants)) {
  test(`the cells find a reversion without ${name}`, () =>
    findsDifference((plan) => {
      if (plan.kind !== 'write' || plan.revert === undefined) return plan
      return { ...plan, revert: mutate(plan.revert) } as AuthorizedPlan
    }))
}

test('the cells find a reversion without UPDATE of the fields', () =>
  findsDifference((plan) => {
    if (plan.kind !== 'write' || plan.revert === undefined || plan.checks === undefined) return plan
    return { ...plan, checks: { ...plan.checks, fields: [] } } as AuthorizedPlan
  }))

async function findsDifference(forget: (plan: AuthorizedPlan) => AuthorizedPlan): Promise<void> {
  const apis = await openHistoryCells(forget)
  try {
    const { differences } = await historyDifferences(apis)
    assert.notEqual(differences.length, 0)
  } finally {
    await apis.close()
  }
}

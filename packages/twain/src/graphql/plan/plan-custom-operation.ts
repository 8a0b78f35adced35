// An operation that own code answers → a call, with what is asked of its answer.

import type { OwnOperation } from '#model'
import { type Call, type Limits, planArguments, type Question, valuesAgain } from '#plan'
import type { Variables } from '../document/argument-values.ts'
import type { Selected } from '../document/selection.ts'
import type { PlanContext } from './plan-context.ts'
import { planOwnResult } from './plan-selection.ts'

export interface OwnRoot {
  kind: 'own'
  plan: Call
  leaves: readonly unknown[]
  places: readonly string[]
}

export function planOwn(operation: OwnOperation, field: Selected, context: PlanContext, limits: Limits): OwnRoot {
  const { draft } = context
  const given = context.argumentsOf(field.node, operation.root)
  const args = planArguments(operation.args, draft, field.key, (name) => given.leaf(name))
  const result = planOwnResult(operation.type, field, context, field.key)
  draft.finish(limits)
  const { leaves, places } = draft
  return { kind: 'own', plan: { kind: 'call', operation, args, result }, leaves, places }
}

export function ownQuestion({ plan, leaves, places }: OwnRoot, variables: Variables): Question<Call> {
  return { plan, values: valuesAgain(leaves, variables), places }
}

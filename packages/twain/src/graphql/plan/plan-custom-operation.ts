// An operation that own code answers → a call, with what is asked of its answer.

import type { CustomOperation } from '#model'
import type { BoundPlan, CustomCall, Limits } from '#plan'
import { planArguments, resolveValues } from '#plan/build'
import type { Variables } from '../document/argument-values.ts'
import type { Selected } from '../document/selection.ts'
import type { PlanContext } from './plan-context.ts'
import { planOwnResult } from './plan-selection.ts'

export interface OwnRoot {
  kind: 'own'
  plan: CustomCall
  leaves: readonly unknown[]
  places: readonly string[]
}

export function planOwn(operation: CustomOperation, field: Selected, context: PlanContext, limits: Limits): OwnRoot {
  const { draft: builder } = context
  const given = context.argumentsOf(field.node, operation.root)
  const args = planArguments(operation.args, builder, field.key, (name) => given.leaf(name))
  const result = planOwnResult(operation.type, field, context, field.key)
  builder.finish(limits)
  const { requestValues: leaves, places } = builder
  return { kind: 'own', plan: { kind: 'call', operation, args, result }, leaves, places }
}

export function ownQuestion({ plan, leaves, places }: OwnRoot, variables: Variables): BoundPlan<CustomCall> {
  return { plan, values: resolveValues(leaves, variables), places }
}

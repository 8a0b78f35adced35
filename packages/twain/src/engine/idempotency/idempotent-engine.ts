// The engine as own code has it that is called with an `Idempotency-Key`: each of its writes is made once under that key, known
// by its number, its kind and its row. So code that is called again makes what it had not made yet, and finds the rest.

import { type IdempotencyKey, stepIdempotencyKey } from '#base'
import type { BoundPlan } from '#plan'
import type { Engine } from '../contract.ts'

export function idempotentEngine(engine: Engine, once: IdempotencyKey): Engine {
  let number = 0
  return {
    ...engine,
    execute(boundPlan, viewer, options) {
      const { kind } = boundPlan.plan
      if (kind === 'one' || kind === 'many') return engine.execute(boundPlan, viewer, options)
      return engine.execute(boundPlan, viewer, {
        ...options,
        idempotencyKey: stepIdempotencyKey(once, `${number++} ${stepOf(boundPlan)}`),
      })
    },
  }
}

function stepOf({ plan, values }: BoundPlan): string {
  if (plan.kind !== 'write') return plan.kind
  return `${plan.action} ${plan.of.name} ${plan.id === null ? '' : String(values[plan.id.index])}`
}

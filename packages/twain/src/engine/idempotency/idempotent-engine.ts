// The engine of custom code that is called with an `Idempotency-Key`. Each of its writes gets a key of its own, made of that
// key, the number of the write, its kind and its row. Code that is called again repeats no write.

import { type IdempotencyKey, stepIdempotencyKey } from '#base/http'
import type { BoundPlan } from '#plan'
import { type Engine, wrapEngine } from '../engine.ts'

export function idempotentEngine(engine: Engine, key: IdempotencyKey): Engine {
  let number = 0
  return wrapEngine(engine, {
    execute(boundPlan, viewer, options) {
      const { kind } = boundPlan.plan
      if (kind === 'one' || kind === 'many') return engine.execute(boundPlan, viewer, options)
      const idempotencyKey = stepIdempotencyKey(key, `${number++} ${describeWrite(boundPlan)}`)
      return engine.execute(boundPlan, viewer, { ...options, idempotencyKey })
    },
  })
}

function describeWrite({ plan, values }: BoundPlan): string {
  if (plan.kind !== 'write') return plan.kind
  return `${plan.action} ${plan.of.name} ${plan.id === null ? '' : String(values[plan.id.index])}`
}

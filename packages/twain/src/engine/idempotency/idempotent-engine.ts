// The engine as own code has it that is called with an `Idempotency-Key`: each of its writes is made once under that key, known
// by its number, its kind and its row. So code that is called again makes what it had not made yet, and finds the rest.

import { type Once, onceWithin } from '#base'
import type { Question } from '#plan'
import type { Engine } from '../contract.ts'

export function keyedEngine(engine: Engine, once: Once): Engine {
  let number = 0
  return {
    ...engine,
    execute(question, viewer, wants) {
      const { kind } = question.plan
      if (kind === 'one' || kind === 'many') return engine.execute(question, viewer, wants)
      return engine.execute(question, viewer, { ...wants, once: onceWithin(once, `${number++} ${stepOf(question)}`) })
    },
  }
}

function stepOf({ plan, values }: Question): string {
  if (plan.kind !== 'write') return plan.kind
  return `${plan.action} ${plan.of.name} ${plan.id === null ? '' : String(values[plan.id.index])}`
}

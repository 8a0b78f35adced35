// The corridor between the doors and the store: check → authorize → limit → run. Nothing reaches the store around it.

import type { Viewer } from '#base'
import type { Model } from '#model'
import { type Answer, authorize, check, type Limits, limit, type Plan, type Question } from '#plan'
import type { Store } from '#store'
import type { Engine, Wants } from './contract.ts'

interface Parts {
  model: Model
  store: Store
  limits: Limits
}

export function createEngine({ model, store, limits }: Parts): Engine {
  const measured = new WeakSet<object>()
  return { model, limits, execute }

  async function execute(question: Question, viewer: Viewer, wants: Wants = {}): Promise<Answer> {
    const values = check(question, limits) // every problem at once, each with its place in the request
    const allowed = authorize(question.plan, viewer) // the only maker of an AuthorizedPlan
    if (wants.whole !== true) limitOnce(allowed)
    return store.run(allowed, values, { more: wants.more === true, total: wants.total === true })
  }

  /** Depth and cost belong to the shape of a plan: what has passed once need not be measured again. */
  function limitOnce(plan: Plan): void {
    const shape = plan.kind === 'write' ? plan.answer : plan
    if (measured.has(shape)) return
    limit(plan, limits)
    measured.add(shape)
  }
}

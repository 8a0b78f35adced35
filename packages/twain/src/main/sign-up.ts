// Writes of those who sign up where the address must be proven first: the rehearsal of the row, and the row once it is proven.

import { anonymous, type RequestCaller, type Viewer } from '#base/http'
import type { Engine } from '#engine'
import type { BoundPlan, SignUp, WritePlan } from '#plan'
import { PlanBuilder, planInput } from '#plan/build'

export async function rehearseSignUp(
  { plan, ...bound }: BoundPlan<WritePlan>,
  viewer: Viewer,
  caller: RequestCaller | undefined,
  engine: Engine,
): Promise<void> {
  const rehearsed: WritePlan = { ...plan, answer: [], signUp: 'rehearsal' }
  await engine.execute({ ...bound, plan: rehearsed }, viewer, { isDefaultSelection: true, caller })
}

/** Answers nothing of the row but its id. */
export async function createSignedUp(input: Record<string, unknown>, signUp: SignUp, engine: Engine): Promise<string> {
  const { limits, model } = engine
  const of = model.account!.resource
  // Its password was hashed when it was sent.
  const builder = new PlanBuilder({ ...engine.visibility(anonymous), account: null }, undefined, limits.transaction)
  const set = planInput(input, of, 'create', builder, '', false)
  builder.finish(limits)
  const plan: WritePlan = { kind: 'write', action: 'create', of, id: null, set, ifVersion: null, signUp, answer: [] }
  const made = await engine.execute(builder.bind(plan), anonymous, { isDefaultSelection: true })
  if (made.kind !== 'written') throw new Error(`a create answered with ${made.kind}`)
  return made.id
}

// Writes of those who sign up where the address must be proven first: the rehearsal of the row, and the row once it is proven.

import { anonymous, type RequestCaller, type Viewer } from '#base/http'
import type { Engine } from '#engine'
import type { BoundPlan, SignUp, WritePlan } from '#plan'
import { planNewAccount } from '#plan/build'

export async function rehearseSignUp(
  { plan, ...bound }: BoundPlan<WritePlan>,
  viewer: Viewer,
  caller: RequestCaller | undefined,
  engine: Engine,
): Promise<void> {
  const rehearsed: WritePlan = { ...plan, answer: [], signUp: 'rehearsal' }
  await engine.execute({ ...bound, plan: rehearsed }, viewer, { isDefaultSelection: true, caller })
}

/** Answers nothing of the row but its id. The password is hashed already, and part of `signUp`. */
export async function createSignedUp(
  input: Record<string, unknown>,
  signUp: SignUp,
  engine: Engine,
  viewer: Viewer = anonymous,
): Promise<string> {
  const { limits, model } = engine
  const bound = planNewAccount(input, model.account!.resource, engine.visibility(viewer), limits)
  const made = await engine.execute({ ...bound, plan: { ...bound.plan, signUp } }, viewer, { isDefaultSelection: true })
  if (made.kind !== 'written') throw new Error(`a create answered with ${made.kind}`)
  return made.id
}

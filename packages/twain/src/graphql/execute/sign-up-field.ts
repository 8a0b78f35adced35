// `signUp`. The module auth decides; this file plans the create and shapes the result as the request selects it.

import { ApiError } from '#base'
import type { WritePlan } from '#plan'
import { PlanBuilder, planInput } from '#plan/build'
import type { PlannedSignUp } from '../plan/plan-system-fields.ts'
import { type ExecutionContext, recordUsage } from './execution-context.ts'

/** The JSON text of the root field. */
export async function signUpText(
  { result, visibility, bindArguments }: PlannedSignUp,
  context: ExecutionContext,
): Promise<string> {
  const { engine, variables, viewer, caller, tokens, uploads } = context
  const signUps = tokens?.signUps ?? null
  if (signUps === null) throw new Error('accounts must prove their address, but nobody can sign up')
  if (uploads !== null) throw noUploads()
  const input = bindArguments(variables).value('input') as Record<string, unknown>
  const of = engine.model.account!.resource
  const builder = new PlanBuilder(visibility, undefined, engine.limits.transaction)
  const set = planInput(input, of, 'create', builder, '', false)
  builder.finish(engine.limits)
  const plan: WritePlan = { kind: 'write', action: 'create', of, id: null, set, ifVersion: null, answer: [] }
  const boundPlan = builder.bind(plan, builder.requestValues)
  recordUsage(boundPlan, context)
  const made: Record<string, unknown> = {
    ...(await signUps.begin(boundPlan, input, viewer, caller)),
    __typename: 'SignUpResult',
  }
  return JSON.stringify(Object.fromEntries(result.map(({ key, name }) => [key, made[name] ?? null])))
}

/** The input waits for the proof longer than the request. */
function noUploads(): ApiError {
  return new ApiError('BAD_REQUEST', 'A sign-up takes no uploaded files.', {
    hint: 'Send the file with uploadFile first and its id in the input, or add it to the account later.',
  })
}

// A custom subscription: each value of the code as a GraphQL response.

import type { CustomStream } from '#engine'
import type { ValueSource } from '#events'
import { bindPlan } from '#plan/build'
import type { PlannedCustomField, PlannedField } from '../plan/plan-operation.ts'
import { resultOfCall, resultOfError } from './execute.ts'
import { type ExecutionContext, type RootResult, recordUsage } from './execution-context.ts'
import { formatResults } from './format.ts'

/** Starts the code. Rejects with an ApiError if the viewer may not subscribe, or an argument is not valid. */
export async function subscribeToCode(
  root: PlannedField & PlannedCustomField,
  context: ExecutionContext,
): Promise<ValueSource> {
  const { engine, viewer, variables } = context
  engine.admitCall(root.plan.operation, viewer)
  const boundPlan = bindPlan(root, variables)
  recordUsage(boundPlan, context)
  const stream = await engine.stream(boundPlan, viewer)
  return {
    stop: () => stream.stop(),
    async next() {
      const next = await stream.next()
      return next === null ? null : formatResults([await resultOf(next.value, stream, root, context)], null)
    },
  }
}

/** A value that is not of its type is an error of this event alone (specification, section 6.2.3.2). */
async function resultOf(
  value: unknown,
  stream: CustomStream,
  root: PlannedField & PlannedCustomField,
  context: ExecutionContext,
): Promise<RootResult> {
  try {
    return resultOfCall(await stream.complete(value), root, context)
  } catch (error) {
    return resultOfError(error, root, context)
  }
}

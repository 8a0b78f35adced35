// A variable whose value is not of its type is a request error, and no field runs (specification, section 6.1.2). The checks of
// the writes report it, with the same messages and paths as in REST. So every field of the mutation checks its input. A write
// may accept such a value: a client may send back a field that the server sets, as it read it.

import type { Tokens } from '#auth'
import { ApiError, type Problem, validationError } from '#base'
import type { Viewer } from '#base/http'
import type { Engine } from '#engine'
import { check } from '#plan'
import { formatApiError, RequestErrors, type ResponseError } from '../document/response-errors.ts'
import type { VariableValues } from '../input/argument-values.ts'
import type { InputCoercers } from '../input/coerce-input.ts'
import type { PlannedField, PlannedOperation } from '../plan/plan-operation.ts'
import { bindWrite, type PlannedWriteField, writeKindOf } from '../plan/plan-write.ts'
import { signInInput } from './sign-in-field.ts'
import { withPlaceholderIds } from './uploads.ts'

interface InputCheckContext {
  variables: VariableValues
  viewer: Viewer
  engine: Engine
  tokens: Tokens | null
}

/** Throws RequestErrors with the problems of every input, each at its field. */
export async function checkInputs(
  { roots }: PlannedOperation,
  context: InputCheckContext,
  coercers: InputCoercers,
): Promise<void> {
  const errors: ResponseError[] = []
  for (const root of roots) {
    try {
      await checkInput(root, context, coercers)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { path: _, ...withoutPath } = formatApiError(error, root) // there is no `data` for a path
      errors.push(withoutPath)
    }
  }
  if (errors.length > 0) throw new RequestErrors(errors)
}

async function checkInput(root: PlannedField, context: InputCheckContext, coercers: InputCoercers): Promise<void> {
  if (root.kind === 'write') return checkWrite(root, context)
  if (root.kind !== 'signIn' && root.kind !== 'code') return
  const { variables, tokens } = context
  const args = root.bindArguments(variables)
  const type = args.typeOf('input')
  if (type === undefined) return
  const input = args.value('input')
  if (root.kind === 'signIn' && root.makes === 'Identity') tokens?.validateLink(signInInput(input))
  else if (root.kind === 'signIn') tokens?.validate(signInInput(input))
  else if (root.isUsed) tokens?.codes?.validateVerification(signInInput(input), context.viewer)
  else tokens?.codes?.validate(signInInput(input))
  // These checks ignore what they do not know; the type does not.
  const problems: Problem[] = []
  coercers.coercerFor(type)(input, 'input', { problems, filterFieldCount: 0, shape: '' }, 0)
  if (problems.length === 0) return
  throw validationError(problems.map((problem) => ({ ...problem, path: problem.path.replace(/^input\.?/, '') })))
}

function checkWrite(root: PlannedWriteField, { variables, viewer, engine }: InputCheckContext): void {
  engine.admit(writeKindOf(root), viewer)
  check(withPlaceholderIds(bindWrite(root, variables, engine.limits)), engine.limits)
}

// A variable whose value is not of its type is a request error, and no field runs (specification, section 6.1.2). The checks of
// the writes report it, with the same messages and paths as in REST. So every field of the mutation checks its input.

import type { Tokens } from '#auth'
import { ApiError, hasEnoughProblems, type Problem, validationError } from '#base'
import type { Viewer } from '#base/http'
import type { Engine } from '#engine'
import { check, type Limits } from '#plan'
import { formatApiError, RequestErrors, type ResponseError } from '../document/response-errors.ts'
import type { VariableValues } from '../input/argument-values.ts'
import type { InputCoercers } from '../input/coerce-input.ts'
import type { PlannedField, PlannedOperation } from '../plan/plan-operation.ts'
import type { PlannedCode, PlannedSignIn } from '../plan/plan-system-fields.ts'
import { bindEach, bindWrite, type PlannedWriteField, writeKindOf } from '../plan/plan-write.ts'
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
  if (root.kind !== 'write' && root.kind !== 'signIn' && root.kind !== 'code') return
  if (root.kind === 'write') checkWrite(root, context)
  else checkSystemInput(root, context)
  // These checks accept what a write ignores, such as a field that the server sets; the type does not.
  const args = root.bindArguments(context.variables)
  const problems: Problem[] = []
  for (const name of args.names()) {
    const [type, value] = [args.typeOf(name), args.value(name)]
    if (type === undefined || value === undefined) continue
    coercers.coercerFor(type)(value, name, { problems, filterFieldCount: 0, shape: '' }, 0)
  }
  if (problems.length === 0) return
  throw validationError(problems.map((problem) => ({ ...problem, path: problem.path.replace(/^inputs?\.?/, '') })))
}

function checkSystemInput(root: PlannedSignIn | PlannedCode, { variables, viewer, tokens }: InputCheckContext): void {
  const input = root.bindArguments(variables).value('input')
  if (root.kind === 'signIn' && root.makes === 'Identity') tokens?.validateLink(signInInput(input))
  else if (root.kind === 'signIn') tokens?.validate(signInInput(input))
  else if (root.isUsed) tokens?.codes?.validateVerification(signInInput(input), viewer)
  else tokens?.codes?.validate(signInInput(input))
}

function checkWrite(root: PlannedWriteField, { variables, viewer, engine }: InputCheckContext): void {
  const { limits } = engine
  engine.admit(writeKindOf(root), viewer)
  if (root.action === 'createEach') checkEach(root, root.bindArguments(variables).value('inputs') as unknown[], limits)
  else check(withPlaceholderIds(bindWrite(root, variables, limits)), limits)
}

/** The rows of `createEachPost`: each is bound by itself. */
function checkEach(root: PlannedWriteField, inputs: readonly unknown[], limits: Limits): void {
  const problems: Problem[] = []
  for (const [index, input] of inputs.entries()) {
    if (hasEnoughProblems(problems)) break
    try {
      check(withPlaceholderIds(bindEach(root, input, limits)), limits)
    } catch (error) {
      if (!(error instanceof ApiError) || error.problems.length === 0) throw error
      for (const one of error.problems) problems.push({ ...one, path: `${index}${one.path && `.${one.path}`}` })
    }
  }
  if (problems.length > 0) throw validationError(problems)
}

// A variable whose value is not of its type is a mistake of the request, and nothing of it is run (specification, section
// 6.1.2), whatever kind of mutation takes it. What one takes is told in its own words and places, the same as in REST, so all
// are asked: what no write of a row minds, as a field that the server sets and that is put back as it was read, may pass.

import type { Tokens } from '#auth'
import { ApiError, type Problem, type Viewer, validationError } from '#base'
import type { Engine } from '#engine'
import type { Webhooks } from '#events'
import { check } from '#plan'
import { formatApiError, RequestErrors, type ResponseError } from '../document/response-errors.ts'
import type { VariableValues } from '../input/argument-values.ts'
import type { InputCoercers } from '../input/coerce-input.ts'
import type { PlannedField, PlannedOperation } from '../plan/plan-operation.ts'
import { bindWrite, type PlannedWrite } from '../plan/plan-write.ts'
import { withPlaceholderIds } from '../transport/multipart.ts'
import { signInInput } from './token-fields.ts'

interface InputCheckContext {
  variables: VariableValues
  viewer: Viewer
  engine: Engine
  tokens: Tokens | null
  webhooks: Webhooks | null
}

/** Throws what all that take an input find wrong with theirs, each at its field. */
export async function checkInputs(
  { roots }: PlannedOperation,
  asked: InputCheckContext,
  coercers: InputCoercers,
): Promise<void> {
  const errors: ResponseError[] = []
  for (const root of roots) {
    try {
      await checkInput(root, asked, coercers)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { path: _, ...told } = formatApiError(error, root) // nothing was answered that it could lead into
      errors.push(told)
    }
  }
  if (errors.length > 0) throw new RequestErrors(errors)
}

async function checkInput(root: PlannedField, asked: InputCheckContext, coercers: InputCoercers): Promise<void> {
  if (root.kind === 'write') return checkWrite(root, asked)
  if (root.kind !== 'token' && root.kind !== 'webhook') return
  const { variables, viewer, tokens, webhooks } = asked
  const given = root.bindArguments(variables)
  const type = given.typeOf('input')
  if (type === undefined) return
  const input = given.value('input')
  if (root.kind === 'token') tokens?.judge(signInInput(input))
  else (await webhooks?.desk(viewer))?.judge(input, root.action === 'create', viewer)
  // Whatever they let pass.
  const problems: Problem[] = []
  coercers.coercerFor(type)(input, 'input', { problems, filterFieldCount: 0, shape: '' }, 0)
  if (problems.length === 0) return
  throw validationError(problems.map((problem) => ({ ...problem, path: problem.path.replace(/^input\.?/, '') })))
}

function checkWrite(root: PlannedWrite, { variables, viewer, engine }: InputCheckContext): void {
  engine.admit({ of: root.of, action: root.action === 'createAll' ? 'create' : root.action }, viewer)
  check(withPlaceholderIds(bindWrite(root, variables, engine.limits)), engine.limits)
}

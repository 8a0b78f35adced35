// `createEachPost(inputs)`: creates rows in portions, each row for itself, with a result for each (docs/reference/graphql.md).
// REST has the same as `Prefer: handling=lenient`.

import { ApiError, catalogue, uuidv7, validationError } from '#base'
import { type IdempotencyKey, stepIdempotencyKey } from '#base/http'
import { type EachOutcome, maxPortionRows, rowNotTried, type TransactionPart } from '#engine'
import type { SelectedField } from '../document/selection.ts'
import { bindEach, type PlannedWriteField } from '../plan/plan-write.ts'
import { type ExecutionContext, recordUsage } from './execution-context.ts'

export async function createEachText(
  root: PlannedWriteField & { key: string },
  context: ExecutionContext,
): Promise<string> {
  const { variables, engine, idempotency } = context
  const inputs = root.bindArguments(variables).value('inputs') as unknown[]
  expectInputs(inputs, context)
  const parts = inputs.map((input, index) => partOf(input, index, root, context))
  const portionRows = maxPortionRows(engine.limits, root.of === root.visibility.account)
  const key = idempotency === null ? null : idempotency.keyFor(root.key)
  const outcomes: EachOutcome[] = []
  for (let from = 0; from < parts.length; from += portionRows) {
    const portion = parts.slice(from, from + portionRows)
    const portionKey = key === null ? null : stepIdempotencyKey(key, `portion ${from}-${from + portion.length}`)
    try {
      outcomes.push(...(await writePortion(portion, portionKey, context)))
    } catch (error) {
      if (from === 0) throw error
      outcomes.push(...portion.map(() => failed(error, context)))
      outcomes.push(...parts.slice(outcomes.length).map(() => refused(rowNotTried())))
      break
    }
  }
  return `[${outcomes.map((outcome, index) => resultText(outcome, index, root)).join(',')}]`
}

function expectInputs(inputs: readonly unknown[], { uploads }: ExecutionContext): void {
  if (inputs.length === 0)
    throw validationError([{ path: 'inputs', code: 'LENGTH', message: 'must have at least one row.' }])
  if (uploads === null) return
  throw new ApiError('BAD_REQUEST', 'Rows that are created each for itself take no files of the request.', {
    hint: 'Upload the files first (uploadFile), and give their ids.',
  })
}

function partOf(input: unknown, index: number, root: PlannedWriteField, context: ExecutionContext): TransactionPart {
  const plan = () => {
    const boundPlan = bindEach(root, input, context.engine.limits)
    recordUsage(boundPlan, context)
    return { boundPlan, isDefaultSelection: true }
  }
  return { place: String(index), plan }
}

async function writePortion(
  parts: readonly TransactionPart[],
  key: IdempotencyKey | null,
  { engine, viewer, caller, idempotency }: ExecutionContext,
): Promise<readonly EachOutcome[]> {
  const { outcomes, replayed } = await engine.transactEach(parts, viewer, key, caller)
  if (idempotency !== null) idempotency[replayed === true ? 'replayed' : 'executed']++
  return outcomes
}

function failed(error: unknown, { onError, requestId }: ExecutionContext): EachOutcome {
  if (error instanceof ApiError) return refused(error)
  if (onError === null) throw error
  const id = uuidv7()
  onError(error, id, requestId)
  return refused(new ApiError('INTERNAL', `The server has failed; the log has the details under ${id}.`))
}

function refused({ code, message, hint, problems }: ApiError): EachOutcome {
  return { kind: 'refused', code, message, problems, ...(hint !== undefined && { hint }) }
}

/** A `RowResult` with the selected fields. */
function resultText(outcome: EachOutcome, index: number, { resultFields, nestedFields }: PlannedWriteField): string {
  const own =
    outcome.kind === 'written'
      ? { status: outcome.created ? 201 : 200, id: outcome.id }
      : { ...outcome, status: catalogue[outcome.code].status, errors: outcome.problems }
  const values: Record<string, unknown> = { ...own, index, __typename: 'RowResult' }
  const select = (fields: readonly SelectedField[], of: Record<string, unknown>): Record<string, unknown> =>
    Object.fromEntries(fields.map(({ key, name }) => [key, of[name] ?? null]))
  const selected = select(resultFields, values)
  for (const [key, fields] of nestedFields) {
    const problems = selected[key] as readonly object[] | null
    selected[key] = problems?.map((problem) => select(fields, { ...problem, __typename: 'RowProblem' })) ?? null
  }
  return JSON.stringify(selected)
}

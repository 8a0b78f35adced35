// `mutation @transaction { … }`: all fields run in one transaction, and all of them succeed or none. Where an input takes an
// id, `$key.id` stands for the id of the row of an earlier field, by its response key.

import { ApiError, andThen, type MaybePromise, uuidv7 } from '#base'
import type { TransactionPart } from '#engine'
import type { BoundPlan, WritePlan } from '#plan'
import { idOf, withEarlierIds } from '#plan/build'
import type { GraphqlOperation } from '../document/document-cache.ts'
import type { PlannedField, PlannedOperation } from '../plan/plan-operation.ts'
import { bindWrite, type PlannedWriteField } from '../plan/plan-write.ts'
import { resultOfError, resultOfText, textOfResult } from './execute.ts'
import { type ExecutionContext, type RootResult, recordUsage } from './execution-context.ts'
import { deletedText } from './format.ts'
import { withPresentRights } from './present-rights.ts'

export function isTransaction({ kind, node }: GraphqlOperation): boolean {
  return kind === 'mutation' && node.directives?.some(({ name }) => name.value === 'transaction') === true
}

/** The result of every field, or the error of the field that failed. */
export function executeTransaction(planned: PlannedOperation, context: ExecutionContext): MaybePromise<RootResult[]> {
  const run = () => transact(planned, context)
  return andThen(
    withPresentRights(context, run, ({ isRefused }) => isRefused),
    ({ results }) => results,
  )
}

interface Transacted {
  results: RootResult[]
  /** Whether other rights could have let it through. */
  isRefused: boolean
}

async function transact({ roots }: PlannedOperation, context: ExecutionContext): Promise<Transacted> {
  const { engine, viewer, idempotency, caller } = context
  try {
    const maxFields = engine.limits.transaction
    if (maxFields > 0 && roots.length > maxFields) {
      throw new ApiError('BAD_REQUEST', `The transaction has ${roots.length} fields; at most ${maxFields} are allowed.`)
    }
    const earlier = new Map<string, string | null>()
    const parts = roots.map((root) => ({ place: root.key, plan: () => planPart(root, earlier, context) }))
    const answer = await engine.transact(parts, viewer, idempotency === null ? null : idempotency.keyFor(''), caller)
    if (idempotency !== null) idempotency[answer.replayed === true ? 'replayed' : 'executed']++
    const results = roots.map((root, index) => {
      const written = answer.answers[index]!
      const isDeleted = written.kind === 'deleted' && root.kind === 'write'
      return resultOfText(
        isDeleted ? deletedText(root.of.name, written, root.resultFields) : textOfResult(written),
        root,
        context,
      )
    })
    return { results, isRefused: false }
  } catch (error) {
    const failed = failedRoot(error, roots)
    // All or none: `data` is null as a whole.
    const result = { ...resultOfError(error, failed ?? roots[0]!, context), isNullable: false }
    const code = error instanceof ApiError ? error.code : null
    // A field that failed has undone all of them.
    return { results: [result], isRefused: code === 'FORBIDDEN' || (code === 'NOT_FOUND' && failed !== undefined) }
  }
}

function planPart(
  root: PlannedField,
  earlier: Map<string, string | null>,
  context: ExecutionContext,
): ReturnType<TransactionPart['plan']> {
  const before = new Map(earlier)
  // A field that can't be planned gets an id too, so that later fields that refer to it report only their own mistakes.
  const fresh = uuidv7()
  earlier.set(root.key, fresh)
  if (root.kind === 'failed') throw root.error
  if (root.kind !== 'write' || severalRows.has(root.action) || context.uploads !== null) {
    throw new ApiError('BAD_REQUEST', `${root.node.name.value} can not be part of a transaction.`, {
      hint: 'A transaction has fields that create, replace, update or delete one row, without uploaded files.',
    })
  }
  const boundPlan = withEarlierIds(bindWithId(root, fresh, context), before)
  earlier.set(root.key, idOf(boundPlan))
  recordUsage(boundPlan, context)
  return { boundPlan, isDefaultSelection: false }
}

const severalRows: ReadonlySet<string> = new Set(['createAll', 'createEach', 'updateAll', 'deleteAll'])

/** Assigns the id of a create here, so that later fields can refer to its row. */
function bindWithId(
  root: PlannedWriteField,
  fresh: string,
  { variables, engine }: ExecutionContext,
): BoundPlan<WritePlan> {
  const boundPlan = bindWrite(root, variables, engine.limits) as BoundPlan<WritePlan>
  const { plan, values, places } = boundPlan
  if (plan.id !== null || plan.key !== undefined) return boundPlan
  const id = { index: values.length, accepts: { kind: 'type', type: { kind: 'scalar', name: 'ID' } } } as const
  return { ...boundPlan, plan: { ...plan, id }, values: [...values, fresh], places: [...places, 'id'] }
}

/** Undefined if the whole transaction failed. */
function failedRoot(error: unknown, roots: readonly PlannedField[]): PlannedField | undefined {
  return error instanceof ApiError ? roots.find((root) => root.key === error.place) : undefined
}

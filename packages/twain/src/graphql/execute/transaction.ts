// `mutation @transaction { … }`: all fields in one transaction, all of them or none. `$key.id`, where an input has an id, is
// that of the row of an earlier field, by the key that it is answered under.

import { ApiError, uuidv7 } from '#base'
import type { TransactionPart } from '#engine'
import type { BoundPlan, WritePlan } from '#plan'
import { withEarlierIds } from '#plan/build'
import type { GraphqlOperation } from '../document/document-cache.ts'
import type { PlannedField, PlannedOperation } from '../plan/plan-operation.ts'
import { bindWrite, type PlannedWrite } from '../plan/plan-write.ts'
import {
  type ExecutionContext,
  type RootResult,
  recordUsage,
  resultOfError,
  resultOfText,
  textOfResult,
} from './execute.ts'
import { deletedText } from './format.ts'

export function isTransaction({ kind, node }: GraphqlOperation): boolean {
  return kind === 'mutation' && node.directives?.some(({ name }) => name.value === 'transaction') === true
}

/** Every field's result, or the error of the one that failed. */
export async function executeTransaction({ roots }: PlannedOperation, run: ExecutionContext): Promise<RootResult[]> {
  const { engine, viewer, idempotency } = run
  try {
    const most = engine.limits.transaction
    if (most > 0 && roots.length > most) {
      throw new ApiError('BAD_REQUEST', `The transaction has ${roots.length} fields; there may be ${most}.`)
    }
    const earlier = new Map<string, string>()
    const parts = roots.map((root) => ({ place: root.key, plan: () => planPart(root, earlier, run) }))
    const answer = await engine.transact(parts, viewer, idempotency === null ? null : idempotency.keyFor(''))
    if (idempotency !== null) idempotency[answer.replayed === true ? 'replayed' : 'executed']++
    return roots.map((root, index) => {
      const written = answer.answers[index]!
      const isDeleted = written.kind === 'deleted' && root.kind === 'write'
      return resultOfText(
        isDeleted ? deletedText(root.of.name, written, root.deleteResult) : textOfResult(written),
        root,
        run,
      )
    })
  } catch (error) {
    return [resultOfError(error, rootOf(error, roots) ?? roots[0]!, run)]
  }
}

function planPart(
  root: PlannedField,
  earlier: Map<string, string>,
  run: ExecutionContext,
): ReturnType<TransactionPart['plan']> {
  const before = new Map(earlier)
  // What can't be planned has a row all the same, so that those behind it hear of their own mistakes alone.
  const fresh = uuidv7()
  earlier.set(root.key, fresh)
  if (root.kind === 'failed') throw root.fault
  if (root.kind !== 'write' || root.action === 'createAll' || run.uploads !== null) {
    throw new ApiError('BAD_REQUEST', `${root.node.name.value} can not be part of a transaction.`, {
      hint: 'It is of fields that create, replace, update or delete one row, without files that come along.',
    })
  }
  const boundPlan = withEarlierIds(questionOf(root, fresh, run), before)
  earlier.set(root.key, String(boundPlan.values[boundPlan.plan.id!.index]))
  recordUsage(boundPlan.plan, run)
  return { question: boundPlan, whole: false }
}

/** A create has an id that is made here, so that others can name its row. */
function questionOf(root: PlannedWrite, fresh: string, { variables, engine }: ExecutionContext): BoundPlan<WritePlan> {
  const { plan, values, places } = bindWrite(root, variables, engine.limits) as BoundPlan<WritePlan>
  if (plan.id !== null) return { plan, values, places }
  const id = { index: values.length, accepts: { kind: 'type', type: { kind: 'scalar', name: 'ID' } } } as const
  return { plan: { ...plan, id }, values: [...values, fresh], places: [...places, 'id'] }
}

/** The field that a Fault names by its key, before its places or its sentence. */
function rootOf(error: unknown, roots: readonly PlannedField[]): PlannedField | undefined {
  const key = error instanceof ApiError ? /^(\w+)[.:]/.exec(error.message)?.[1] : undefined
  return roots.find((root) => root.key === key)
}

// Several writes in one transaction, each judged for itself: a write that is refused is left out, and the others are made
// (`Prefer: handling=lenient`; docs/internals/decisions/0082-lenient-creates.md).
//
// 1. All of them are tried together first: that is the fast way, and a list without mistakes takes no other.
// 2. If one is refused, those with wrong values are left out, and the others are tried in halves, down to a single write. Each
//    try is a savepoint. So a write is refused exactly if it would be refused alone, behind the writes before it.
// 3. Only refusals count: any other failure ends the transaction, and nothing of it is written.

import { ApiError, type MaybePromise, publicProblem } from '#base'
import type { IdempotencyKey, RequestCaller, Viewer } from '#base/http'
import { type BoundPlan, check, type Limits, type PlanResult } from '#plan'
import type { ExecuteOptions } from './execute-options.ts'
import type { TransactionPart } from './transaction.ts'

/** Plain data: an idempotency record has it too. */
export type EachOutcome = { kind: 'written'; id: string; created: boolean } | RefusedWrite

/** The parts of an ApiError. */
interface RefusedWrite extends Pick<ApiError, 'code' | 'message' | 'problems'> {
  kind: 'refused'
  hint?: string
}

export interface EachResult {
  /** In the order of the parts. */
  outcomes: EachOutcome[]
  /** Whether an earlier request with the same key has made them. */
  replayed?: true
}

/** docs/reference/limits.md states these. */
const portionRows = 1000
/** The passwords of a portion are hashed before it is written, one after another: rows behind them wait. */
const portionAccounts = 10

/** How many rows one transaction has, if a request has more. */
export function maxPortionRows({ bulk }: Limits, isAccount: boolean): number {
  return Math.min(isAccount ? portionAccounts : portionRows, bulk || portionRows)
}

/** For the rows behind a portion that failed. */
export function rowNotTried(): ApiError {
  return new ApiError('UNAVAILABLE', 'The row was not tried, because the server failed at an earlier one.', {
    hint: 'Send these rows again.',
  })
}

/** Runs the parts in a transaction of their own, with the record of the key. */
export type WriteEach = (
  parts: readonly TransactionPart[],
  viewer: Viewer,
  idempotencyKey: IdempotencyKey | null,
  caller: RequestCaller | undefined,
) => Promise<EachResult>

/** The engine of an open transaction. */
interface EnclosingEngine {
  readonly limits: Limits
  /** A savepoint. */
  transaction<T>(viewer: Viewer, work: (inside: SavepointEngine) => Promise<T>): Promise<T>
}

interface SavepointEngine {
  execute(boundPlan: BoundPlan, viewer: Viewer, options: ExecuteOptions): MaybePromise<PlanResult>
  transact(
    parts: readonly TransactionPart[],
    viewer: Viewer,
    idempotencyKey: null,
    caller: RequestCaller | undefined,
  ): Promise<PlanResult & { kind: 'batch' }>
}

/** Runs the parts in the open transaction of the engine. */
export async function writeEach(
  parts: readonly TransactionPart[],
  viewer: Viewer,
  engine: EnclosingEngine,
  caller: RequestCaller | undefined,
): Promise<EachOutcome[]> {
  const outcomes = new Map<TransactionPart, EachOutcome>()
  await tryTogether(parts, false)
  return parts.map((part) => outcomes.get(part)!)

  async function tryTogether(some: readonly TransactionPart[], isChecked: boolean): Promise<void> {
    const [only] = some
    if (only === undefined) return
    try {
      const written = await engine.transaction(viewer, async (inside) =>
        some.length === 1 ? [await inside.execute(only.plan().boundPlan, viewer, alone(caller))] : transact(inside),
      )
      for (const [index, part] of some.entries()) outcomes.set(part, outcomeOf(written[index]!))
    } catch (error) {
      const refusal = refusalOf(error)
      if (some.length === 1) outcomes.set(only, refusal)
      else await tryApart(isChecked ? some : some.filter(hasRightValues))
    }

    async function transact(inside: SavepointEngine): Promise<readonly PlanResult[]> {
      return (await inside.transact(some, viewer, null, caller)).answers
    }
  }

  async function tryApart(some: readonly TransactionPart[]): Promise<void> {
    const half = Math.ceil(some.length / 2)
    await tryTogether(some.slice(0, half), true)
    await tryTogether(some.slice(half), true)
  }

  /** Notes the refusal of a write whose values are wrong, whatever the database has. */
  function hasRightValues(part: TransactionPart): boolean {
    try {
      check(part.plan().boundPlan, engine.limits)
      return true
    } catch (error) {
      outcomes.set(part, refusalOf(error))
      return false
    }
  }
}

function alone(caller: RequestCaller | undefined) {
  return { isDefaultSelection: true, caller }
}

function outcomeOf(result: PlanResult): EachOutcome {
  if (result.kind !== 'written') throw new Error(`the engine answered "${result.kind}" to a create`)
  return { kind: 'written', id: result.id, created: result.created }
}

/** Throws what is no refusal. */
function refusalOf(error: unknown): RefusedWrite {
  if (!(error instanceof ApiError) || error.status >= 500) throw error
  const { code, message, hint, problems } = error
  return { kind: 'refused', code, message, problems: problems.map(publicProblem), ...(hint !== undefined && { hint }) }
}

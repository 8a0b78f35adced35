// Several writes in one transaction, all of them or none. Each passes the stages of the engine by itself, and the store runs
// them together, in their order: the rules see what the earlier writes have written.

import { ApiError, atEachPlace } from '#base'
import type { IdempotencyKey, RequestCaller, Viewer } from '#base/http'
import { type AuthorizedPlan, type BoundPlan, isOfServer, type PlanResult, type WritePlan } from '#plan'
import type { Store } from '#store'
import type { PasswordStage } from './password-stage.ts'
import type { RehearseWrite } from './rehearse-write.ts'

/** One write of a transaction. */
export interface TransactionPart {
  /** Names the write in errors: its number, or its key in the response. */
  place: string
  /** Called once, in the order of the parts. Errors of all parts are reported together. */
  plan(): PlannedWrite
}

/** For writes that run twice: both times they must be the same. */
export function planOnce({ place, plan }: TransactionPart): TransactionPart {
  let planned: ReturnType<typeof plan> | undefined
  return { place, plan: () => (planned ??= plan()) }
}

interface PlannedWrite {
  boundPlan: BoundPlan<WritePlan>
  /** The client chose no fields (REST's default representation), so depth and cost are not limited. */
  isDefaultSelection: boolean
}

/** The stages of the engine, for one write of this viewer. */
interface WriteStages {
  admit(plan: WritePlan): void
  check(boundPlan: BoundPlan<WritePlan>): unknown[]
  authorize(plan: WritePlan): AuthorizedPlan<WritePlan>
  limit(boundPlan: BoundPlan<WritePlan>): void
  passwords: PasswordStage
  caller: RequestCaller | undefined
  usesCustomCode(plan: WritePlan): boolean
}

export async function transact(
  parts: readonly TransactionPart[],
  viewer: Viewer,
  idempotencyKey: IdempotencyKey | null,
  store: Pick<Store, 'transact'> & { rehearse?: RehearseWrite },
  stages: WriteStages,
): Promise<PlanResult & { kind: 'batch' }> {
  const writes = atEachPlace(parts, (part) => {
    const { boundPlan, isDefaultSelection } = part.plan()
    const { plan } = boundPlan
    if (isOfServer(plan)) {
      throw new ApiError('BAD_REQUEST', `A write of a ${plan.of.name} can not be part of a transaction.`, {
        hint: 'Send it as a request of its own.',
      })
    }
    stages.admit(plan)
    const values = stages.check(boundPlan)
    const authorized = stages.authorize(plan)
    if (!isDefaultSelection) stages.limit(boundPlan)
    if (stages.usesCustomCode(plan)) {
      throw new ApiError('BAD_REQUEST', 'Computed fields can not be selected in a transaction.', {
        hint: 'Read them after the transaction.',
      })
    }
    return { place: part.place, plan: authorized, values }
  })
  const { passwords, caller } = stages
  if (writes.some(({ plan }) => passwords.appliesTo(plan))) {
    for (const { plan } of writes) passwords.count(plan, caller)
    if (passwords.rehearses) {
      const rehearsed = writes.map((write) => ({
        ...write,
        values: passwords.rehearsed(write.plan, write.values, viewer),
      }))
      const rehearsal = await store.rehearse?.((inside) => inside.transact(rehearsed, idempotencyKey, viewer), viewer)
      if (rehearsal?.replayed === true) return rehearsal
    }
  }
  const needs = await passwords.prepare(writes, viewer, caller)
  const result = await store.transact(writes, idempotencyKey, viewer, caller)
  if (result.replayed === true) return result
  passwords.done(
    writes.map(({ plan }) => plan),
    needs,
  )
  return result
}

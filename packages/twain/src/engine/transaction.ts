// Several writes in one transaction, all of them or none: each goes through the corridor by itself, and the store takes them
// together. They are judged in their order, each by what those before it have written.

import { ApiError, atEachPlace, type IdempotencyKey, type Viewer } from '#base'
import type { AuthorizedPlan, BoundPlan, PlanResult, WritePlan } from '#plan'
import type { Store } from '#store'

/** One write of a transaction. */
export interface TransactionPart {
  /** What mistakes in it are told by: its number, or its name in the answer. */
  place: string
  /** Called once, in the order of the parts. What it throws is told with the mistakes of the others. */
  plan(): Planned
}

interface Planned {
  question: BoundPlan<WritePlan>
  /** Nothing was chosen (REST's default representation), so depth and cost are not judged. */
  whole: boolean
}

/** What the corridor does with one write. */
interface Steps {
  admit(plan: WritePlan, viewer: Viewer): void
  check(boundPlan: BoundPlan<WritePlan>): unknown[]
  authorize(plan: WritePlan, viewer: Viewer): AuthorizedPlan<WritePlan>
  limit(plan: WritePlan): void
  /** Puts hashes in the places of passwords. */
  hide(plan: WritePlan, values: unknown[]): Promise<void>
  isOwn(plan: WritePlan): boolean
}

export async function transact(
  parts: readonly TransactionPart[],
  viewer: Viewer,
  once: IdempotencyKey | null,
  store: Pick<Store, 'transact'>,
  steps: Steps,
): Promise<PlanResult & { kind: 'batch' }> {
  const writes = atEachPlace(parts, (part) => {
    const { question: boundPlan, whole } = part.plan()
    const { plan } = boundPlan
    steps.admit(plan, viewer)
    const values = steps.check(boundPlan)
    const allowed = steps.authorize(plan, viewer)
    if (!whole) steps.limit(plan)
    if (steps.isOwn(plan)) {
      throw new ApiError('BAD_REQUEST', 'What own code answers can not be asked of a write in a transaction.', {
        hint: 'Read it afterwards.',
      })
    }
    return { place: part.place, plan: allowed, values }
  })
  for (const { plan, values } of writes) await steps.hide(plan, values)
  return store.transact(writes, once, viewer)
}

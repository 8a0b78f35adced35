// Several writes in one transaction, all of them or none: each goes through the corridor by itself, and the store takes them
// together. They are judged in their order, each by what those before it have written.

import { ApiError, atEachPlace, type Once, type Viewer } from '#base'
import type { Answer, AuthorizedPlan, Question, Write } from '#plan'
import type { Store } from '#store'

/** One write of a transaction. */
export interface Part {
  /** What mistakes in it are told by: its number, or its name in the answer. */
  place: string
  /** Called once, in the order of the parts. What it throws is told with the mistakes of the others. */
  plan(): Planned
}

interface Planned {
  question: Question<Write>
  /** Nothing was chosen (REST's default representation), so depth and cost are not judged. */
  whole: boolean
}

/** What the corridor does with one write. */
interface Steps {
  admit(plan: Write, viewer: Viewer): void
  check(question: Question<Write>): unknown[]
  authorize(plan: Write, viewer: Viewer): AuthorizedPlan<Write>
  limit(plan: Write): void
  /** Puts hashes in the places of passwords. */
  hide(plan: Write, values: unknown[]): Promise<void>
  isOwn(plan: Write): boolean
}

export async function transact(
  parts: readonly Part[],
  viewer: Viewer,
  once: Once | null,
  store: Pick<Store, 'transact'>,
  steps: Steps,
): Promise<Answer & { kind: 'batch' }> {
  const writes = atEachPlace(parts, (part) => {
    const { question, whole } = part.plan()
    const { plan } = question
    steps.admit(plan, viewer)
    const values = steps.check(question)
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

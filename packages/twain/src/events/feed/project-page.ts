// Changes as one reader is told of them, in their order: for pages of the feed, and for who has fallen behind.

import type { ChangeRecord } from '#store'
import { writeCursor } from './cursor.ts'
import type { Interest, Interests, RenderedEvent } from './interest.ts'
import type { LogResources } from './log-resources.ts'

export async function projectPage(
  changes: readonly ChangeRecord[],
  interests: Interests,
  account: string | null,
  { logId: log, resourceOf }: LogResources,
): Promise<RenderedEvent[]> {
  const byInterest = new Map<Interest, ChangeRecord[]>()
  for (const change of changes) {
    const resource = resourceOf(change.resource)
    const interest = resource === null ? undefined : interests.get(resource)
    if (interest === undefined) continue
    const wanted = byInterest.get(interest)
    if (wanted === undefined) byInterest.set(interest, [change])
    else wanted.push(change)
  }
  const delivered: RenderedEvent[] = []
  for (const [interest, some] of byInterest) {
    const told = await interest.subscription.project(some, [account])
    for (const [index, change] of some.entries()) {
      const [one] = told[index]!
      if (one === null || one === undefined || !interest.kinds.has(one.kind)) continue
      const cursor = writeCursor(log, change.position)
      delivered.push({
        position: change.position,
        cursor,
        text: interest.format({ change, cursor, event: one }),
      })
    }
  }
  return byInterest.size > 1 ? delivered.sort((a, b) => a.position - b.position) : delivered
}

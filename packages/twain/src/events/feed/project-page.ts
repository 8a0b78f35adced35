// Projects and renders changes for one reader, in log order: for pages of the feed and for readers that catch up.

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
    const matching = byInterest.get(interest)
    if (matching === undefined) byInterest.set(interest, [change])
    else matching.push(change)
  }
  const rendered: RenderedEvent[] = []
  for (const [interest, some] of byInterest) {
    const projected = await interest.subscription.project(some, [account])
    for (const [index, change] of some.entries()) {
      const [event] = projected[index]!
      if (event === null || event === undefined || !interest.kinds.has(event.kind)) continue
      const cursor = writeCursor(log, change.position)
      rendered.push({
        position: change.position,
        cursor,
        text: interest.format({ change, cursor, event }),
      })
    }
  }
  return byInterest.size > 1 ? rendered.sort((a, b) => a.position - b.position) : rendered
}

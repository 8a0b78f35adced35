// Projects and renders changes for one reader, in log order: for pages of the feed and for readers that catch up.

import type { Model, ReferenceField, Resource } from '#model'
import type { ChangeRecord, Store } from '#store'
import type { Cursors } from './cursor.ts'
import type { Interest, Interests, RenderedEvent } from './interest.ts'

export async function projectPage(
  changes: readonly ChangeRecord[],
  interests: Interests,
  account: string | null,
  { cursors, resourceOf }: LogResources,
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
      const { epoch, position } = change
      const cursor = cursors.write(change)
      rendered.push({ epoch, position, cursor, text: interest.format({ change, cursor, event }) })
    }
  }
  return byInterest.size > 1 ? rendered.sort((a, b) => a.position - b.position) : rendered
}

/** The change log and the types that its entries name. */
export interface LogResources {
  readonly cursors: Cursors
  /** Null if the schema no longer has the type. */
  resourceOf(name: string): Resource | null
  /** The ids that the row references by a field, after the change and before it. */
  referencedIds(change: ChangeRecord, field: ReferenceField): readonly string[]
}

export function createLogResources(
  model: Model,
  cursors: Cursors,
  { projector }: Pick<Store, 'projector'>,
): LogResources {
  const byName = new Map(model.resources.map((resource) => [resource.name, resource]))
  return {
    cursors,
    resourceOf: (name) => byName.get(name) ?? null,
    referencedIds: (change, field) => projector.referredIds(change, field),
  }
}

// Projects and renders changes for one reader, in log order: for pages of the feed, readers that catch up and change handlers.

import type { Model, Resource } from '#model'
import type { ChannelField } from '#model/names'
import type { ChangeRecord, Store } from '#store'
import type { Cursors } from './cursor.ts'
import type { Interest, Interests, ProjectedChange, RenderedEvent } from './interest.ts'

export async function projectPage(
  changes: readonly ChangeRecord[],
  interests: Interests,
  account: string | null,
  resources: LogResources,
): Promise<RenderedEvent[]> {
  const events = await projectChanges(changes, interests, account, resources)
  return events.map(({ interest, ...event }) => {
    const { epoch, position, trace } = event.change
    return { epoch, position, cursor: event.cursor, text: interest.format(event), trace }
  })
}

export async function projectChanges(
  changes: readonly ChangeRecord[],
  interests: Interests,
  account: string | null,
  { cursors, resourceOf }: LogResources,
): Promise<InterestingChange[]> {
  const byInterest = new Map<Interest, ChangeRecord[]>()
  for (const change of changes) {
    const resource = resourceOf(change.resource)
    const interest = resource === null ? undefined : interests.get(resource)
    if (interest === undefined) continue
    const matching = byInterest.get(interest)
    if (matching === undefined) byInterest.set(interest, [change])
    else matching.push(change)
  }
  const found: InterestingChange[] = []
  for (const [interest, some] of byInterest) {
    const projected = await interest.subscription.project(some, [account])
    for (const [index, change] of some.entries()) {
      const [event] = projected[index]!
      if (event === null || event === undefined || !interest.kinds.has(event.kind)) continue
      found.push({ change, cursor: cursors.write(change), event, interest })
    }
  }
  return byInterest.size > 1 ? found.sort((a, b) => a.change.position - b.change.position) : found
}

/** A change with the interest that it matches. */
export interface InterestingChange extends ProjectedChange {
  interest: Interest
}

/** The change log and the types that its entries name. */
export interface LogResources {
  readonly cursors: Cursors
  /** Null if the schema no longer has the type. */
  resourceOf(name: string): Resource | null
  /** The values of the field, after the change and before it; of a reference, the ids. */
  channelValues(change: ChangeRecord, field: ChannelField): readonly string[]
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
    channelValues: (change, field) => projector.channelValues(change, field),
  }
}

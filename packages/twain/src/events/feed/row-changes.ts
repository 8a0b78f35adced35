// Changes with whole rows, as of the change and before it: for the change handlers of custom code, to which no rules apply.

import { isWithoutEvents } from '#base/http'
import type { Resource } from '#model'
import { type ChangeRecord, type LogPoint, pointOf, withPreviousRow } from '#store'
import { dataText } from './cloud-event.ts'
import type { Interests } from './interest.ts'
import { type InterestingChange, type LogResources, projectChanges } from './project-page.ts'

export interface RowChange extends LogPoint {
  of: Resource
  kind: ChangeRecord['kind']
  id: string
  version: number
  time: string
  cursor: string
  /** The row as of the change; null for a delete. */
  row: object | null
  /** The row before the change; null for a create. The log does not have its version. */
  before: object | null
  by: string | null
  via: string | null
  /** The `traceparent` of the request that made the change. */
  trace: string | null
}

/** `interests` are those of the system. */
export async function projectRowChanges(
  changes: readonly ChangeRecord[],
  interests: Interests,
  resources: LogResources,
): Promise<RowChange[]> {
  const announced = changes.filter((change) => !isWithoutEvents(change))
  const found = await projectChanges(announced, interests, null, resources)
  const previous = await rowsBefore(found)
  return found.map((event) => {
    const { id, kind, version, time, by, via, trace } = event.change
    const row = kind === 'deleted' ? null : { ...JSON.parse(dataText(event)), _version: version }
    const of = resources.resourceOf(event.change.resource)!
    const before = previous.get(event) ?? null
    return { ...pointOf(event.change), of, kind, id, version, time, cursor: event.cursor, row, before, by, via, trace }
  })
}

/** One projection for all changes of a type. */
async function rowsBefore(found: readonly InterestingChange[]): Promise<Map<InterestingChange, object>> {
  const rows = new Map<InterestingChange, object>()
  for (const [{ subscription }, events] of Map.groupBy(found, ({ interest }) => interest)) {
    const previous = events.flatMap((event) => {
      const change = withPreviousRow(event.change)
      return change === null ? [] : [{ ...event, change, of: event }]
    })
    if (previous.length === 0) continue
    const projected = await subscription.project(
      previous.map(({ change }) => change),
      [null],
    )
    for (const [index, one] of previous.entries()) {
      const event = projected[index]![0]
      if (event) rows.set(one.of, JSON.parse(dataText({ ...one, event })))
    }
  }
  return rows
}

// A change as a CloudEvent (CloudEvents 1.0, JSON format). The feed, the GraphQL field `changes` and webhooks share it.

import type { Resource } from '#model'
import { forbiddenMarker } from '#plan'
import type { ProjectedChange } from './interest.ts'

export interface CloudEvent {
  specversion: '1.0'
  /** The cursor, which is unique within the source. */
  id: string
  source: string
  type: string
  subject: string
  time: string
  /** The row version: an extension attribute. */
  version: number
  /** Who made the change and through which client, for viewers who may see it: extension attributes. */
  by?: string
  via?: string
}

/** `origin` is the public origin of the service; empty: the source is relative. */
export function cloudEvent(
  { change, cursor, event }: ProjectedChange,
  { path, single }: Resource,
  origin: string,
): CloudEvent {
  const { id: subject, time, version } = change
  return {
    specversion: '1.0',
    id: cursor,
    source: `${origin}/${path}`,
    type: `${single}.${event.kind}`,
    subject,
    time,
    version,
    ...authorOf({ change, event }),
  }
}

/** Who made the change, as the viewer may see it. Entries of earlier builds do not say it. */
export function authorOf({ change, event }: Pick<ProjectedChange, 'change' | 'event'>): Pick<CloudEvent, 'by' | 'via'> {
  if (event.isAudited !== true) return {}
  const { by, via } = change
  return { ...(by !== null && { by }), ...(via !== null && { via }) }
}

/** The event with its `data`: the row as of the change in its default representation, without fields that the viewer may not
 *  read. A delete has the id alone. */
export function cloudEventText(event: ProjectedChange, of: Resource, origin: string): string {
  return `${JSON.stringify(cloudEvent(event, of, origin)).slice(0, -1)},"data":${dataText(event)}}`
}

export function dataText({ change, event }: ProjectedChange): string {
  if (event.text === null) return JSON.stringify({ id: change.id })
  return forbiddenMarker.isIn(event.text)
    ? JSON.stringify(forbiddenMarker.replaceIn(event.text, () => undefined))
    : event.text
}

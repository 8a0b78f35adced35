// What a reader wants to hear of: changes of some types, each with the question that says what is told of it.

import type { PlannedSubscription } from '#engine'
import type { ReferenceField, Resource } from '#model'
import type { ChangeKind } from '#plan'
import type { ChangeEvent, ChangeRecord } from '#store'

/** A change as it is told to one reader or to many. */
export interface ProjectedChange {
  change: ChangeRecord
  cursor: string
  event: ChangeEvent
}

export interface Interest {
  subscription: PlannedSubscription
  /** As what it is told; what is told otherwise is passed over. */
  kinds: ReadonlySet<ChangeKind>
  /** Only changes of this row, or of rows that refer by this field to this id, before or after: so most changes are passed
   *  over without being judged. What it says stands in the question's own filter too. */
  channel: EventChannel | null
  /** The text of an event in the reader's words. Asked once for all readers whose interests have the same `key`. */
  format(event: ProjectedChange): string
  /** What, beside the question, makes the text. */
  key: string
}

export type EventChannel = { kind: 'row'; id: string } | { kind: 'reference'; field: ReferenceField; id: string }

export const allChangeKinds: ReadonlySet<ChangeKind> = new Set(['created', 'updated', 'deleted'])

/** What a reader gets. */
export interface RenderedEvent {
  position: number
  cursor: string
  text: string
}

export type Interests = ReadonlyMap<Resource, Interest>

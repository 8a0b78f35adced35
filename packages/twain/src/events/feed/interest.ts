// What a reader subscribes to: the changes of some types, and for each type the plan that projects them.

import type { PlannedSubscription } from '#engine'
import type { Resource } from '#model'
import type { ChannelField } from '#model/names'
import type { ChangeKind } from '#plan'
import type { ChangeEvent, ChangeRecord, LogPoint } from '#store'

/** A change with its projection for one or several readers. */
export interface ProjectedChange {
  change: ChangeRecord
  cursor: string
  event: ChangeEvent
}

export interface Interest {
  subscription: PlannedSubscription
  /** The reader gets events of these kinds only. */
  kinds: ReadonlySet<ChangeKind>
  /** Limits the changes to one row, or to rows whose field has one value before or after the change. The hub skips all
   *  other changes without a query. The plan's filter contains the same condition. */
  channel: EventChannel | null
  /** Renders an event in the reader's format. Called once for all readers whose interests have the same `key`. */
  format(event: ProjectedChange): string
  /** Identifies the format, beside the plan. */
  key: string
  /** What an open stream keeps in memory. Streams with the same `shape` share it. Null: the server keeps it anyway. */
  memory: InterestMemory | null
}

interface InterestMemory {
  shape: object
  bytes: number
  /** Whether the client can't make it large, whatever it asks for. */
  isBounded: boolean
}

export type EventChannel = { kind: 'row'; id: string } | { kind: 'field'; field: ChannelField; value: string }

export const allChangeKinds: ReadonlySet<ChangeKind> = new Set(['created', 'updated', 'deleted'])

/** An event as readers receive it. */
export interface RenderedEvent extends LogPoint {
  cursor: string
  text: string
  /** The `traceparent` of the request that made the change. */
  trace: string | null
}

export type Interests = ReadonlyMap<Resource, Interest>

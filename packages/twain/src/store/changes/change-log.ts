// The change log as its readers see it, the same on both stores, and what both implementations share.
//
// 1. Positions are dense: the change after position 7 is at 8, from the first stored change to the end.
// 2. A readable change keeps its position, and no change ever appears before it: a reader that remembers its last position
//    misses nothing and reads nothing twice. If the database loses changes, readers of those get an error (`epochs.ts`).
// 3. The versions of a row ascend with the positions.

import type { StoreClock } from '../store-clock.ts'
import type { StorageTypeNames } from '../tables/layout.ts'
import type { Epochs, LogPoint } from './epochs.ts'

export interface ChangeRecord extends LogPoint {
  /** The name of the row's type. */
  resource: string
  id: string
  kind: 'created' | 'updated' | 'deleted'
  version: number
  time: string
  /** The row's own fields after the change, and the previous values of the changed fields, by column: JSON text
   *  (`write/rows/save-change.ts`). */
  after: string | null
  before: string | null
  /** Who made the change, and the name of the client; null in entries of earlier builds. */
  by: string | null
  via: string | null
  /** The `traceparent` of the request that made the change; null: it belongs to no trace. */
  trace: string | null
}

export interface ChangeLog {
  /** The id of the log: a position means nothing in another log. */
  readonly log: string
  /** The changes after a point, at most `limit`; fewer if they are large. An empty list: there are no more. Rejects with
   *  ChangesLost if changes up to the point were lost. */
  read(after: LogPoint, limit: number): Promise<ChangeRecord[]>
  /** The changes at these positions, as far as they are stored. */
  readAt(positions: readonly number[]): Promise<ChangeRecord[]>
  /** The point before the oldest stored change, and the newest point. Position 0 is before the first change. Rejects with
   *  ChangesLost if changes up to `valid` were lost. */
  bounds(valid?: LogPoint): Promise<{ start: LogPoint; end: LogPoint }>
  /** The id of the newest epoch, as far as this node knows. */
  readonly newestEpoch: string
  /** The point of a position that this database has stored. */
  point(position: number): LogPoint
  /** Calls `wake` whenever there may be new changes, and sometimes without any. Returns a function that ends it. */
  watch(wake: () => void): () => void
  /** Deletes the oldest changes, up to the first that is not older than `maxAgeMs`, and keeps those of types with `@history`
   *  (`system/kept-history.ts`). Returns how many. Rejects when `signal` is aborted: its statement in progress is the last one, so
   *  the store may close. */
  prune(clock: StoreClock, maxAgeMs: number, signal?: AbortSignal): Promise<number>
}

/** A row of the log, in the order of `columns`. */
export type ChangeRow = [
  ...[number, string, string, ChangeRecord['kind'], number, string],
  ...[string | null, string | null, string | null, string | null, string | null],
]

export const changeColumns = 'seq, resource, id, kind, version, time, after, before, by, via, trace'

/** The log stores the storage name of the type. */
export function toChangeRecord(row: ChangeRow, types: StorageTypeNames, epochs: Epochs): ChangeRecord {
  const [position, storageType, id, kind, version, time, after, before, by, via, trace] = row
  const resource = types.current(storageType)
  return { ...epochs.point(position), resource, id, kind, version, time, after, before, by, via, trace }
}

/** After so many bytes of images a read returns no further change: a thousand changes of a megabyte would be too much. */
export const maxReadBytes = 4 * 1024 * 1024

/** The callbacks to call when the change log may have new changes. */
export class Watchers {
  readonly #wakes = new Set<() => void>()

  /** Returns a function that removes it. */
  add(wake: () => void): () => void {
    const own = () => wake() // the same function may be added twice
    this.#wakes.add(own)
    return () => this.#wakes.delete(own)
  }

  wake(): void {
    for (const wake of this.#wakes) wake()
  }

  clear(): void {
    this.#wakes.clear()
  }
}

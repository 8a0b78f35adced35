// The change log as its readers see it, the same on both stores.
//
// 1. Positions are dense: the change after position 7 is at 8, from the first that is kept to the end.
// 2. A change that can be read keeps its position, and none ever comes before it any more: whoever remembers the last
//    position that it has read misses nothing and reads nothing twice.
// 3. The versions of a row ascend with the positions.

import type { StorageTypeNames } from '../tables/layout.ts'

export interface ChangeRecord {
  position: number
  /** The name of its type. */
  resource: string
  id: string
  kind: 'created' | 'updated' | 'deleted'
  version: number
  time: string
  /** The row's own fields after the change, and the former values of what changed, by column: JSON text (`write/image.ts`). */
  after: string | null
  before: string | null
}

export interface ChangeLog {
  /** Which log this is: a position says nothing about another's. */
  readonly log: string
  /** Which logs it was before it was restored from a backup. */
  readonly previousLogs: readonly string[]
  /** The changes behind a position, at most so many; fewer where they are large. None: there are no more. */
  read(after: number, limit: number): Promise<ChangeRecord[]>
  /** The newest position; 0 before the first change. */
  end(): Promise<number>
  /** The oldest position that is kept; one behind the end when none is. */
  first(): Promise<number>
  /** Calls whenever there may be something new, and now and then for nothing. Gives what ends it. */
  watch(wake: () => void): () => void
  /** Forgets the oldest changes, up to the first that is not from before this time. Gives how many. */
  prune(before: string): Promise<number>
}

/** A row of the log, in the order of `columns`. */
export type ChangeRow = [number, string, string, ChangeRecord['kind'], number, string, string | null, string | null]

export const changeColumns = 'seq, resource, id, kind, version, time, after, before'

/** The log has the name that the type had first. */
export function toChangeRecord(row: ChangeRow, types: StorageTypeNames): ChangeRecord {
  const [position, kept, id, kind, version, time, after, before] = row
  return { position, resource: types.current(kept), id, kind, version, time, after, before }
}

/** Bytes of images after which a read gives no further change: a thousand of a megabyte each would be too much at once. */
export const maxReadBytes = 4 * 1024 * 1024

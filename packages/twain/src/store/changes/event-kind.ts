// The kind of event that a reader receives for a change, by what it may see of the row before the change, after it and now
// (docs/reference/events.md).
//
//   before and after   the kind of the change
//   before only        deleted: the row has disappeared for this reader
//   after only         updated: the row is new to this reader
//   neither            no event
//
// If the reader may not read the row as it is now, every older change becomes `deleted`. Of a deleted row, its last version
// counts.

import type { ChangeKind } from '#plan'

/** What a reader may see of a row around a change. */
interface RowVisibility {
  /** Whether the row matches the rules and the reader's filter, before and after. A row that does not exist is not visible. */
  before: boolean
  after: boolean
  /** There is a later version of the row, and the reader may not read it. */
  hiddenNow: boolean
  /** Whether the reader may read a changed field, before or after. */
  showsChange: boolean
}

/** Null: the reader receives no event. */
export function eventKindFor(
  kind: ChangeKind,
  { before, after, hiddenNow, showsChange }: RowVisibility,
): ChangeKind | null {
  const eventKind = kind === 'updated' ? updateKindFor(before, after, showsChange) : isVisible() ? kind : null
  return eventKind !== null && hiddenNow ? 'deleted' : eventKind

  function isVisible(): boolean {
    return kind === 'created' ? after : before
  }
}

function updateKindFor(before: boolean, after: boolean, showsChange: boolean): ChangeKind | null {
  if (before && after) return showsChange ? 'updated' : null
  if (before) return 'deleted'
  return after ? 'updated' : null
}

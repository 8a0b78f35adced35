// How a change is told to a reader, by what it may see of the row before the change, after it and now (docs/reference/events.md).
//
//   before and after   as what it is
//   before only        as a delete: for this reader the row is gone
//   after only         as an update, which brings a row that the reader does not know
//   neither            not at all
//
// A row that is there and may not be read as it is now is told as deleted, whatever an older change of it would show.

import type { ChangeKind } from '#plan'

/** What a reader may see of a row around a change. */
interface RowVisibility {
  /** Fulfils the rules and the reader's filter, before and after. What there was not is not seen. */
  before: boolean
  after: boolean
  /** The row is there, in a later version, and the reader may not read it. */
  hiddenNow: boolean
  /** Something that changed is a field that the reader may read, before or after. */
  showsChange: boolean
}

/** Null: it is not told. */
export function eventKindFor(
  kind: ChangeKind,
  { before, after, hiddenNow, showsChange }: RowVisibility,
): ChangeKind | null {
  const told = kind === 'updated' ? updateToldAs(before, after, showsChange) : isSeen() ? kind : null
  return told !== null && hiddenNow ? 'deleted' : told

  function isSeen(): boolean {
    return kind === 'created' ? after : before
  }
}

function updateToldAs(before: boolean, after: boolean, showsChange: boolean): ChangeKind | null {
  if (before && after) return showsChange ? 'updated' : null
  if (before) return 'deleted'
  return after ? 'updated' : null
}

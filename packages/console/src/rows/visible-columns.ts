// Which columns of a table are in view. Only these are in the page, so that a hundred columns cost no more than ten.

export interface VisibleColumns {
  /** The index of the first one, and the one after the last. */
  first: number
  last: number
  /** Pixels before the first one, and of all columns. */
  before: number
  total: number
}

/** Pixels on both sides of the view. */
const margin = 300

export function visibleColumns(widths: readonly number[], left: number, width: number): VisibleColumns {
  let total = 0
  let first = -1
  let last = 0
  let before = 0
  for (const [index, one] of widths.entries()) {
    if (first < 0 && total + one > left - margin) {
      first = index
      before = total
    }
    if (total < left + width + margin) last = index + 1
    total += one
  }
  return { first: Math.max(0, first), last, before, total }
}

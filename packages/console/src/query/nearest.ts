// The name that somebody probably meant.

/** Null: none is near. */
export function nearest(written: string, names: readonly string[]): string | null {
  let best: string | null = null
  let bestDistance = Math.floor(written.length * 0.4) + 1
  for (const name of names) {
    const distance = distanceBetween(written.toLowerCase(), name.toLowerCase(), bestDistance)
    if (distance >= bestDistance) continue
    best = name
    bestDistance = distance
  }
  return best
}

/** The number of changed, inserted and removed characters; `max` if there are more. */
function distanceBetween(left: string, right: string, max: number): number {
  if (Math.abs(left.length - right.length) >= max) return max
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (let line = 1; line <= left.length; line++) {
    const next = [line]
    for (let column = 1; column <= right.length; column++) {
      const isSame = left[line - 1] === right[column - 1]
      next.push(Math.min(next[column - 1]! + 1, row[column]! + 1, row[column - 1]! + (isSame ? 0 : 1)))
    }
    row = next
  }
  return row[right.length]!
}

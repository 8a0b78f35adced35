// Did-you-mean: the nearest of the valid names.

/** ` Did you mean "title"?`, or an empty string when nothing is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = nearest(word, candidates)
  if (near.length === 0) return ''
  return ` Did you mean ${near.map((candidate) => `"${candidate}"`).join(' or ')}?`
}

export function nearest(word: string, candidates: Iterable<string>): string[] {
  if (word.length > maxWordLength) return []
  const lower = word.toLowerCase()
  const allowed = Math.max(1, Math.floor(word.length * 0.4))
  const scored: { candidate: string; far: number }[] = []
  for (const candidate of candidates) {
    const far = distance(lower, candidate.toLowerCase(), allowed)
    if (far <= allowed) scored.push({ candidate, far })
  }
  scored.sort((a, b) => a.far - b.far || (a.candidate < b.candidate ? -1 : 1))
  const best = scored[0]?.far
  return scored
    .filter(({ far }) => far === best)
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

/** Longer names are not typing mistakes. */
const maxWordLength = 64

/** Optimal string alignment distance (a swap of neighbours counts one); stops beyond `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (a === b) return 0
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let before: number[] = []
  let smallestBefore = 0
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    let smallest = row
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1
      let cell = Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + same)
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cell = Math.min(cell, before[column - 2]! + 1)
      }
      current.push(cell)
      if (cell < smallest) smallest = cell
    }
    // A cell depends on the two rows before it and is never smaller: beyond the limit the distance can't shrink again.
    if (smallest > limit && smallestBefore > limit) return limit + 1
    smallestBefore = smallest
    before = previous
    previous = current
  }
  return previous[b.length]!
}

// Where two texts differ: what they share at the beginning and at the end is shortened.

export interface TextChange {
  start: string
  before: string
  after: string
  end: string
}

/** Characters of the shared text that stay beside the change. */
const shownAround = 40

export function textChange(before: string, after: string): TextChange {
  const shortest = Math.min(before.length, after.length)
  let start = 0
  while (start < shortest && before[start] === after[start]) start++
  let end = 0
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const head = before.slice(0, start)
  const tail = end === 0 ? '' : before.slice(-end)
  return {
    start: head.length > shownAround ? `…${head.slice(-shownAround)}` : head,
    before: before.slice(start, before.length - end),
    after: after.slice(start, after.length - end),
    end: tail.length > shownAround ? `${tail.slice(0, shownAround)}…` : tail,
  }
}

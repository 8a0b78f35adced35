// What takes no filters: one row, and a write. A parameter that has no meaning there is named, not ignored (R23).

import { didYouMean } from '#base'
import type { Draft } from '#plan'
import type { Query, Word } from './query-string.ts'

export function expectParameters({ words, filters }: Query, allowed: readonly Word[], draft: Draft): void {
  const given = new Set([...Object.keys(words), ...filters.map(({ key }) => key)])
  const instead = allowed.length === 0 ? 'this request takes none' : `there is ${allowed.join(', ')}`
  for (const name of given) {
    if (draft.isHopeless) break
    if ((allowed as readonly string[]).includes(name)) continue
    draft.problem(name, 'UNKNOWN', `is not a parameter here; ${instead}.${didYouMean(name, allowed)}`)
  }
}

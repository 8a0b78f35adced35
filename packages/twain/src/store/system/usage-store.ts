// What is kept of who used what, and since when something is deprecated.

import type { LastUses } from '../tables/last-used.ts'

/** How often a client named something, or was given it in whole rows. */
export interface UsageCount {
  path: string
  client: string
  asked: number
  whole: number
}

export interface UsageStore {
  /** To what was counted on that day before, by this node or by others. */
  add(day: string, uses: readonly UsageCount[]): Promise<void>
  /** When each was last used, and by whom. */
  last(): Promise<LastUses>
  /** What is older than this day. */
  deleteBefore(before: string): Promise<void>
  /** Since when each of these is deprecated; what was not before is from now on, and what is not any more is forgotten. */
  deprecatedSince(paths: readonly string[], now: number): Promise<Map<string, number>>
}

// Which clients used which parts of the schema, and since when a part is deprecated.

import type { LastUses } from '../tables/last-used.ts'

/** How often a client named a part of the schema, or received it in a default representation. */
export interface UsageCount {
  path: string
  client: string
  requested: number
  returned: number
}

export interface UsageStore {
  /** Adds to the counts of that day, by this node or by others. */
  add(day: string, uses: readonly UsageCount[]): Promise<void>
  /** When each part was last used, and by which clients. */
  last(): Promise<LastUses>
  /** Deletes the counts of earlier days. */
  deleteBefore(before: string): Promise<void>
  /** Since when each of these paths is deprecated. New paths are deprecated from now on; missing paths are deleted. */
  deprecatedSince(paths: readonly string[], now: number): Promise<Map<string, number>>
}

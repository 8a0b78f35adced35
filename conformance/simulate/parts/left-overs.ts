// What the database still has of what was kept for some time only.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Act, day, type LifePart, type World } from '../world.ts'

export class LeftOvers implements LifePart {
  readonly acts: readonly Act[] = []
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  async checkGone(): Promise<void> {
    const { retention, server, folder } = this.#world
    const database = new DatabaseSync(join(folder, 'data', 'twain.db'), { readOnly: true })
    const count = (table: string, condition = 'true', ...values: string[]) =>
      (
        database.prepare(`SELECT count(*) AS count FROM ${table} WHERE ${condition}`).get(...values) as {
          count: number
        }
      ).count
    const before = (age: number) => new Date(server.wall - age - 2 * day).toISOString()
    try {
      const left = {
        trash: count('twain_trash'),
        keys: count('twain_idempotency_key'),
        changes: count('twain_change', 'time < ?', before(retention)),
        history: count('twain_history', 'time < ?', before(5 * day)),
        sessions: count('twain_token', 'expires < ?', before(day)),
        // Those of deletes go with the next delete.
        jobs: count('twain_job', "kind <> 'delete' AND finished < ?", before(7 * day)),
      }
      const nothing = Object.fromEntries(Object.keys(left).map((what) => [what, 0]))
      assert.deepEqual(left, nothing, 'rows that should be gone')
    } finally {
      database.close()
    }
  }
}

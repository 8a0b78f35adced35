// How far custom code has handled the change log, stored with the data. After a crash a change is handled again, and never
// skipped. One node at a time reads under a name.

import type { QueryRows } from '../sql/query.ts'
import { type SystemQuery, type SystemTables, systemQuery, toText } from './system-tables.ts'
import type { DeliveryLease } from './webhook-store.ts'

/** Parameters as in `webhookTables`. */
export function handlerPositionTable({ text, whole, kind }: { text: string; whole: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_handler_position (
  name ${text} PRIMARY KEY,
  position ${whole} NOT NULL, -- every change up to it was handled
  holder ${text}, -- the node that reads, and until when
  held ${text}
)${kind}`
}

export interface HandlerPositions {
  /** Whether other nodes may read under the same names. */
  readonly isShared: boolean
  /** Takes the lease and returns the position to continue at; null while another node has the lease. A new name begins at
   *  `start`. */
  acquire(name: string, start: number, lease: DeliveryLease): Promise<number | null>
  /** False if another node has the lease now. */
  advance(name: string, holder: string, position: number): Promise<boolean>
  /** Releases the lease at once; null: whichever node has it, if there is no other node. */
  release(name: string, holder: string | null): Promise<void>
}

export function openHandlerPositions({ dialect, run }: SystemTables, isShared: boolean): HandlerPositions {
  const query = systemQuery(dialect)
  const runOne = async (...[sql, ...parameters]: Parameters<SystemQuery>): Promise<QueryRows> =>
    (await run(query(sql, ...parameters)))[0]!
  return {
    isShared,
    async acquire(name, start, { holder, now, until }) {
      await runOne(
        'INSERT INTO twain_handler_position (name, position) VALUES (?1, ?2) ON CONFLICT DO NOTHING',
        name,
        start,
      )
      const [row] = await runOne(
        'UPDATE twain_handler_position SET holder = ?1, held = ?2 ' +
          'WHERE name = ?3 AND (holder IS NULL OR holder = ?1 OR held <= ?4) RETURNING position',
        ...[holder, toText(until), name, toText(now)],
      )
      return row === undefined ? null : Number(row[0])
    },
    async advance(name, holder, position) {
      const sql = 'UPDATE twain_handler_position SET position = ?1 WHERE name = ?2 AND holder = ?3 RETURNING 1'
      return (await runOne(sql, position, name, holder)).length > 0
    },
    async release(name, holder) {
      const sql =
        'UPDATE twain_handler_position SET holder = NULL, held = NULL WHERE name = ?1 AND (holder = ?2 OR ?3 = 1)'
      await runOne(sql, name, holder, holder === null ? 1 : 0)
    },
  }
}

// How far custom code has handled the change log, stored with the data. After a crash a change is handled again, and never
// skipped. One node at a time reads under a name.

import type { LogPoint } from '../changes/epochs.ts'
import type { QueryRows } from '../sql/query.ts'
import { type SystemQuery, type SystemTables, systemQuery, toText } from './system-tables.ts'

/** Parameters as in `webhookTables`. */
export function handlerPositionTable({ text, whole, kind }: { text: string; whole: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_handler_position (
  name ${text} PRIMARY KEY,
  position ${whole} NOT NULL, -- every change up to it was handled
  epoch ${text}, -- of the position; null: of an earlier build
  holder ${text}, -- the node that reads, and until when
  held ${text}
)${kind}`
}

/** A point of the change log; the epoch is null if an earlier build has stored it. */
interface StoredPoint {
  position: number
  epoch: string | null
}

interface HandlerLease {
  /** The node that has the lease. */
  holder: string
  now: number
  until: number
}

export interface HandlerPositions {
  /** Whether other nodes may read under the same names. */
  readonly isShared: boolean
  /** Takes the lease and returns the position to continue at; null while another node has the lease. A new name begins at
   *  `start`. */
  acquire(name: string, start: LogPoint, lease: HandlerLease): Promise<StoredPoint | null>
  /** False if another node has the lease now. */
  advance(name: string, holder: string, to: LogPoint): Promise<boolean>
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
        'INSERT INTO twain_handler_position (name, position, epoch) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING',
        name,
        start.position,
        start.epoch,
      )
      const [row] = await runOne(
        'UPDATE twain_handler_position SET holder = ?1, held = ?2 ' +
          'WHERE name = ?3 AND (holder IS NULL OR holder = ?1 OR held <= ?4) RETURNING position, epoch',
        ...[holder, toText(until), name, toText(now)],
      )
      return row === undefined ? null : { position: Number(row[0]), epoch: row[1] as string | null }
    },
    async advance(name, holder, { position, epoch }) {
      const sql =
        'UPDATE twain_handler_position SET position = ?1, epoch = ?2 WHERE name = ?3 AND holder = ?4 RETURNING 1'
      return (await runOne(sql, position, epoch, name, holder)).length > 0
    },
    async release(name, holder) {
      const sql =
        'UPDATE twain_handler_position SET holder = NULL, held = NULL WHERE name = ?1 AND (holder = ?2 OR ?3 = 1)'
      await runOne(sql, name, holder, holder === null ? 1 : 0)
    },
  }
}

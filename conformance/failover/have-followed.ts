// Whether the standbys of a cluster follow its primary. Patroni does not know: it calls a former primary running that must be rewound
// yet; and one whose rewinding is interrupted, by the next fault, never runs again.

import { setTimeout as pause } from 'node:timers/promises'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'

/** One that must be rewound may be further, on its own timeline, but nothing of this one is sent to it. */
const followers = `SELECT FROM pg_stat_replication
  WHERE sent_lsn >= $1::pg_lsn AND replay_lsn >= $1::pg_lsn`

/** Whether this address leads to a primary, and so many standbys replay what it writes now. */
export async function haveFollowed(address: string, count: number): Promise<boolean> {
  const write = `SELECT pg_logical_emit_message(false, 'failover', '')::text AS lsn`
  const [row] = await query<{ lsn: string }>(address, write)
  if (row === undefined) return false
  for (let looks = 0; looks < 20; looks++) {
    if ((await query(address, followers, [row.lsn])).length === count) return true
    await pause(250)
  }
  return false
}

/** No rows if the address leads to no server that answers. */
async function query<R>(address: string, sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
  const database = connect(address, { size: 1, time: 2 })
  try {
    return await Promise.race([database.query<R>(sql, parameters), pause(2000, [])])
  } catch {
    return []
  } finally {
    await database.end(0).catch(() => undefined)
  }
}

// At the start: warns if acknowledged writes may not survive a failover, because standbys are attached and none is synchronous.

import type { Log } from '#base'
import type { ReadPool } from '../read/read-pool.ts'

/** Every role sees how many servers receive the WAL. Logical subscribers, and standbys that still copy the data, do not
 *  take over. */
const selectStandbys = `
  SELECT count(*)::int, current_setting('synchronous_standby_names') <> ''
    AND current_setting('synchronous_commit') NOT IN ('off', 'local')
  FROM pg_stat_replication AS r
  WHERE coalesce(r.state, 'streaming') IN ('streaming', 'catchup')
    AND NOT EXISTS (SELECT 1 FROM pg_replication_slots AS s WHERE s.active_pid = r.pid AND s.slot_type = 'logical')`

/** A server without these views has no standbys of this kind. */
export async function warnOfAsynchronousStandbys(pool: ReadPool, log: Log): Promise<void> {
  const [row] = await pool.query(selectStandbys, []).catch(() => [])
  const [standbys, isSynchronous] = (row ?? [0, true]) as [number, boolean]
  if (standbys > 0 && !isSynchronous) log.warn({ standbys }, asynchronousStandbys)
}

const asynchronousStandbys =
  'replication is asynchronous: a failover may lose the last acknowledged writes (docs/operations/postgresql.md, failover)'

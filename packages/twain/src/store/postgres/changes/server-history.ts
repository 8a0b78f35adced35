// Begins an epoch of the change log when the database is another server, or the same one with another history. A standby that
// becomes the primary begins a new timeline; so does a server that was recovered to a point in time. A dump that was restored
// into another cluster has another system identifier.
//
// 1. The name of the current WAL segment begins with the timeline. It is right as soon as the server accepts writes, and any
//    role may call the function. The control file has the new timeline only after the first checkpoint.
// 2. What the role may not read is NULL, and is not compared.
// 3. Concurrent statements begin the same epoch: the key `n` lets one of them insert it.
// 4. The skip of versions is partly random: two standbys that take over one after the other may begin at the same version.

import type { Log } from '#base'
import { versionsSkipped } from '../../changes/epochs.ts'
import type { ReadPool } from '../read/read-pool.ts'

/** SQL of the identity of the cluster and of its timeline. On a standby the timeline is an error. */
export interface ServerHistory {
  system: string
  timeline: string
}

const unknown = 'NULL::text'

export const unknownHistory: ServerHistory = { system: unknown, timeline: unknown }

const readable: ServerHistory = {
  system: '(SELECT system_identifier::text FROM pg_control_system())',
  timeline: 'left(pg_walfile_name(pg_current_wal_lsn()), 8)',
}

/** Tries what the role may read. */
export async function findServerHistory(pool: ReadPool, log: Log): Promise<ServerHistory> {
  const system = await readableOr(readable.system, pool)
  const timeline = await readableOr(readable.timeline, pool)
  if (timeline === unknown) log.warn({}, timelineUnknown)
  return { system, timeline }
}

const timelineUnknown =
  "the role may not read the timeline of the database: readers of changes can't notice a failover that lost commits " +
  '(GRANT EXECUTE ON FUNCTION pg_current_wal_lsn(), pg_walfile_name(pg_lsn))'

/** 42501: the role may not call it; 42883: the server does not have it; 0A000: it does not support it. */
async function readableOr(sql: string, pool: ReadPool): Promise<string> {
  try {
    await pool.query(`SELECT ${sql}`, [])
    return sql
  } catch (error) {
    if (/^(42501|42883|0A000)$/.test(String((error as { code?: unknown }).code))) return unknown
    throw error
  }
}

/** Completes what a new database, a copy and one of an earlier build lack: the history, and the greatest version. */
export function recordHistory({ system, timeline }: ServerHistory): string {
  return `
    WITH counted AS (
      UPDATE twain_log SET top_version = (SELECT coalesce(max(version), 0) FROM twain_change) WHERE top_version = 0
    )
    UPDATE twain_epoch SET system = coalesce(system, ${system}), timeline = coalesce(timeline, ${timeline})
    WHERE n = (SELECT max(n) FROM twain_epoch) AND (system IS NULL OR timeline IS NULL)`
}

/** Begins an epoch if the server has another history than the newest one. */
export function beginEpoch({ system, timeline }: ServerHistory): string {
  return `
    INSERT INTO twain_epoch (n, id, system, timeline, after_position, version_floor)
    SELECT newest.n + 1, left(md5(gen_random_uuid()::text), 8), coalesce(here.system, newest.system),
      coalesce(here.timeline, newest.timeline), twain_log.last,
      greatest(newest.version_floor, twain_log.top_version) + ${versionsSkipped} + floor(random() * ${versionsSkipped})
    FROM twain_log, (${newestEpoch}) AS newest, (SELECT ${system} AS system, ${timeline} AS timeline) AS here
    WHERE newest.system <> here.system OR newest.timeline <> here.timeline
    ON CONFLICT DO NOTHING`
}

const newestEpoch = 'SELECT * FROM twain_epoch ORDER BY n DESC LIMIT 1'

/** Selects the version floor of the newest epoch, whether the server has another history, and which process of which server
 *  answers. */
export function selectVersionFloor({ system, timeline }: ServerHistory): string {
  return `
    SELECT version_floor, coalesce(system <> ${system} OR timeline <> ${timeline}, false) AS is_outdated,
      pg_backend_pid() AS process_id, pg_postmaster_start_time()::text AS server_start
    FROM (${newestEpoch}) AS newest`
}

// What `twain doctor` asks a PostgreSQL server. It changes nothing.

import { wallTime } from '#base/time'
import { connect, findDeadlocksEarly } from './connect/connect.ts'

export interface DatabaseFacts {
  version: string
  /** 180001 is 18.1. */
  versionNumber: number
  isStandby: boolean
  encoding: string
  isEncrypted: boolean
  mayCreateTables: boolean
  /** Whether the server looks for deadlocks as early as Twain asks it to. */
  findsDeadlocks: boolean
  /** Connections that anybody may still open. */
  freeConnections: number
  /** How far its clock is ahead of ours, in milliseconds. */
  clockAheadMs: number
}

/** Rejects if the server can't be reached. */
export async function inspectPostgres(address: string): Promise<DatabaseFacts> {
  const database = connect(address, { size: 1, time: 10 })
  try {
    await database.query(findDeadlocksEarly) // and the next one is a single round trip
    const sent = wallTime()
    const [row] = await database.query<FactRow>(selectFacts)
    const received = wallTime()
    const { clock, ...facts } = row!
    return { ...facts, clockAheadMs: Number(clock) - (sent + received) / 2 }
  } finally {
    await database.end()
  }
}

interface FactRow extends Omit<DatabaseFacts, 'clockAheadMs'> {
  clock: string
}

const selectFacts = `SELECT
  current_setting('server_version') AS version,
  current_setting('server_version_num')::integer AS "versionNumber",
  pg_is_in_recovery() AS "isStandby",
  pg_encoding_to_char(encoding) AS encoding,
  coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false) AS "isEncrypted",
  coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) AS "mayCreateTables",
  current_setting('deadlock_timeout')::interval <= '100ms' AS "findsDeadlocks",
  (current_setting('max_connections')::integer - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'))::integer
    AS "freeConnections",
  (extract(epoch FROM clock_timestamp()) * 1000)::text AS clock
  FROM pg_database WHERE datname = current_database()`

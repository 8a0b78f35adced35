// Reads from replicas (docs/internals/decisions/0015-read-replicas.md). Every quarter of a second the node asks the primary
// for its log position and each replica for its replay position. So it knows up to which time each replica has all commits.
//
// 1. A viewer who has written through this node reads from no replica that may lack the write. Also after a refused write:
//    the client then sees the reason.
// 2. No viewer reads from a replica that lags by more than a few seconds or is unreachable.
// 3. At the start every viewer counts as a writer, so that no replica is queried for tables that it lacks.

import { ApiError, type Log } from '#base'
import type { Viewer } from '#base/http'
import { clearInterval, monotonicTime, setInterval } from '#base/time'
import type { SqlValue } from '../../sql/encode.ts'
import type { PoolOptions } from '../connect/connect.ts'
import { type QueriedPlan, ReadPool } from './read-pool.ts'

const pollIntervalMs = 250

const maxLagMs = 5000

/** With more writers, every viewer counts as a writer. */
const maxTrackedWriters = 10_000

/** The log position of the primary at a time. */
interface PrimaryPosition {
  position: number
  time: number
}

interface Replica {
  pool: ReadPool
  /** The replica has everything that was committed before this time. */
  upTo: number
}

export class Replicas {
  readonly #primary: ReadPool
  readonly #replicas: readonly Replica[]
  /** In ascending order: the last few seconds, and one before them. */
  #positions: PrimaryPosition[] = []
  /** When each viewer wrote last, in the order of time. */
  readonly #wrote = new Map<string, number>()
  /** When all viewers last counted as writers. */
  #allWrote = monotonicTime()
  #next = 0
  #polling: Promise<void> | null = null
  readonly #timer: NodeJS.Timeout

  constructor(primary: ReadPool, addresses: readonly string[], pool: PoolOptions, log: Log) {
    this.#primary = primary
    this.#replicas = addresses.map((address) => ({
      pool: new ReadPool(address, { ...pool, outageWaitSeconds: 0 }, log, 'any'), // the primary answers instead
      upTo: Number.NEGATIVE_INFINITY,
    }))
    this.#timer = setInterval(() => this.#poll(), pollIntervalMs).unref()
    this.#poll()
  }

  /** Called when a write has ended, successful or not. */
  wrote(viewer: Viewer): void {
    const key = keyOf(viewer)
    this.#wrote.delete(key)
    if (this.#wrote.size >= maxTrackedWriters) {
      this.#wrote.clear()
      this.#allWrote = monotonicTime()
    }
    this.#wrote.set(key, monotonicTime())
  }

  /** Reads from a replica that has the writes of this viewer, or else from the primary. */
  async query(
    sql: string,
    parameters: SqlValue[],
    viewer: Viewer,
    of: QueriedPlan | null = null,
  ): Promise<unknown[][]> {
    const replica = this.#choose(viewer)
    if (replica === null) return this.#primary.query(sql, parameters, of)
    try {
      return await replica.pool.query(sql, parameters, of)
    } catch (error) {
      if (isFinal(error)) throw error
      replica.upTo = Number.NEGATIVE_INFINITY // until it has answered again
      return this.#primary.query(sql, parameters, of)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#replicas.map(({ pool: connections }) => connections.close()))
    await this.#polling
  }

  /** Chooses replicas in turn. */
  #choose(viewer: Viewer): Replica | null {
    const oldest = Math.max(
      this.#allWrote,
      this.#wrote.get(keyOf(viewer)) ?? Number.NEGATIVE_INFINITY,
      (this.#positions.at(-1)?.time ?? Number.POSITIVE_INFINITY) - maxLagMs,
    )
    for (let tried = 0; tried < this.#replicas.length; tried++) {
      this.#next = (this.#next + 1) % this.#replicas.length
      const replica = this.#replicas[this.#next]!
      if (replica.upTo > oldest) return replica
    }
    return null
  }

  #poll(): void {
    this.#polling ??= this.#pollOnce().finally(() => {
      this.#polling = null
    })
  }

  /** While the primary is unreachable there is no new position, and replicas go on answering. */
  async #pollOnce(): Promise<void> {
    const time = monotonicTime()
    const at = await positionOf(this.#primary, 'pg_current_wal_flush_lsn()')
    if (at !== null) this.#positions.push({ position: at, time })
    while ((this.#positions[1]?.time ?? time) < time - maxLagMs) this.#positions.shift()
    await Promise.all(this.#replicas.map((replica) => this.#updateReplica(replica)))
    const oldest = Math.min(...this.#replicas.map(({ upTo }) => upTo))
    for (const [viewer, wrote] of this.#wrote) {
      if (wrote >= oldest) break
      this.#wrote.delete(viewer)
    }
  }

  async #updateReplica(replica: Replica): Promise<void> {
    const at = await positionOf(replica.pool, replayed)
    const mark = at === null ? undefined : this.#positions.findLast(({ position }) => position <= at)
    replica.upTo = mark?.time ?? Number.NEGATIVE_INFINITY
  }
}

/** A server that is not in recovery is the primary under another name. */
const replayed = 'CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END'

/** Null if the server does not answer. */
async function positionOf(connections: ReadPool, lsn: string): Promise<number | null> {
  try {
    const [row] = await connections.query(`SELECT (${lsn} - '0/0'::pg_lsn)::bigint`, [])
    return row?.[0] as number | null
  } catch {
    return null
  }
}

/** All anonymous viewers share a key. */
function keyOf({ account, token }: Viewer): string {
  return account ?? token ?? ''
}

/** Whether the primary must not be tried again: a timeout, or too many pending queries. Errors of a lost connection or a
 *  cancelled replica have a cause, or are no ApiError. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.cause === undefined
}

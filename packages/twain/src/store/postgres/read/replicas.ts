// Reads that a replica may answer (docs/internals/decisions/0015-read-replicas.md). Each replica is known to have everything that was
// committed before some moment: every quarter of a second the primary is asked how far its log is, and each replica how far
// it has come.
//
// 1. Who has written through this node is answered by no replica that may not have it yet. Also one whose write was refused:
//    what it was refused for is then seen.
// 2. Nobody is answered by a replica that is behind by more than a few seconds, or that is away.
// 3. At the start all count as having written, so that no replica is asked for tables that it does not have yet.

import { ApiError, type Log, type Viewer } from '#base'
import type { SqlValue } from '../../sql/encode.ts'
import type { PoolOptions } from '../connect/connect.ts'
import { ReadPool } from './read-pool.ts'

/** Milliseconds. */
const pollIntervalMs = 250

/** Milliseconds that a replica may be behind. */
const maxLagMs = 5000

/** Beyond this, all count as having written. */
const maxTrackedWriters = 10_000

/** So far the primary's log was at a time. */
interface PrimaryPosition {
  position: number
  time: number
}

interface Replica {
  pool: ReadPool
  /** All that was committed before is there. */
  upTo: number
}

export class Replicas {
  readonly #primary: ReadPool
  readonly #replicas: readonly Replica[]
  /** Ascending, the last few seconds and one before them. */
  #positions: PrimaryPosition[] = []
  /** When each viewer wrote last, in the order of time. */
  readonly #wrote = new Map<string, number>()
  /** When all did. */
  #allWrote = performance.now()
  #next = 0
  #polling: Promise<void> | null = null
  readonly #timer: NodeJS.Timeout

  constructor(primary: ReadPool, addresses: readonly string[], pool: PoolOptions, log: Log) {
    this.#primary = primary
    this.#replicas = addresses.map((address) => ({
      pool: new ReadPool(address, pool, log),
      upTo: Number.NEGATIVE_INFINITY,
    }))
    this.#timer = setInterval(() => this.#poll(), pollIntervalMs).unref()
    this.#poll()
  }

  /** To be called when a write has ended, however it did. */
  wrote(viewer: Viewer): void {
    const key = keyOf(viewer)
    this.#wrote.delete(key)
    if (this.#wrote.size >= maxTrackedWriters) {
      this.#wrote.clear()
      this.#allWrote = performance.now()
    }
    this.#wrote.set(key, performance.now())
  }

  /** By a replica that has what this viewer has written; else by the primary. */
  async query(sql: string, parameters: SqlValue[], viewer: Viewer): Promise<unknown[][]> {
    const replica = this.#choose(viewer)
    if (replica === null) return this.#primary.query(sql, parameters)
    try {
      return await replica.pool.query(sql, parameters)
    } catch (error) {
      if (isFinal(error)) throw error
      replica.upTo = Number.NEGATIVE_INFINITY // until it has answered again
      return this.#primary.query(sql, parameters)
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#replicas.map(({ pool: connections }) => connections.close()))
    await this.#polling
  }

  /** One after the other. */
  #choose(viewer: Viewer): Replica | null {
    const least = Math.max(
      this.#allWrote,
      this.#wrote.get(keyOf(viewer)) ?? Number.NEGATIVE_INFINITY,
      (this.#positions.at(-1)?.time ?? Number.POSITIVE_INFINITY) - maxLagMs,
    )
    for (let tried = 0; tried < this.#replicas.length; tried++) {
      this.#next = (this.#next + 1) % this.#replicas.length
      const replica = this.#replicas[this.#next]!
      if (replica.upTo > least) return replica
    }
    return null
  }

  #poll(): void {
    this.#polling ??= this.#pollOnce().finally(() => {
      this.#polling = null
    })
  }

  /** While the primary is away there is no new mark, and replicas go on answering. */
  async #pollOnce(): Promise<void> {
    const time = performance.now()
    const at = await positionOf(this.#primary, 'pg_current_wal_flush_lsn()')
    if (at !== null) this.#positions.push({ position: at, time })
    while ((this.#positions[1]?.time ?? time) < time - maxLagMs) this.#positions.shift()
    await Promise.all(this.#replicas.map((replica) => this.#updateReplica(replica)))
    const least = Math.min(...this.#replicas.map(({ upTo }) => upTo))
    for (const [viewer, wrote] of this.#wrote) {
      if (wrote >= least) break
      this.#wrote.delete(viewer)
    }
  }

  async #updateReplica(replica: Replica): Promise<void> {
    const at = await positionOf(replica.pool, replayed)
    const mark = at === null ? undefined : this.#positions.findLast(({ position }) => position <= at)
    replica.upTo = mark?.time ?? Number.NEGATIVE_INFINITY
  }
}

/** A server that is no replica is as far as it is: another name of the primary. */
const replayed = 'CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END'

/** Null when it does not say. */
async function positionOf(connections: ReadPool, lsn: string): Promise<number | null> {
  try {
    const [row] = await connections.query(`SELECT (${lsn} - '0/0'::pg_lsn)::bigint`, [])
    return row?.[0] as number | null
  } catch {
    return null
  }
}

/** Those who are not known are one. */
function keyOf({ account, token }: Viewer): string {
  return account ?? token ?? ''
}

/** The time was over, or too many wait: the primary must not be asked for the same again. What a lost connection, or a
 *  replica that had to go on, says has a cause, or is no Fault. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.cause === undefined
}

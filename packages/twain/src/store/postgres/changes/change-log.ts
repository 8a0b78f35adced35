// The change log of a PostgreSQL database, which several nodes write. The sequencer assigns positions. A NOTIFY without
// content notifies each node of new ones; the sequencer also polls.

import type { Log } from '#base'
import { monotonicTime } from '#base/time'
import {
  type ChangeLog,
  type ChangeRecord,
  type ChangeRow,
  changeColumns,
  maxReadBytes,
  toChangeRecord,
  Watchers,
} from '../../changes/change-log.ts'
import { Epochs, epochsText, type LogPoint } from '../../changes/epochs.ts'
import type { StorageFailures } from '../../observe/storage-failures.ts'
import type { SqlValue } from '../../sql/encode.ts'
import type { StoreClock } from '../../store-clock.ts'
import { beginPruning, type KeptType, keepEntries, keptColumns, pruneHistory } from '../../system/kept-history.ts'
import { toText } from '../../system/system-tables.ts'
import type { StorageTypeNames } from '../../tables/layout.ts'
import { databaseUnavailable } from '../connect/database-errors.ts'
import type { ReadPool } from '../read/read-pool.ts'
import { Listener } from './listener.ts'
import { pruneChanges } from './prune-changes.ts'
import { notifyChannel, Sequencer } from './sequencer.ts'
import { recordHistory, type ServerHistory } from './server-history.ts'

interface PostgresChangeLogOptions {
  address: string
  pool: ReadPool
  types: StorageTypeNames
  keepable: readonly KeptType[]
  history: ServerHistory
  log: Log
  /** Default: none. */
  failures?: StorageFailures
  /** How long a server without the newest epoch is not believed. Default: 15 s. */
  suspicionMs?: number
}

/** Longer than a primary that was replaced goes on: Patroni looks every 10 s. */
const defaultSuspicionMs = 15_000

const size = 'coalesce(octet_length(after), 0) + coalesce(octet_length(before), 0)'

/** One row without a change if there are no more: the epochs are needed all the same. */
const page = `
  SELECT ${epochsText}, ${changeColumns} FROM (VALUES (1)) AS always LEFT JOIN (
    SELECT *, sum(${size}) OVER (ORDER BY seq) - (${size}) AS ahead FROM (
      SELECT ${changeColumns} FROM twain_change WHERE seq > $1 ORDER BY seq LIMIT $2
    ) AS next
  ) AS page ON ahead < ${maxReadBytes} ORDER BY seq`

const oldest = 'SELECT seq FROM twain_change WHERE seq > 0 ORDER BY seq LIMIT 1'
const bounds = `SELECT ${epochsText}, coalesce((${oldest}) - 1, last), last FROM twain_log`

export class PostgresChangeLog implements ChangeLog {
  readonly log: string
  readonly #channel: string
  readonly #options: PostgresChangeLogOptions
  readonly #sequencer: Sequencer
  readonly #watchers = new Watchers()
  /** As last read, and their text. */
  #epochs: { text: string; epochs: Epochs }
  /** Since when the server lacks the newest epoch, by `performance.now`; null: it has it. */
  #suspectSince: number | null = null
  /** As the sequencer, or a read, last found it. */
  #newestEpoch: string
  /** Opened with the first watcher. */
  #listener: Listener | null = null

  static async open(parts: PostgresChangeLogOptions): Promise<PostgresChangeLog> {
    await parts.pool.query(recordHistory(parts.history), [])
    const [row] = await parts.pool.query(`SELECT id, ${notifyChannel}, ${epochsText} FROM twain_log`, [])
    const [log, name, epochs] = row as [string, string, string]
    return new PostgresChangeLog(parts, log, name, epochs)
  }

  private constructor(parts: PostgresChangeLogOptions, log: string, name: string, epochs: string) {
    this.log = log
    this.#epochs = { text: epochs, epochs: Epochs.parse(epochs) }
    this.#newestEpoch = this.#epochs.epochs.newest
    this.#channel = name
    this.#options = parts
    const onAssigned = (newestEpoch: string) => {
      this.#newestEpoch = newestEpoch
      this.#watchers.wake()
    }
    this.#sequencer = new Sequencer(parts.address, parts.history, parts.log, onAssigned, parts.failures)
  }

  read(after: LogPoint, limit: number): Promise<ChangeRecord[]> {
    return this.#read(after.position, limit, after)
  }

  async readAt(positions: readonly number[]): Promise<ChangeRecord[]> {
    const pages = await Promise.all(positions.map((position) => this.#read(position - 1, 1)))
    return pages.flatMap((found, index) => found.filter(({ position }) => position === positions[index]))
  }

  async #read(after: number, limit: number, valid?: LogPoint): Promise<ChangeRecord[]> {
    const rows = (await this.#options.pool.query(page, [after, limit])) as [string, ...ChangeRow][]
    const epochs = this.#epochsIn(rows[0]![0])
    if (valid !== undefined) epochs.require(valid)
    if (rows[0]![1] === null) return []
    return rows.map(([, ...row]) => toChangeRecord(row, this.#options.types, epochs))
  }

  async bounds(valid?: LogPoint): Promise<{ start: LogPoint; end: LogPoint }> {
    const [row] = await this.#options.pool.query(bounds, [])
    const [text, start, end] = row as [string, number, number]
    const epochs = this.#epochsIn(text)
    if (valid !== undefined) epochs.require(valid)
    return { start: epochs.point(start), end: epochs.point(end) }
  }

  get newestEpoch(): string {
    return this.#newestEpoch
  }

  point(position: number): LogPoint {
    return this.#epochs.epochs.point(position)
  }

  /** Throws UNAVAILABLE if the server does not have the newest epoch. It is a former primary that does not know yet, or a new
   *  one on which the sequencer has not begun an epoch yet. If that lasts, the former primary is the primary again, and the
   *  newest epoch was lost with the server that began it. */
  #epochsIn(text: string): Epochs {
    if (text === this.#epochs.text) {
      this.#suspectSince = null
      return this.#epochs.epochs
    }
    const epochs = Epochs.parse(text)
    if (this.#epochs.epochs.has(epochs.newest)) {
      this.#suspectSince ??= monotonicTime()
      const { suspicionMs = defaultSuspicionMs } = this.#options
      if (monotonicTime() - this.#suspectSince < suspicionMs)
        throw databaseUnavailable(new Error('the server lacks the newest epoch'))
    }
    this.#suspectSince = null
    this.#epochs = { text, epochs }
    this.#newestEpoch = epochs.newest
    return epochs
  }

  watch(wake: () => void): () => void {
    this.#listen()
    return this.#watchers.add(wake)
  }

  /** As `watch`, up to half a second later for changes of other nodes: it needs no connection for LISTEN. */
  watchPositions(wake: () => void): () => void {
    return this.#watchers.add(wake)
  }

  /** Called by this node after each commit of a write. The write itself sends no NOTIFY: such transactions would commit
   *  one after the other (docs/internals/decisions/0010-change-log-positions.md). */
  wrote(): void {
    this.#sequencer.wake()
  }

  async prune(clock: StoreClock, maxAgeMs: number, signal?: AbortSignal): Promise<number> {
    const { pool: connections, keepable } = this.#options
    const query = (sql: string, parameters: SqlValue[]) => {
      signal?.throwIfAborted()
      return connections.query(sql, parameters)
    }
    const run = async (sql: string) => query(sql, [])
    const kept = await beginPruning(keepable, run)
    const dropped = `WITH dropped AS (DELETE FROM twain_change WHERE seq <= $1 RETURNING ${keptColumns})`
    const oldest = 'SELECT seq, time FROM twain_change WHERE seq > 0 ORDER BY seq LIMIT $1'
    const log = {
      oldest: async (limit: number) => query(oldest, [limit]) as Promise<[number, string][]>,
      drop: async (upTo: number) => query(`${dropped} ${keepEntries('dropped', kept)}`, [upTo]),
    }
    const count = await pruneChanges(log, toText(clock.earliest() - maxAgeMs))
    await pruneHistory(kept, clock, run)
    return count
  }

  async close(): Promise<void> {
    this.#watchers.clear()
    await Promise.all([this.#sequencer.close(), this.#listener?.close()])
  }

  #listen(): void {
    this.#listener ??= new Listener(this.#options.address, this.#channel, () => this.#watchers.wake())
  }
}

// The change log of a PostgreSQL database, which several nodes write. The sequencer assigns positions. A NOTIFY without
// content notifies each node of new ones; the sequencer also polls.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '#base'
import {
  type ChangeLog,
  type ChangeRecord,
  type ChangeRow,
  changeColumns,
  maxReadBytes,
  pruneChanges,
  toChangeRecord,
  Watchers,
} from '../../changes/change-log.ts'
import type { StorageTypeNames } from '../../tables/layout.ts'
import { connect, type Database } from '../connect/connect.ts'
import type { ReadPool } from '../read/read-pool.ts'
import { notifyChannel, Sequencer } from './sequencer.ts'

interface PostgresChangeLogOptions {
  address: string
  pool: ReadPool
  types: StorageTypeNames
  log: Log
}

const size = 'coalesce(octet_length(after), 0) + coalesce(octet_length(before), 0)'

const page = `
  SELECT ${changeColumns} FROM (
    SELECT *, sum(${size}) OVER (ORDER BY seq) - (${size}) AS ahead FROM (
      SELECT ${changeColumns} FROM twain_change WHERE seq > $1 ORDER BY seq LIMIT $2
    ) AS next
  ) AS page WHERE ahead < ${maxReadBytes} ORDER BY seq`

export class PostgresChangeLog implements ChangeLog {
  readonly log: string
  readonly previousLogs: readonly string[] = []
  readonly #channel: string
  readonly #options: PostgresChangeLogOptions
  readonly #sequencer: Sequencer
  readonly #watchers = new Watchers()
  /** Opened with the first watcher. */
  #listening: Database | null = null
  /** Resolves when LISTEN has succeeded or failed. */
  #listened: Promise<unknown> = Promise.resolve()

  static async open(parts: PostgresChangeLogOptions): Promise<PostgresChangeLog> {
    const [row] = await parts.pool.query(`SELECT id, ${notifyChannel} FROM twain_log`, [])
    const [log, name] = row as [string, string]
    return new PostgresChangeLog(parts, log, name)
  }

  private constructor(parts: PostgresChangeLogOptions, log: string, name: string) {
    this.log = log
    this.#channel = name
    this.#options = parts
    this.#sequencer = new Sequencer(parts.address, parts.log, () => this.#watchers.wake())
  }

  async read(after: number, limit: number): Promise<ChangeRecord[]> {
    const rows = await this.#options.pool.query(page, [after, limit])
    return (rows as ChangeRow[]).map((row) => toChangeRecord(row, this.#options.types))
  }

  async end(): Promise<number> {
    return this.#number('SELECT last FROM twain_log')
  }

  async first(): Promise<number> {
    const oldest = 'SELECT seq FROM twain_change WHERE seq > 0 ORDER BY seq LIMIT 1'
    return this.#number(`SELECT coalesce((${oldest}), last + 1) FROM twain_log`)
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

  prune(before: string): Promise<number> {
    const { pool: connections } = this.#options
    const oldest = 'SELECT seq, time FROM twain_change WHERE seq > 0 ORDER BY seq LIMIT $1'
    const log = {
      oldest: (limit: number) => connections.query(oldest, [limit]) as Promise<[number, string][]>,
      drop: (upTo: number) => connections.query('DELETE FROM twain_change WHERE seq <= $1', [upTo]),
    }
    return pruneChanges(log, before)
  }

  async close(): Promise<void> {
    this.#watchers.clear()
    // A connection that is still opening when the driver ends would stay open.
    await Promise.race([this.#listened, sleep(1000)])
    await Promise.all([this.#sequencer.close(), this.#listening?.end({ timeout: 1 })])
  }

  /** The driver opens a connection for LISTEN and reopens it when it is lost; notifications in between are lost. */
  #listen(): void {
    if (this.#listening !== null) return
    this.#listening = connect(this.#options.address, { size: 1, time: 0 })
    const wake = () => this.#watchers.wake()
    this.#listened = this.#listening.listen(this.#channel, wake, wake).catch(() => undefined) // the sequencer polls anyway
  }

  async #number(sql: string): Promise<number> {
    const [row] = await this.#options.pool.query(sql, [])
    return row![0] as number
  }
}

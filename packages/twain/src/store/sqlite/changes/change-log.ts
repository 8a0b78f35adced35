// The change log of a SQLite file. The only writer numbers the entries as it commits them, so the number is the position: a
// rollback takes its numbers back.

import type { DatabaseSync } from 'node:sqlite'
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
import type { Query, QueryRows } from '../../sql/query.ts'
import type { StoreClock } from '../../store-clock.ts'
import { beginPruning, type KeptType, keepEntries, keptColumns, pruneHistory } from '../../system/kept-history.ts'
import type { StorageTypeNames } from '../../tables/layout.ts'
import { openReadConnection, SqliteStatements } from '../connect/connect.ts'

/** SQLite's own limit: every written entry must be readable. */
const maxEntryBytes = 1_000_000_000

/** Small steps, so that no write waits long for one. */
const changesPerStep = 1000

/** One transaction. */
type RunStatements = (...queries: Query[]) => Promise<QueryRows[]>

interface ReadGuard {
  /** Throws if nothing can be read. */
  beforeRead: () => void
  failures: StorageFailures
}

export class SqliteChangeLog implements ChangeLog {
  readonly log: string
  readonly #database: DatabaseSync
  readonly #statements: SqliteStatements
  readonly #types: StorageTypeNames
  readonly #write: RunStatements
  readonly #keepable: readonly KeptType[]
  readonly #watchers = new Watchers()
  /** A restore adds epochs, while no server runs. */
  readonly #epochs: Epochs
  readonly #guard: ReadGuard

  constructor(
    file: string,
    types: StorageTypeNames,
    keepable: readonly KeptType[],
    write: RunStatements,
    guard: ReadGuard,
  ) {
    this.#guard = guard
    this.#keepable = keepable
    this.#types = types
    this.#database = openReadConnection(file, maxEntryBytes)
    this.#statements = new SqliteStatements(this.#database)
    this.#write = write
    this.log = this.#one('SELECT id FROM twain_log') as string
    this.#epochs = Epochs.parse(this.#one(`SELECT ${epochsText}`) as string)
  }

  async read(after: LogPoint, limit: number): Promise<ChangeRecord[]> {
    this.#epochs.require(after)
    return this.#read(after.position, limit)
  }

  async readAt(positions: readonly number[]): Promise<ChangeRecord[]> {
    return positions.flatMap((position) => this.#read(position - 1, 1).filter((change) => change.position === position))
  }

  #read(after: number, limit: number): ChangeRecord[] {
    this.#guard.beforeRead()
    return this.#guard.failures.reading(() => this.#readRows(after, limit))
  }

  #readRows(after: number, limit: number): ChangeRecord[] {
    const found: ChangeRecord[] = []
    let size = 0
    const rows = this.#statements
      .get(`SELECT ${changeColumns} FROM twain_change WHERE seq > ? ORDER BY seq LIMIT CAST(? AS INTEGER)`)
      .iterate(after, limit)
    for (const row of rows) {
      const change = toChangeRecord(row as unknown as ChangeRow, this.#types, this.#epochs)
      found.push(change)
      size += (change.after?.length ?? 0) + (change.before?.length ?? 0)
      if (size >= maxReadBytes) break
    }
    return found
  }

  async bounds(valid?: LogPoint): Promise<{ start: LogPoint; end: LogPoint }> {
    if (valid !== undefined) this.#epochs.require(valid)
    const oldest = this.#one('SELECT min(seq) FROM twain_change') as number | null
    const end = (this.#one(`SELECT seq FROM sqlite_sequence WHERE name = 'twain_change'`) ?? 0) as number
    return { start: this.point(oldest === null ? end : oldest - 1), end: this.point(end) }
  }

  get newestEpoch(): string {
    return this.#epochs.newest
  }

  point(position: number): LogPoint {
    return this.#epochs.point(position)
  }

  watch(wake: () => void): () => void {
    return this.#watchers.add(wake)
  }

  /** Called after each commit. */
  wrote(): void {
    this.#watchers.wake()
  }

  async prune(clock: StoreClock, maxAgeMs: number, signal?: AbortSignal): Promise<number> {
    const write: RunStatements = async (...queries) => {
      const rows = await this.#write(...queries)
      signal?.throwIfAborted() // nothing is read any more: the file may be closed
      return rows
    }
    const run = async (sql: string) => (await write({ sql, parameters: [] }))[0]!
    await this.#mark(Math.ceil(clock.latest()), write)
    const oldest = Math.floor(clock.earliest()) - maxAgeMs
    const old = this.#statements.get('SELECT max(seq) FROM twain_log_mark WHERE time <= ?').get(oldest)
    const last = (old as unknown as [number | null])[0]
    const kept = await beginPruning(this.#keepable, run)
    const count = last === null ? 0 : await this.#drop(last, kept, write)
    if (last !== null) await write({ sql: 'DELETE FROM twain_log_mark WHERE seq <= ?', parameters: [last] })
    await pruneHistory(kept, clock, run)
    return count
  }

  /** Remembers when the last entry was there: the times of the entries are those of a clock that may jump. */
  async #mark(now: number, write: RunStatements): Promise<void> {
    const { position } = (await this.bounds()).end
    const marked = this.#one('SELECT max(seq) FROM twain_log_mark') as number | null
    if (position <= (marked ?? 0)) return
    const sql = 'INSERT INTO twain_log_mark (seq, time) VALUES (?, ?)'
    await write({ sql, parameters: [position, now] })
  }

  async #drop(last: number, kept: readonly KeptType[], write: RunStatements): Promise<number> {
    const dropped = `(SELECT ${keptColumns} FROM twain_change WHERE seq <= ?)`
    for (let count = 0; ; ) {
      const first = (await this.bounds()).start.position
      if (first >= last) return count
      const upTo = Math.min(last, first + changesPerStep)
      await write(
        { sql: keepEntries(dropped, kept), parameters: [upTo] },
        { sql: 'DELETE FROM twain_change WHERE seq <= ?', parameters: [upTo] },
      )
      count += upTo - first
    }
  }

  close(): void {
    this.#watchers.clear()
    this.#database.close()
  }

  #one(sql: string): unknown {
    this.#guard.beforeRead()
    const read = () => this.#statements.get(sql).get() as unknown as unknown[] | undefined
    return this.#guard.failures.reading(read)?.[0]
  }
}

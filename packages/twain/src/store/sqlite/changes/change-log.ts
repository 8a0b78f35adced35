// The change log of a SQLite file. The only writer numbers the entries as it commits them, so the number is the position: a
// rollback takes its numbers back.

import type { DatabaseSync } from 'node:sqlite'
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
import { Epochs, epochsText, type LogPoint } from '../../changes/epochs.ts'
import type { Query, QueryRows } from '../../sql/query.ts'
import { beginPruning, type KeptType, keepEntries, keptColumns, pruneHistory } from '../../system/kept-history.ts'
import type { StorageTypeNames } from '../../tables/layout.ts'
import { openReadConnection, SqliteStatements } from '../connect/connect.ts'

/** SQLite's own limit: every written entry must be readable. */
const maxEntryBytes = 1_000_000_000

/** One transaction. */
type RunStatements = (...queries: Query[]) => Promise<QueryRows[]>

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

  constructor(file: string, types: StorageTypeNames, keepable: readonly KeptType[], write: RunStatements) {
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

  async prune(before: string): Promise<number> {
    const run = async (sql: string) => (await this.#write({ sql, parameters: [] }))[0]!
    const kept = await beginPruning(this.#keepable, run)
    const pruned = `(SELECT ${keptColumns} FROM twain_change WHERE seq <= ?)`
    const log = {
      oldest: async (limit: number) =>
        this.#statements
          .get('SELECT seq, time FROM twain_change ORDER BY seq LIMIT CAST(? AS INTEGER)')
          .all(limit) as unknown as [number, string][],
      drop: (upTo: number) =>
        this.#write(
          { sql: keepEntries(pruned, kept), parameters: [upTo] },
          { sql: 'DELETE FROM twain_change WHERE seq <= ?', parameters: [upTo] },
        ),
    }
    const count = await pruneChanges(log, before)
    await pruneHistory(kept, Date.now(), run)
    return count
  }

  close(): void {
    this.#watchers.clear()
    this.#database.close()
  }

  #one(sql: string): unknown {
    return (this.#statements.get(sql).get() as unknown as unknown[] | undefined)?.[0]
  }
}

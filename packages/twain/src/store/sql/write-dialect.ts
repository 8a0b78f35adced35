// What differs between the databases in the statements of a write. The rest is SQL that both share.

import type { StoredType } from '#model'
import type { IndexDefinition } from '../tables/indexes.ts'
import type { StorageCodes } from '../tables/storage-codes.ts'
import type { SqlValue } from './encode.ts'
import type { SearchedTable } from './search/searched-table.ts'

/** How the words of a searched table are stored: in columns of the row itself, or in a table beside it. */
export type WordStorage =
  | {
      kind: 'inside'
      /** The columns to set, each with the SQL of its placeholder: the words, and the version that they were made for. */
      words: { column: string; sql(place: string): string }
      worded: { column: string; sql(place: string): string }
      values(words: readonly string[][], version: number): [words: SqlValue, worded: SqlValue]
    }
  | {
      kind: 'beside'
      /** Placeholders: the id, and the words of each column. */
      save: string
      /** A placeholder for the id; runs before the row is deleted. */
      drop: string
      values(words: readonly string[][]): SqlValue[]
    }

export interface WriteDialect {
  /** Translates a text with placeholders like `?1` to this database. Called once for each text. */
  text(sql: string): string
  /** The locking clause of a SELECT whose rows must not change until the end of the write, because the write changes them,
   *  deletes them, or refers to them. */
  lock: { change: string; delete: string; refer: string }
  /** The texts of a JSON list, as rows with the column `value`. */
  jsonTexts(list: string): string
  /** Prevents other writes from creating a row of the type ?1 with the id ?2 until the end of this write; null if there is no
   *  concurrent write. */
  lockId: string | null
  /** Selects from the ids of rows, an SQL source of one column: keeps others from adding rows to the list with this name, an SQL text,
   *  of each row. `lockId` with the name and the id is the lock of who adds one. */
  shareListOf(name: string, ids: string): string
  /** Locks the idempotency key ?1 until the end of the write, or returns 0 if another write has locked it; null if there is no
   *  concurrent write. */
  lockKey: string | null
  /** Selects which schema was served last, as one opaque value; null if no other node can serve another one. */
  servedSchema: string | null
  /** The condition that the database has this index; null if no other node can have replaced it. */
  hasIndex: ((index: IndexDefinition) => string) | null
  /** The clause that skips rows which another transaction has locked. */
  skipLocked: string
  /** The clause that keeps rows from being claimed until the end of the transaction; others may take the same lock. */
  lockShared: string
  /** A time as system tables store it: `plus` milliseconds after the time at the placeholder `now`; if that is null, after the
   *  database's own time. */
  time(now: string, plus: string): string
  /** A field's canonical value as its column stores it; `===` compares two such values. */
  encode(value: unknown, type: StoredType, codes: StorageCodes): SqlValue
  decode(value: SqlValue, type: StoredType, codes: StorageCodes): unknown
  /** A column, ready to compare with a value. */
  comparable(type: StoredType, column: string): string
  words(table: SearchedTable): WordStorage
}

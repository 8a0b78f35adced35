// What differs between the databases in the texts of a write. All else is SQL that both have.

import type { StoredType } from '#model'
import type { SqlValue } from './encode.ts'
import type { SearchedTable } from './searched-table.ts'

/** How the words of a searched table are kept: in columns of the row itself, or in a table beside it. */
export type WordStorage =
  | {
      kind: 'inside'
      /** The columns that are set, each with the SQL of its place: the words, and what says that they are those of this version. */
      words: { column: string; sql(place: string): string }
      worded: { column: string; sql(place: string): string }
      values(words: readonly string[][], version: number): [words: SqlValue, worded: SqlValue]
    }
  | {
      kind: 'beside'
      /** Places: the id, and the words of each column. */
      save: string
      /** A place for the id; asked before the row goes. */
      drop: string
      values(words: readonly string[][]): SqlValue[]
    }

export interface WriteDialect {
  /** A text with places like `?1`, as this database takes it. Asked once for a text. */
  text(sql: string): string
  /** What stands behind a SELECT of rows that are to stay as they were read until the end of the write: to be changed, to
   *  be deleted, or to be referred to. */
  lock: { change: string; delete: string; refer: string }
  /** The texts of a JSON list, as rows with the column `value`. */
  jsonTexts(list: string): string
  /** Keeps everyone else from making a row of the type ?1 with the id ?2 until the end of the write; null where nobody
   *  could. */
  lockId: string | null
  /** Takes hold of the key ?1 until the end of the write, or gives 0 when somebody else has it; null where nobody could
   *  have. */
  lockKey: string | null
  /** What stands behind a SELECT of rows that are to be deleted if nobody else is about to. */
  skipLocked: string
  /** A field's canonical value as its column keeps it; `===` says whether two such values are the same. */
  encode(value: unknown, type: StoredType): SqlValue
  decode(value: SqlValue, type: StoredType): unknown
  /** A column, as what is compared with a value. */
  comparable(type: StoredType, column: string): string
  words(table: SearchedTable): WordStorage
}

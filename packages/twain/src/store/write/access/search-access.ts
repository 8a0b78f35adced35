// Keeps the search words of a row up to date, in the transaction of the write.

import type { SqlValue } from '../../sql/encode.ts'
import type { Query } from '../../sql/query.ts'
import { type SearchedTable, wordsOfRow } from '../../sql/search/searched-table.ts'
import type { WordStorage, WriteDialect } from '../../sql/write-dialect.ts'
import type { StoredRow } from './stored-row.ts'

/** A column beside those of the fields that the statement of the row sets. */
export interface ColumnBeside {
  column: string
  sql(place: string): string
  value: SqlValue
}

export class SearchAccess {
  readonly #columns: string[]
  readonly #storage: WordStorage
  readonly #save: string
  readonly #drop: string

  constructor(table: SearchedTable, dialect: WriteDialect) {
    this.#columns = table.columns.map(({ name }) => name)
    this.#storage = dialect.words(table)
    this.#save = this.#storage.kind === 'beside' ? dialect.text(this.#storage.save) : ''
    this.#drop = this.#storage.kind === 'beside' ? dialect.text(this.#storage.drop) : ''
  }

  /** Whether a change of these columns changes search words. */
  isTouched(changed: ReadonlyMap<string, SqlValue>): boolean {
    return this.#columns.some((column) => changed.has(column))
  }

  /** The columns that the row's statement sets too: all of them, or only the version mark. */
  inside(row: StoredRow, areTouched: boolean): ColumnBeside[] {
    const storage = this.#storage
    if (storage.kind === 'beside') return []
    const [words, worded] = storage.values(areTouched ? this.#wordsOf(row) : [], row.version)
    const mark = { ...storage.worded, value: worded }
    return areTouched ? [{ ...storage.words, value: words }, mark] : [mark]
  }

  /** The queries after the row's statement. */
  beside(row: StoredRow): Query[] {
    if (this.#storage.kind === 'inside') return []
    return [{ sql: this.#save, parameters: [row.id, ...this.#storage.values(this.#wordsOf(row))] }]
  }

  /** The queries before the row is deleted. */
  drop(id: string): Query[] {
    return this.#storage.kind === 'inside' ? [] : [{ sql: this.#drop, parameters: [id] }]
  }

  #wordsOf({ values }: StoredRow): string[][] {
    return wordsOfRow(this.#columns.map((column) => values.get(column) ?? null))
  }
}

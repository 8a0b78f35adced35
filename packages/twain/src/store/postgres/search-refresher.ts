// Fills search words that a node with another schema did not write. It polls an index of exactly these rows, which is
// usually empty.

import type { Log } from '#base'
import type { SearchedTable } from '../sql/search/searched-table.ts'
import { fillSearch, type RunSql } from './migrate/search-tables.ts'

const intervalMs = 5000

export class SearchRefresher {
  readonly #run: RunSql
  readonly #tables: readonly SearchedTable[]
  readonly #log: Log
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(run: RunSql, tables: readonly SearchedTable[], log: Log) {
    this.#run = run
    this.#tables = tables
    this.#log = log
    if (tables.length > 0) this.#schedule()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    if (!this.#isClosed) this.#timer = setTimeout(() => this.#refresh(), intervalMs).unref()
  }

  async #refresh(): Promise<void> {
    try {
      await fillSearch(this.#run, this.#tables)
    } catch (error) {
      // The database may be unreachable; the next run continues.
      if (!this.#isClosed)
        this.#log.warn({ 'exception.message': String(error) }, 'search words could not be updated; retrying')
    }
    this.#schedule()
  }
}

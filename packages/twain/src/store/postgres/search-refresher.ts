// Fills search words that a node with another schema did not write, within a second of its write. After changes, whichever
// node made them, it reads an index of exactly these rows, which is usually empty. Without the index, which a later schema
// may have dropped, it does nothing: nodes with that schema fill the words.

import type { Log } from '#base'
import { clearTimeout, setTimeout } from '#base/time'
import type { SearchedTable } from '../sql/search/searched-table.ts'
import { quoteName, quoteText } from '../tables/quote.ts'
import { fillSearch, type RunSql } from './migrate/search-tables.ts'

/** Between two runs; changes in between share one. */
const pauseMs = 250

/** Without any change: for rows whose words could not be filled before. */
const pollIntervalMs = 5000

interface SearchRefresherOptions {
  run: RunSql
  tables: readonly SearchedTable[]
  /** The index of outdated words, by table. */
  indexes: ReadonlyMap<string, string>
  log: Log
}

export class SearchRefresher {
  readonly #options: SearchRefresherOptions
  #timer: NodeJS.Timeout | undefined
  /** There were changes since the last run began. */
  #isDue = false
  #isRunning = false
  #isClosed = false

  constructor(options: SearchRefresherOptions) {
    this.#options = options
    this.#schedule()
  }

  /** There are changes. Cheap: many calls share a run. */
  wake(): void {
    if (this.#isDue) return
    this.#isDue = true
    if (!this.#isRunning) this.#schedule()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    if (this.#isClosed || this.#options.tables.length === 0) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#refresh(), this.#isDue ? pauseMs : pollIntervalMs).unref()
  }

  async #refresh(): Promise<void> {
    const { run, log } = this.#options
    this.#isRunning = true
    this.#isDue = false
    try {
      await fillSearch(run, await this.#indexedTables())
    } catch (error) {
      // The database may be unreachable; the next run continues.
      if (!this.#isClosed)
        log.warn({ 'exception.message': String(error) }, 'search words could not be updated; retrying')
    }
    this.#isRunning = false
    this.#schedule()
  }

  async #indexedTables(): Promise<SearchedTable[]> {
    const { run, tables, indexes } = this.#options
    const present = tables.map(({ table }) => `to_regclass(${quoteText(quoteName(indexes.get(table)!))}) IS NOT NULL`)
    const [row] = await run(`SELECT ${present.join(', ')}`, [])
    return tables.filter((_, index) => row![index] === true)
  }
}

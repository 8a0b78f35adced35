// Looks now and then whether a node that serves another contract has written rows that this one searches, and makes their
// words. There are none as a rule, and an index of just these says so.

import type { Log } from '#base'
import type { SearchedTable } from '../sql/searched-table.ts'
import { type Ask, fillWords } from './migrate/fill-search.ts'

const pause = 5000

export class WordKeeper {
  readonly #ask: Ask
  readonly #tables: readonly SearchedTable[]
  readonly #log: Log
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(ask: Ask, tables: readonly SearchedTable[], log: Log) {
    this.#ask = ask
    this.#tables = tables
    this.#log = log
    if (tables.length > 0) this.#wait()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #wait(): void {
    if (!this.#isClosed) this.#timer = setTimeout(() => this.#look(), pause).unref()
  }

  async #look(): Promise<void> {
    try {
      await fillWords(this.#ask, this.#tables)
    } catch (error) {
      // The database may be away; what is left waits for the next time.
      if (!this.#isClosed) this.#log.warn({ reason: String(error) }, 'words to be searched could not be made')
    }
    this.#wait()
  }
}

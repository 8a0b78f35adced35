// Keeps searches fast after many writes. Each commit leaves a small segment in the FTS5 tables, a search reads all segments, and
// FTS5 itself merges four of a level only. The merger leaves at most one of a level. It works in portions, between and together with
// other writes, so that none waits for more than one portion.

import type { Log } from '#base'
import type { Query, QueryRows } from '../../sql/query.ts'
import { searchedTables, wordsTable } from '../../sql/search/searched-table.ts'
import type { Layout } from '../../tables/layout.ts'
import { quoteName } from '../../tables/quote.ts'

/** The merger begins after so many commits. */
export const commitsBetweenMerges = 1000

/** Pages of 4 KB that a portion writes, which takes one or two milliseconds. */
const pagesOfPortion = 16

/** FTS5 counts at least two changed rows for a merge that did something. */
const minChanges = 2

const countChanges: Query = { sql: 'SELECT total_changes()', parameters: [] }

export class SearchMerger {
  readonly #tables: readonly string[]
  readonly #run: (...statements: Query[]) => Promise<QueryRows[]>
  readonly #log: Log
  #commits = 0
  #merging: Promise<void> | null = null
  #isStopped = false

  constructor(layout: Layout, run: (...statements: Query[]) => Promise<QueryRows[]>, log: Log) {
    this.#tables = searchedTables(layout).map(({ table }) => wordsTable(table))
    this.#run = run
    this.#log = log
  }

  /** Called after each commit of rows. */
  committed(): void {
    if (this.#tables.length === 0 || ++this.#commits < commitsBetweenMerges || this.#merging !== null) return
    this.#commits = 0
    this.#merging = this.#mergeAll().finally(() => {
      this.#merging = null
    })
  }

  /** Ends after the running portion. The next merge goes on where this one has ended. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#merging
  }

  async #mergeAll(): Promise<void> {
    try {
      for (const table of this.#tables) await this.#merge(table)
    } catch (error) {
      // Searches are right without it, and only slower.
      this.#log.warn({ 'exception.stacktrace': String((error as Error).stack) }, 'search words not merged')
    }
  }

  async #merge(table: string): Promise<void> {
    const words = quoteName(table)
    const twoOfALevel = `INSERT INTO ${words} (${words}, rank) SELECT 'usermerge', 2 WHERE NOT EXISTS (SELECT 1 FROM ${quoteName(`${table}_config`)} WHERE k = 'usermerge' AND v = 2)`
    const portion = `INSERT INTO ${words} (${words}, rank) VALUES ('merge', ${pagesOfPortion})`
    await this.#run({ sql: twoOfALevel, parameters: [] })
    for (let changes = minChanges; changes >= minChanges && !this.#isStopped; ) {
      const [before, , after] = await this.#run(countChanges, { sql: portion, parameters: [] }, countChanges)
      changes = countOf(after!) - countOf(before!)
    }
  }
}

function countOf(rows: QueryRows): number {
  return Number(rows[0]![0])
}

// What is kept of a table for word search: the columns that are searched, the numbers under which their words are kept, and
// how much of each. SQLite keeps the words in a table of their own beside it, PostgreSQL in the row itself.

import { type Resource, type StoredField, searchedFields } from '#model'
import { storedWords, wordRuleVersion } from '#plan/build'
import { columnOf, type Layout, tableOf } from '../tables/layout.ts'
import type { SqlValue } from './encode.ts'

export interface SearchedTable {
  table: string
  columns: { field: StoredField; name: string; words: number }[]
  /** What the words depend on beside the row: the rule, and which columns there are. */
  signature: string
}

/** Null: nothing of the type is searched. */
export function searchedTable(resource: Resource, layout: Layout): SearchedTable | null {
  const columns = searchedFields(resource).map((field) => {
    const { name, words } = columnOf(layout, field)
    return { field, name, words: words! }
  })
  if (columns.length === 0) return null
  const sign = `${wordRuleVersion}:${columns.map(({ words }) => words).join(',')}`
  return { table: tableOf(layout, resource).name, columns, signature: sign }
}

export function searchedTables(layout: Layout): SearchedTable[] {
  return [...layout.tables.keys()].map((resource) => searchedTable(resource, layout)).filter((table) => table !== null)
}

/** The words of each column, in their order. The columns of a row share what PostgreSQL can keep for it. */
export function wordsOfRow(values: readonly SqlValue[]): string[][] {
  const share = maxWordsBytes / values.length
  return values.map((value) => (typeof value === 'string' ? storedWords(value, share) : []))
}

/** A tsvector has 1,048,575. */
const maxWordsBytes = 1_000_000

/** On SQLite: the FTS5 table beside a table, whose name is no other's (FTS5 makes tables of its own: `…_words_data`). */
export function wordsTable(table: string): string {
  return `twain_${table}_words`
}

/** On PostgreSQL: the words of a row, and the version and sign that they were made for. */
export const wordsColumn = '_words'
export const wordedColumn = '_worded'

// What word search stores of a table: the searched columns, their search numbers, and how much of each. SQLite stores the
// words in an FTS5 table, PostgreSQL in the row itself.

import { type Resource, type StoredField, searchedFields } from '#model'
import { storedWords, wordRuleVersion } from '#plan/build'
import { columnOf, type Layout, tableOf } from '../../tables/layout.ts'
import type { SqlValue } from '../encode.ts'

export interface SearchedTable {
  table: string
  columns: { field: StoredField; name: string; words: number }[]
  /** What the words depend on besides the row: the version of the word rule, and the numbers of the searched columns. */
  signature: string
}

/** Null: no field of the type is searched. */
export function searchedTable(resource: Resource, layout: Layout): SearchedTable | null {
  const columns = searchedFields(resource).map((field) => {
    const { name, words } = columnOf(layout, field)
    return { field, name, words: words! }
  })
  if (columns.length === 0) return null
  const signature = `${wordRuleVersion}:${columns.map(({ words }) => words).join(',')}`
  return { table: tableOf(layout, resource).name, columns, signature }
}

export function searchedTables(layout: Layout): SearchedTable[] {
  return [...layout.tables.keys()].map((resource) => searchedTable(resource, layout)).filter((table) => table !== null)
}

/** The words of each column, in their order. The columns of a row share the bytes that PostgreSQL can store for it. */
export function wordsOfRow(values: readonly SqlValue[]): string[][] {
  const share = maxWordsBytes / values.length
  return values.map((value) => (typeof value === 'string' ? storedWords(value, share) : []))
}

/** A tsvector takes 1,048,575 bytes. */
const maxWordsBytes = 1_000_000

/** On SQLite: the FTS5 table of a table. No other table has its name (FTS5 creates more tables: `…_words_data`). */
export function wordsTable(table: string): string {
  return `twain_${table}_words`
}

/** On PostgreSQL: the words of a row, and the version and signature that they were made for. */
export const wordsColumn = '_words'
export const wordedColumn = '_worded'

// The words that are searched, on PostgreSQL: in the row itself, as a tsvector of our own words (no dictionary sees them), with
// the version of the row and the sign of the words that it was made for. A node that serves a contract without this search
// raises the version and leaves the rest: so it is known which words are old.

import type { SqlValue } from '../../sql/encode.ts'
import { lexeme } from '../../sql/search-query.ts'
import { type SearchedTable, wordedColumn, wordsColumn } from '../../sql/searched-table.ts'
import { quoteName, quoteText } from '../../tables/quote.ts'

/** The text of an array, of which PostgreSQL makes the tsvector. */
export function wordArray(words: readonly string[][], { columns }: SearchedTable): SqlValue {
  const all = words.flatMap((some, index) => some.map((word) => `"${lexeme(word, columns[index]!.words)}"`))
  return `{${all.join(',')}}`
}

export function searchVersion(version: number, { signature: sign }: SearchedTable): string {
  return `${version} ${sign}`
}

/** Of rows whose words are not those of their version. */
export function isOutdated({ signature: sign }: SearchedTable): string {
  return `${quoteName(wordedColumn)} IS DISTINCT FROM _version::text || ${quoteText(` ${sign}`)}`
}

export const searchColumns: readonly (readonly [column: string, type: string])[] = [
  [wordsColumn, 'tsvector'],
  [wordedColumn, 'text'],
]

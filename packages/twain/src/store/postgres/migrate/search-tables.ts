// The search words on PostgreSQL: a tsvector in the row itself (no dictionary changes the words), with the version of the
// row and the signature of the word rules. A node whose schema lacks this search raises the version and leaves the rest: so
// outdated words are found.

import type { SqlValue } from '../../sql/encode.ts'
import { lexeme } from '../../sql/search-query.ts'
import { type SearchedTable, wordedColumn, wordsColumn } from '../../sql/searched-table.ts'
import { quoteName, quoteText } from '../../tables/quote.ts'

/** The array literal from which PostgreSQL builds the tsvector. */
export function wordArray(words: readonly string[][], { columns }: SearchedTable): SqlValue {
  const all = words.flatMap((some, index) => some.map((word) => `"${lexeme(word, columns[index]!.words)}"`))
  return `{${all.join(',')}}`
}

export function searchVersion(version: number, { signature: sign }: SearchedTable): string {
  return `${version} ${sign}`
}

/** Condition for rows whose words are not those of their version. */
export function isOutdated({ signature: sign }: SearchedTable): string {
  return `${quoteName(wordedColumn)} IS DISTINCT FROM _version::text || ${quoteText(` ${sign}`)}`
}

export const searchColumns: readonly (readonly [column: string, type: string])[] = [
  [wordsColumn, 'tsvector'],
  [wordedColumn, 'text'],
]

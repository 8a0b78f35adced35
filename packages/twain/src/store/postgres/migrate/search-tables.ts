// The search words on PostgreSQL: a tsvector in the row itself (no dictionary changes the words), with the version of the
// row and the signature of the word rules. A node whose schema lacks this search raises the version and leaves the rest: so
// outdated words are found. Words of more columns than a node searches are not outdated for it: otherwise nodes with
// different schemas would replace each other's words for ever.
//
// Missing or outdated words are filled: of all rows when a field is first searched, and later of rows that a node with another
// schema wrote. This locks no rows: a row that changes meanwhile gets its words from that write, or is outdated again and
// comes next.

import type { SqlValue } from '../../sql/encode.ts'
import { lexeme } from '../../sql/search/search-query.ts'
import { type SearchedTable, wordedColumn, wordsColumn, wordsOfRow } from '../../sql/search/searched-table.ts'
import { quoteName, quoteText } from '../../tables/quote.ts'

/** The array literal from which PostgreSQL builds the tsvector. */
export function wordArray(words: readonly string[][], { columns }: SearchedTable): SqlValue {
  const all = words.flatMap((some, index) => some.map((word) => `"${lexeme(word, columns[index]!.words)}"`))
  return `{${all.join(',')}}`
}

export function searchVersion(version: number, { signature: sign }: SearchedTable): string {
  return `${version} ${sign}`
}

/** Condition for rows whose words are not those of their version, or not those of all searched columns. */
export function isOutdated({ signature: sign, columns }: SearchedTable): string {
  const worded = quoteName(wordedColumn)
  const numbers = quoteText(`{${columns.map(({ words }) => words).join(',')}}`)
  const rule = `split_part(split_part(${worded}, ' ', 2), ':', 1)`
  const covers = [
    `split_part(${worded}, ' ', 1) = _version::text`,
    `${rule}::integer >= ${Number.parseInt(sign, 10)}`,
    `string_to_array(split_part(${worded}, ':', 2), ',') @> ${numbers}::text[]`,
  ]
  return `(${worded} = _version::text || ${quoteText(` ${sign}`)} OR (${covers.join(' AND ')})) IS NOT TRUE`
}

/** The name of the index of outdated rows, which is usually empty. */
export function outdatedIndexName({ signature: sign }: SearchedTable): string {
  return `outdated words ${sign}`
}

export const searchColumns: readonly (readonly [column: string, type: string])[] = [
  [wordsColumn, 'tsvector'],
  [wordedColumn, 'text'],
]

/** Returns rows as arrays. */
export type RunSql = (sql: string, parameters: SqlValue[]) => Promise<readonly unknown[][]>

/** Bounds the time of a statement and of a node. */
const maxRowsPerStatement = 100

/** `onProgress` gets the number of finished rows of a table after each statement. */
export async function fillSearch(
  run: RunSql,
  tables: readonly SearchedTable[],
  onProgress: (table: string, rows: number) => void = () => {},
): Promise<void> {
  for (const table of tables) {
    let done = 0
    for (let last = 0; ; ) {
      const rows = await run(selectText(table), [last])
      if (rows.length === 0) break
      const made = rows.map(([n, version, ...values]) => ({
        n,
        version,
        words: wordArray(wordsOfRow(values as SqlValue[]), table),
      }))
      await run(updateText(table), [JSON.stringify(made)])
      last = Number(rows.at(-1)![0])
      done += rows.length
      onProgress(table.table, done)
    }
  }
}

function selectText({ table, columns, ...rest }: SearchedTable): string {
  const list = ['_n', '_version', ...columns.map((column) => quoteName(column.name))].join(', ')
  const old = isOutdated({ table, columns, ...rest })
  return `SELECT ${list} FROM ${quoteName(table)} WHERE ${old} AND _n > $1::bigint ORDER BY _n LIMIT ${maxRowsPerStatement}`
}

function updateText({ table, signature: sign }: SearchedTable): string {
  const sets = [
    `${quoteName(wordsColumn)} = array_to_tsvector(v.words::text[])`,
    `${quoteName(wordedColumn)} = v.version::text || ${quoteText(` ${sign}`)}`,
  ]
  return (
    `UPDATE ${quoteName(table)} AS t SET ${sets.join(', ')} ` +
    'FROM json_to_recordset($1::json) AS v(n bigint, version bigint, words text) WHERE t._n = v.n AND t._version = v.version'
  )
}

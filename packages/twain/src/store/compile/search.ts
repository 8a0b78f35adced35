// Word search → SQL. The index finds the rows that have all words in the fields that are searched. Where a field may be read
// on some rows only, each of these rows is asked once more, word by word, with its guards: a word that stands in nothing but
// what may not be read there is not found.

import type { SearchedField, Where } from '#plan'
import { searchedTable } from '../words/searched-table.ts'
import type { Row } from './row.ts'
import { and, type Statement } from './statement.ts'

type Compile = (guard: Where) => string

export function compileSearch(
  { slot, fields }: Where & { kind: 'search' },
  row: Row,
  statement: Statement,
  compile: Compile,
): string {
  const own = fields.filter(({ field }) => field.owner === row.resource)
  if (own.length === 0) return 'FALSE'
  const { dialect } = statement
  const groups = groupsOf(own, row)
  const found = dialect.found(
    row,
    statement.bind(slot, { kind: 'search', type: groups.map(({ columns }) => columns).join(',') }),
  )
  if (groups.every(({ guard }) => guard === undefined)) return found
  const queries = statement.bind(slot, { kind: 'searches', type: groups.map(({ columns }) => columns).join(';') })
  const word = statement.alias()
  const ways = groups.map(({ guard }, index) =>
    and([
      guard === undefined ? null : compile(guard),
      dialect.foundBy(row, `${word}.value ->> ${index}`, statement.alias()),
    ]),
  )
  const isThere = ways.map((way) => `(${way})`).join(' OR ')
  return `${found} AND NOT EXISTS (SELECT 1 FROM ${dialect.elements(queries, word)} WHERE (${isThere}) IS NOT TRUE)`
}

interface Group {
  guard: Where | undefined
  /** The numbers of their words. */
  columns: string
}

/** Fields under the same guard are asked together. */
function groupsOf(fields: readonly SearchedField[], row: Row): Group[] {
  const { columns } = searchedTable(row.resource, row.layout)!
  const numbers = new Map(columns.map(({ field, words }) => [field, words]))
  return [...Map.groupBy(fields, ({ guard }) => guard)].map(([guard, some]) => ({
    guard,
    columns: some.map(({ field }) => numbers.get(field)!).join(','),
  }))
}

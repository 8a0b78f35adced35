// Word search → SQL. The index finds the rows that have all words in the searched fields. If the viewer may read a field on
// some rows only, a row counts only if all words are in fields that the viewer may read on it. A match in some fields is also
// a match in more of them. So one subset of guards is enough that hold on the row and whose fields, with the unguarded ones,
// have all words. Each subset is one lookup in the index.

import type { SearchedField, Where } from '#plan'
import type { SqlRow } from '../sql-row.ts'
import { and, isNotTrue, joined, type StatementBuilder } from '../statement-builder.ts'
import { maxGuardsByChoice } from './search-query.ts'
import { searchedTable } from './searched-table.ts'

type SearchWhere = Where & { kind: 'search' }
type CompileGuard = (guard: Where) => string

export function compileSearch(
  where: SearchWhere,
  row: SqlRow,
  statement: StatementBuilder,
  compile: CompileGuard,
): string {
  const own = where.fields.filter(({ field }) => field.owner === row.resource)
  if (own.length === 0) return 'FALSE'
  const groups = groupsOf(own, row)
  const found = foundIn(groups)
  const guarded = groups.flatMap(({ guard }) => (guard === undefined ? [] : [guard]))
  if (guarded.length === 0) return found
  const isReadable = guarded.length > maxGuardsByChoice ? wordByWord() : byChoices()
  return `${found} AND ${isReadable}`

  function foundIn(some: readonly SearchGroup[]): string {
    const type = some.map(({ columns }) => columns).join(',')
    return statement.dialect.matchesSearch(row, statement.bind(where.parameter, { kind: 'search', type }))
  }

  function byChoices(): string {
    const ways = choices(groups.filter(({ guard }) => guard !== undefined)).flatMap((some) => {
      const readable = groups.filter((group) => group.guard === undefined || some.includes(group))
      if (readable.length === 0) return []
      const guards = some.map(({ guard }) => compile(guard!))
      return [and(readable.length === groups.length ? guards : [...guards, foundIn(readable)])]
    })
    return joined(
      ways.map((way) => `(${way})`),
      'OR',
    )
  }

  /** Many guards have too many subsets: the statement then checks each row once more, for each word. */
  function wordByWord(): string {
    const { dialect } = statement
    const type = groups.map(({ columns }) => columns).join(';')
    const queries = statement.bind(where.parameter, { kind: 'searches', type })
    const word = statement.alias()
    const ways = groups.map(({ guard }, index) => {
      const isThere = dialect.matchesQuery(row, `${word}.value ->> ${index}`, statement.alias())
      return `(${and([guard === undefined ? null : compile(guard), isThere])})`
    })
    return `NOT EXISTS (SELECT 1 FROM ${dialect.elements(queries, word)} WHERE ${isNotTrue(ways.join(' OR '))})`
  }
}

/** All subsets of these groups, the empty one included. */
function choices(groups: readonly SearchGroup[]): SearchGroup[][] {
  const all: SearchGroup[][] = [[]]
  for (const group of groups) all.push(...all.map((some) => [...some, group]))
  return all
}

interface SearchGroup {
  guard: Where | undefined
  /** The search numbers of the columns. */
  columns: string
}

/** Fields with the same guard form one group. */
function groupsOf(fields: readonly SearchedField[], row: SqlRow): SearchGroup[] {
  const { columns } = searchedTable(row.resource, row.layout)!
  const numbers = new Map(columns.map(({ field, words }) => [field, words]))
  return [...Map.groupBy(fields, ({ guard }) => guard)].map(([guard, some]) => ({
    guard,
    columns: some.map(({ field }) => numbers.get(field)!).join(','),
  }))
}

// The rows of a page with a search, where the database can't know how many rows have the words: PostgreSQL plans each statement
// once, for all words. So the statement itself looks, and has two sources. Up to `maxFewMatches` rows are collected by the word
// index, then filtered and sorted. Words of more rows are met soon: their rows are read in the order of the page.

import type { PageRead, Where } from '#plan'
import { tableOf } from '../../tables/layout.ts'
import { conjuncts, hasOrderIndex } from '../index-order.ts'
import type { PageScope } from '../page-scope.ts'
import { SqlRow } from '../sql-row.ts'
import { and, type StatementBuilder } from '../statement-builder.ts'
import { compileWhere, from } from '../where.ts'

type SearchWhere = Where & { kind: 'search' }

interface MatchedRows {
  from: string
  on: string
  /** What a SELECT from the source returns. */
  all(select: string): string
}

/** Where the statement finds the rows: one of the sources has none. Null: the page has no such search. `isInOrder`: the rows are read in
 *  the order of the page, until it is full. */
export function compileMatchedRows(
  read: PageRead,
  row: SqlRow,
  scope: PageScope | null,
  statement: StatementBuilder,
  isInOrder: boolean,
): MatchedRows[] | null {
  const search = searchOf(read, row, scope, statement)
  if (search === null) return null
  const { fence, maxFewMatches, subqueryAlias: unnamed } = statement.dialect
  const most = maxFewMatches!
  const few = statement.share(row.resource, () => {
    const found = new SqlRow(statement.alias(), row.resource, row.layout)
    const matches = compileWhere(search, found, statement)
    const rows = `SELECT ${found.alias}.* FROM ${from(found)} WHERE ${matches}${fence}`
    return `SELECT * FROM (${rows}) AS ${found.alias} LIMIT ${most + 1}`
  })
  const [count, all] = [statement.alias(), statement.alias()]
  const others = conjuncts(read.where)
    .filter((part) => part !== search)
    .map((part) => compileWhere(part, row, statement))
  const matches = compileWhere(search, row, statement)
  // The index of the words serves no `IS TRUE`.
  const checked = isInOrder && hasOrderIndex(read, row.resource) ? `(${matches}) IS TRUE` : matches
  return [
    {
      from: `${few} AS ${row.alias}`,
      on: and([`(SELECT count(*) FROM ${few}) <= ${most}`, ...others]),
      all: (select) => `SELECT * FROM (${select})${unnamed}`,
    },
    {
      from: from(row),
      on: and([`${count}.n > ${most}`, ...others, checked]),
      // For a SELECT that refers to a row beside it PostgreSQL starts no processes. They would take 5 ms, also where it finds nothing.
      all: (select) =>
        `SELECT ${all}.* FROM (SELECT count(*) AS n FROM ${few}) AS ${count} CROSS JOIN LATERAL (${select}${fence}) AS ${all}`,
    },
  ]
}

/** Null: the page has none, or other conditions find its rows. */
function searchOf(
  read: PageRead,
  { resource, layout }: SqlRow,
  scope: PageScope | null,
  { dialect }: StatementBuilder,
): SearchWhere | null {
  if (dialect.maxFewMatches === null || scope !== null || read.deleted !== undefined) return null
  if (tableOf(layout, resource).source !== undefined) return null
  return conjuncts(read.where).find((part): part is SearchWhere => part.kind === 'search') ?? null
}

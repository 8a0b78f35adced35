// The rows of a page with a search, where the database can't know how many rows have the words: PostgreSQL plans each statement
// once, for all words. So the statement itself looks, and has two sources. Up to `maxFewMatches` rows are collected by the word
// index, then filtered and sorted. Words of more rows are met soon: their rows are read in the order of the page.

import type { PageRead, Where } from '#plan'
import { tableOf } from '../../tables/layout.ts'
import { conjuncts, hasOrderIndex } from '../index-order.ts'
import type { PageScope } from '../rows.ts'
import type { SqlRow } from '../sql-row.ts'
import { and, type StatementBuilder } from '../statement-builder.ts'
import { compileWhere, from } from '../where.ts'

type SearchWhere = Where & { kind: 'search' }

interface MatchedRows {
  /** The clause before the SELECT that reads the sources. */
  with: string
  /** One of them has no rows. */
  sources: { from: string; on: string }[]
}

/** Null: the page has no such search. */
export function compileMatchedRows(
  read: PageRead,
  row: SqlRow,
  scope: PageScope | null,
  statement: StatementBuilder,
): MatchedRows | null {
  const search = searchOf(read, row, scope, statement)
  if (search === null) return null
  const { fence, maxFewMatches: most } = statement.dialect
  const few = statement.alias()
  const matches = compileWhere(search, row, statement)
  const found = `SELECT ${row.alias}.* FROM ${from(row)} WHERE ${matches}${fence}`
  const count = `(SELECT count(*) FROM ${few})`
  const others = conjuncts(read.where)
    .filter((part) => part !== search)
    .map((part) => compileWhere(part, row, statement))
  // The index of the words serves no `IS TRUE`.
  const checked = hasOrderIndex(read, row.resource) ? `(${matches}) IS TRUE` : matches
  return {
    with: `WITH ${few} AS MATERIALIZED (SELECT * FROM (${found}) AS ${row.alias} LIMIT ${most! + 1}) `,
    sources: [
      { from: `${few} AS ${row.alias}`, on: and([`${count} <= ${most}`, ...others]) },
      { from: from(row), on: and([`${count} > ${most}`, ...others, checked]) },
    ],
  }
}

/** Whether the database might read a whole table in search of some rows with the words. */
export function mightScanForWords(
  read: PageRead,
  row: SqlRow,
  scope: PageScope | null,
  statement: StatementBuilder,
): boolean {
  return searchOf(read, row, scope, statement) !== null
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

// Groups of rows → JSON.

import type { GroupRead } from '#plan'
import type { PageScope } from '../page-scope.ts'
import { compileSize } from '../rows.ts'
import type { SqlRow } from '../sql-row.ts'
import type { StatementBuilder } from '../statement-builder.ts'
import { GroupStatement } from './group-statement.ts'

/** An array of groups, or the object of the one group. */
export function compileGroups(
  read: GroupRead,
  scope: PageScope | null,
  near: SqlRow,
  statement: StatementBuilder,
): string {
  const groups = new GroupStatement(read, scope, near, statement)
  const alias = statement.alias()
  return groups.json(alias, () => `(${groups.page(0)}) AS ${alias}`)
}

interface RootGroups {
  /** What stands before the statement. */
  with: string
  json: string
  /** Whether groups follow the page. */
  more: string
  /** The number of groups; NULL if nobody asks for it. */
  total: string
}

/** The groups of a whole read. They are computed once, for the page and for what is said about it. */
export function compileRootGroups(
  read: GroupRead,
  scope: PageScope | null,
  near: SqlRow,
  more: boolean,
  statement: StatementBuilder,
): RootGroups {
  if (read.page === null || (!more && read.total !== true)) {
    return { with: '', json: compileGroups(read, scope, near, statement), more: '0', total: 'NULL' }
  }
  const groups = new GroupStatement(read, scope, near, statement)
  const table = statement.alias()
  const alias = statement.alias()
  const { limit } = compileSize(read.page, statement)
  const json = groups.json(alias, () => `(SELECT * FROM ${table} LIMIT ${limit}) AS ${alias}`)
  return {
    with: `WITH ${table} AS MATERIALIZED (${groups.page(1)}) `,
    json,
    more: `(SELECT count(*) FROM ${table}) > ${limit}`,
    total: read.total === true ? groups.total(table) : 'NULL',
  }
}

// A whole read → one statement. Its first column is the JSON text of the result.

import { unreachable } from '#base'
import type { AuthorizedPlan, Guard, PageRead, ReadPlan, RowLocator, RowRead, Selection } from '#plan'
import { keyWhere } from '#plan/build'
import type { Layout } from '../tables/layout.ts'
import type { Dialect } from './dialect.ts'
import { compileCount, compileMore } from './rows.ts'
import { compileMembers, compilePage } from './selection.ts'
import { SqlRow } from './sql-row.ts'
import { and, StatementBuilder, type StatementParameter } from './statement-builder.ts'
import { compileGuard, compileWhere, from } from './where.ts'

export interface CompiledRead {
  sql: string
  parameters: StatementParameter[]
}

/** Columns for one row: its text, its version, and its id if a key finds it. Columns for a page: its text, whether the owner exists, whether rows follow behind
 *  an offset page (only with `more`), the total of a list. */
export function compileRead(
  plan: AuthorizedPlan<ReadPlan>,
  layout: Layout,
  more: boolean,
  dialect: Dialect,
): CompiledRead {
  return compile(plan, layout, more, new StatementBuilder(dialect))
}

/** The index of the total of a list. */
export const totalColumn = 3

/** The same, with a filter that counts the rows it rejects (`sqlite/read/read-cost.ts`). */
export function compileCountedRead(
  plan: AuthorizedPlan<ReadPlan>,
  layout: Layout,
  more: boolean,
  dialect: Dialect,
): CompiledRead {
  return compile(plan, layout, more, new StatementBuilder(dialect, true))
}

function compile(plan: ReadPlan, layout: Layout, more: boolean, statement: StatementBuilder): CompiledRead {
  switch (plan.kind) {
    case 'one':
      return compileOne(plan, layout, statement)
    case 'many':
      return compilePageRead(plan, layout, more, statement)
    default:
      return unreachable(plan)
  }
}

function compileOne(read: RowRead, layout: Layout, statement: StatementBuilder): CompiledRead {
  const { of, key, guard, selections } = read
  const isRow = (row: SqlRow) => compileLocator(read, row, statement)
  const sql = selectOne(of, isRow, guard, selections, layout, statement, key !== undefined)
  return { sql, parameters: statement.parameters }
}

/** The condition that the row has the id or the key. */
function compileLocator({ id, key = [] }: RowLocator, row: SqlRow, statement: StatementBuilder): string {
  if (id !== null) return `${row.id} = ${statement.bind(id, { kind: 'plain' })}`
  return compileWhere(keyWhere(key), row, statement)
}

/** Reads the written row back, by its id in the first parameter. */
export function compileReadBack(
  of: RowRead['of'],
  selection: readonly Selection[],
  layout: Layout,
  dialect: Dialect,
): CompiledRead {
  const statement = new StatementBuilder(dialect)
  const isRow = (row: SqlRow) => `${row.id} = ${statement.id()}`
  const sql = selectOne(of, isRow, undefined, selection, layout, statement, false)
  return { sql, parameters: statement.parameters }
}

function selectOne(
  of: RowRead['of'],
  isRow: (row: SqlRow) => string,
  guard: Guard | undefined,
  selection: readonly Selection[],
  layout: Layout,
  statement: StatementBuilder,
  withId: boolean,
): string {
  const row = new SqlRow(statement.alias(), of, layout)
  const { dialect } = statement
  const object = dialect.resultText(dialect.object(compileMembers(selection, row, statement)))
  const conditions = and([isRow(row), compileGuard(guard, row, statement)])
  return `SELECT ${object}, ${row.version}${withId ? `, ${row.id}` : ''} FROM ${from(row)} WHERE ${conditions}`
}

function compilePageRead(read: PageRead, layout: Layout, more: boolean, statement: StatementBuilder): CompiledRead {
  const { within } = read
  const near = new SqlRow('', within === null ? firstResource(read) : within.field.owner, layout)
  const scope = within === null ? null : { field: within.field, id: ownerId(within, layout, statement) }
  const page = statement.dialect.resultText(compilePage(read, scope, near, statement))
  const columns = [page, found(), more ? compileMore(read, scope, near, statement) : '0', total()]
  return { sql: `SELECT ${columns.join(', ')}`, parameters: statement.parameters }

  function found(): string {
    if (scope === null) return '1'
    const owner = new SqlRow(statement.alias(), near.resource, layout)
    const conditions = and([`${owner.id} = ${scope.id}`, compileGuard(within?.guard, owner, statement)])
    return `EXISTS (SELECT 1 FROM ${from(owner)} WHERE ${conditions})`
  }
  function total(): string {
    const isCounted = read.shape.kind === 'list' && read.shape.total === true
    return isCounted ? compileCount(read, scope, near, statement) : 'NULL'
  }
}

/** The id of the row whose list is read: a parameter, or a subquery that runs once. */
function ownerId(within: NonNullable<PageRead['within']>, layout: Layout, statement: StatementBuilder): string {
  if (within.id !== null) return statement.bind(within.id, { kind: 'plain' })
  const owner = new SqlRow(statement.alias(), within.field.owner, layout)
  return `(SELECT ${owner.id} FROM ${from(owner)} WHERE ${compileLocator(within, owner, statement)})`
}

function firstResource({ of }: PageRead): RowRead['of'] {
  return of.kind === 'resource' ? of : of.members[0]!
}

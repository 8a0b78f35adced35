// A whole read → one statement. Its first column is the JSON text of the result.

import { unreachable } from '#base'
import type { AuthorizedPlan, GroupRead, Guard, PageRead, ReadPlan, RowLocator, RowRead, Selection } from '#plan'
import { keyWhere } from '#plan/build'
import { type Layout, tableOf } from '../tables/layout.ts'
import { quoteName } from '../tables/quote.ts'
import type { Dialect } from './dialect.ts'
import { compileRootGroups } from './groups/groups.ts'
import { compileCount, compileMore } from './page-counts.ts'
import type { PageScope } from './page-scope.ts'
import { compileResultConnection } from './result-connection.ts'
import { compileMembers, compilePage, compileResultList } from './selection.ts'
import { SqlRow } from './sql-row.ts'
import { and, StatementBuilder, type StatementParameter } from './statement-builder.ts'
import { compileGuard, compileWhere, from } from './where.ts'

export interface CompiledRead {
  sql: string
  parameters: StatementParameter[]
  /** Of a read back, unless it must be a statement of its own. */
  ofNewRow?: NewRowRead
  /** Of the check of a rule: statements that lock the rows which it reads, to run before it. */
  locks?: readonly CompiledRead[]
}

/** The rows that a statement creates, where it also reads them. No type has a table of this name. */
export const newRows = 'twain_new'

/** Reads what the same statement creates as `newRows`. */
export interface NewRowRead {
  /** The one row, with the parameters of the read back. */
  one: string
  /** All rows, each with its id at the end, without parameters. Null: there is no such text, because the read back has values of
   *  its own. */
  several: string | null
}

/** Columns for one row: its text, its version, and its id if a key finds it. Columns for a page: its text, whether the owner exists,
 *  whether rows follow behind an offset page (only with `more`), the total of a list. */
export function compileRead(
  plan: AuthorizedPlan<ReadPlan>,
  layout: Layout,
  more: boolean,
  dialect: Dialect,
): CompiledRead {
  return compile(plan, layout, more, new StatementBuilder(dialect))
}

/** The same for a page far behind its beginning: an index skips the rows before its offset, without a look at them. */
export function compileDeepRead(
  plan: AuthorizedPlan<ReadPlan>,
  layout: Layout,
  more: boolean,
  dialect: Dialect,
): CompiledRead {
  return compile(plan, layout, more, new StatementBuilder(dialect, false, plan.kind === 'many' ? plan : null))
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
    case 'groups':
      return compileGroupsRead(plan, layout, more, statement)
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
  const { parameters } = statement
  const one = dialect.readsNewRows ? ofNewRow(sql, of, layout) : null
  if (one === null) return { sql, parameters }
  if (parameters.length > 1) return { sql, parameters, ofNewRow: { one, several: null } }
  const all = selectOne(of, () => 'TRUE', undefined, selection, layout, new StatementBuilder(dialect), true)
  return { sql, parameters, ofNewRow: { one, several: ofNewRow(all, of, layout) } }
}

/** A statement does not see what it writes itself. So it must read the table of the row only as that row. (The names of system tables
 *  begin with `twain_`.) */
function ofNewRow(sql: string, of: RowRead['of'], layout: Layout): string | null {
  const { name, source } = tableOf(layout, of)
  const [before, after, ...others] = sql.split(quoteName(name))
  if (source !== undefined || after === undefined || others.length > 0 || sql.includes('twain_')) return null
  return before + newRows + after
}

/** The same for the rows of a JSON list of ids, each with its id. */
export function compileReadBacks(
  of: RowRead['of'],
  selection: readonly Selection[],
  layout: Layout,
  dialect: Dialect,
): CompiledRead {
  const statement = new StatementBuilder(dialect)
  const isRow = (row: SqlRow) => `${row.id} IN (SELECT value FROM ${dialect.texts(statement.id(), statement.alias())})`
  const sql = selectOne(of, isRow, undefined, selection, layout, statement, true)
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
  const { near, scope, found } = compileOwner(read, layout, statement)
  const { shape } = read
  if (shape.kind === 'connection') {
    const { dialect } = statement
    const { text, from } =
      compileResultConnection(read, shape.selections, scope, near, statement) ??
      dialect.resultPage(compilePage(read, scope, near, statement, dialect.ofResult))
    return selectPage([text, found(), more ? compileMore(read, scope, near, statement) : '0', 'NULL'], from, statement)
  }
  const list = compileResultList(read, shape.types, scope, near, statement, more)
  const total = shape.total === true ? compileCount(read, scope, near, statement, shape) : 'NULL'
  return selectPage([list.text, found(), list.more, total], list.from, statement)
}

function selectPage(columns: readonly string[], from: string, statement: StatementBuilder): CompiledRead {
  return { sql: `${statement.with}SELECT ${columns.join(', ')}${from}`, parameters: statement.parameters }
}

/** The same columns as for a page. */
function compileGroupsRead(read: GroupRead, layout: Layout, more: boolean, statement: StatementBuilder): CompiledRead {
  const { near, scope, found } = compileOwner(read, layout, statement)
  const groups = compileRootGroups(read, scope, near, more, statement)
  const text = statement.dialect.resultText(groups.json)
  const sql = `${groups.with}SELECT ${[text, found(), groups.more, groups.total].join(', ')}`
  return { sql, parameters: statement.parameters }
}

interface ReadOwner {
  near: SqlRow
  scope: PageScope | null
  /** Whether the row that has the list exists. */
  found: () => string
}

/** The row that has the list which is read. */
function compileOwner({ of, within }: PageRead | GroupRead, layout: Layout, statement: StatementBuilder): ReadOwner {
  const near = new SqlRow('', within === null ? firstResource(of) : within.field.owner, layout)
  if (within === null) return { near, scope: null, found: () => '1' }
  const scope = { field: within.field, id: ownerId(within, layout, statement) }
  return { near, scope, found }

  function found(): string {
    const owner = new SqlRow(statement.alias(), near.resource, layout)
    const conditions = and([`${owner.id} = ${scope.id}`, compileGuard(within!.guard, owner, statement)])
    return `EXISTS (SELECT 1 FROM ${from(owner)} WHERE ${conditions})`
  }
}

/** The id of the row whose list is read: a parameter, or a subquery that runs once. */
function ownerId(within: NonNullable<PageRead['within']>, layout: Layout, statement: StatementBuilder): string {
  if (within.id !== null) return statement.bind(within.id, { kind: 'plain' })
  const owner = new SqlRow(statement.alias(), within.field.owner, layout)
  return `(SELECT ${owner.id} FROM ${from(owner)} WHERE ${compileLocator(within, owner, statement)})`
}

function firstResource(of: PageRead['of']): RowRead['of'] {
  return of.kind === 'resource' ? of : of.members[0]!
}

// A rule → a statement that returns one row if a row passes the rule, and none if it does not. The writer runs it inside the
// write's transaction.
//
// The check of a row that is not written yet reads a virtual row: a SELECT of bound values replaces its table. The writer
// runs it before it writes anything. So a rule sees lists as they were before, and no row can grant access to itself.

import type { Resource, StoredType } from '#model'
import type { Guard } from '#plan'
import { type Layout, tableOf, withoutKeys } from '../tables/layout.ts'
import { quoteName } from '../tables/quote.ts'
import type { Dialect } from './dialect.ts'
import type { CompiledRead } from './read.ts'
import { SqlRow } from './sql-row.ts'
import { StatementBuilder } from './statement-builder.ts'
import { compileHiddenGuard, compileWhere, from } from './where.ts'

/** Whether the row with the parameter `id` exists and passes. */
export function compileRowCheck(guard: Guard, of: Resource, layout: Layout, dialect: Dialect): CompiledRead {
  const statement = new StatementBuilder(dialect)
  const row = new SqlRow(statement.alias(), of, layout)
  const condition = `${row.id} = ${statement.id()} AND ${compileWhere(guard, row, statement)}`
  return { sql: `SELECT 1 FROM ${from(row)} WHERE ${condition}`, parameters: statement.parameters }
}

/** Selects the ids of those rows of a JSON list, the parameter `id`, that exist and pass. */
export function compileRowsCheck(guard: Guard | null, of: Resource, layout: Layout, dialect: Dialect): CompiledRead {
  const statement = new StatementBuilder(dialect)
  const row = new SqlRow(statement.alias(), of, layout)
  const listed = `${row.id} IN (SELECT value FROM ${dialect.texts(statement.id(), statement.alias())})`
  const condition = guard === null ? '' : ` AND ${compileWhere(guard, row, statement)}`
  return { sql: `SELECT ${row.id} FROM ${from(row)} WHERE ${listed}${condition}`, parameters: statement.parameters }
}

/** Whether the row with the bound columns would pass. Only the columns that the rule reads are bound. */
export function compileVirtualRowCheck(guard: Guard, of: Resource, layout: Layout, dialect: Dialect): CompiledRead {
  const statement = new StatementBuilder(dialect)
  const row = new SqlRow(statement.alias(), of, withoutKeys(layout))
  return virtualCheck(row, compileWhere(guard, row, statement), statement)
}

/** Whether the hidden row with the bound columns passes. */
export function compileHiddenRowCheck(guard: Guard, of: Resource, layout: Layout, dialect: Dialect): CompiledRead {
  const statement = new StatementBuilder(dialect)
  const row = new SqlRow(statement.alias(), of, withoutKeys(layout))
  return virtualCheck(row, compileHiddenGuard(guard, row, statement), statement)
}

function virtualCheck(row: SqlRow, condition: string, statement: StatementBuilder): CompiledRead {
  const { resource: of, layout } = row
  const { dialect } = statement
  const types = storedTypes(of, layout)
  const columns = [...row.used].map((column) => {
    return `${dialect.virtual(statement.column(column), types.get(column) ?? null)} AS ${quoteName(column)}`
  })
  const virtual = `(SELECT ${columns.join(', ') || '1'}) AS ${row.alias}`
  return { sql: `SELECT 1 FROM ${virtual} WHERE ${condition}`, parameters: statement.parameters }
}

/** The types of the columns that hold values. All other columns hold ids or names of types; no rule reads a version. */
function storedTypes(of: Resource, layout: Layout): Map<string, StoredType> {
  const types = new Map<string, StoredType>()
  for (const [field, column] of tableOf(layout, of).columns) {
    if (field.kind === 'stored') types.set(column.name, field.type)
  }
  return types
}

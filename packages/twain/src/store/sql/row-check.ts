// A rule → a statement that says whether a row passes it: one row when it does, none when it does not. The writer runs them
// inside the write's own transaction.
//
// A row that is not written yet is judged as a virtual one, a SELECT of bound values in the place of its table, before
// anything is written: so a list that a rule looks into is read as it stood, and no row vouches for itself.

import type { Resource, StoredType } from '#model'
import type { Guard } from '#plan'
import { type Layout, tableOf } from '../tables/layout.ts'
import { quoteName } from '../tables/quote.ts'
import type { Dialect } from './dialect.ts'
import type { CompiledRead } from './read.ts'
import { SqlRow } from './sql-row.ts'
import { StatementBuilder } from './statement-builder.ts'
import { compileWhere, from } from './where.ts'

/** Whether the row with the parameter `id` is there and passes. */
export function compileRowCheck(guard: Guard, of: Resource, layout: Layout, dialect: Dialect): CompiledRead {
  const statement = new StatementBuilder(dialect)
  const row = new SqlRow(statement.alias(), of, layout)
  const condition = `${row.id} = ${statement.id()} AND ${compileWhere(guard, row, statement)}`
  return { sql: `SELECT 1 FROM ${from(row)} WHERE ${condition}`, parameters: statement.parameters }
}

/** Whether the row whose columns are the parameters of that kind would pass; only the columns that the rule looks at are. */
export function compileVirtualRowCheck(guard: Guard, of: Resource, layout: Layout, dialect: Dialect): CompiledRead {
  const statement = new StatementBuilder(dialect)
  const row = new SqlRow(statement.alias(), of, layout)
  const condition = compileWhere(guard, row, statement)
  const types = storedTypes(of, layout)
  const columns = [...row.used].map((column) => {
    return `${dialect.virtual(statement.column(column), types.get(column) ?? null)} AS ${quoteName(column)}`
  })
  const virtual = `(SELECT ${columns.join(', ') || '1'}) AS ${row.alias}`
  return { sql: `SELECT 1 FROM ${virtual} WHERE ${condition}`, parameters: statement.parameters }
}

/** Of the columns that hold values: all others hold ids, or names of types. No rule looks at a version. */
export function storedTypes(of: Resource, layout: Layout): Map<string, StoredType> {
  const types = new Map<string, StoredType>()
  for (const [field, column] of tableOf(layout, of).columns) {
    if (field.kind === 'stored') types.set(column.name, field.type)
  }
  return types
}

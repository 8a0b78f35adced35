// A rule → a statement that says whether a row passes it: one row when it does, none when it does not. The writer runs them
// inside the write's own transaction.
//
// A row that is not written yet is judged as a virtual one, a SELECT of bound values in the place of its table, before
// anything is written: so a list that a rule looks into is read as it stood, and no row vouches for itself.

import type { Resource } from '#model'
import type { Guard } from '#plan'
import { type Layout, tableOf } from '../layout.ts'
import { storageClass } from './encode.ts'
import type { CompiledRead } from './read.ts'
import { Row } from './row.ts'
import { name, Statement } from './statement.ts'
import { compileWhere, from } from './where.ts'

/** Whether the row with the parameter `id` is there and passes. */
export function compileCheck(guard: Guard, of: Resource, layout: Layout): CompiledRead {
  const statement = new Statement()
  const row = new Row(statement.alias(), of, layout)
  const condition = `${row.id} = ${statement.id()} AND ${compileWhere(guard, row, statement)}`
  return { sql: `SELECT 1 FROM ${from(row)} WHERE ${condition}`, parameters: statement.parameters }
}

/** Whether the row whose columns are the parameters of that kind would pass; only the columns that the rule looks at are. */
export function compileVirtual(guard: Guard, of: Resource, layout: Layout): CompiledRead {
  const statement = new Statement()
  const row = new Row(statement.alias(), of, layout)
  const condition = compileWhere(guard, row, statement)
  const classes = columnClasses(of, layout)
  const columns = [...row.used].map((column) => {
    // The CAST gives the value the affinity of the table's column, so that it compares as it will when it stands there.
    return `CAST(${statement.column(column)} AS ${classes.get(column)!}) AS ${name(column)}`
  })
  const virtual = `(SELECT ${columns.join(', ') || '1'}) AS ${row.alias}`
  return { sql: `SELECT 1 FROM ${virtual} WHERE ${condition}`, parameters: statement.parameters }
}

function columnClasses(of: Resource, layout: Layout): Map<string, string> {
  const classes = new Map([
    ['id', 'TEXT'],
    ['_version', 'INTEGER'],
  ])
  for (const [field, column] of tableOf(layout, of).columns) {
    classes.set(column.name, field.kind === 'reference' ? 'TEXT' : storageClass(field.type))
    if (column.type !== null) classes.set(column.type, 'TEXT')
  }
  return classes
}

// A compiled statement with what fills it, as far as it is known outside the write's own transaction.

import { unreachable } from '#base'
import type { Dialect } from './dialect.ts'
import type { SqlValue } from './encode.ts'
import type { CompiledRead } from './read.ts'
import type { StatementParameter } from './statement-builder.ts'

/** Plain data: it may cross a thread. */
export interface BoundRead {
  sql: string
  parameters: SqlValue[]
  /** Where the id of the written row goes. */
  idAt: number[]
  /** Where the columns of the row that is not yet written go. */
  columnsAt: { at: number; column: string }[]
}

/** `account` is the viewer's. */
export function bind(
  parameters: readonly StatementParameter[],
  values: readonly unknown[],
  account: string | null,
  dialect: Dialect,
): SqlValue[] {
  return parameters.map((parameter) => {
    switch (parameter.kind) {
      case 'value':
        return dialect.encode(values[parameter.index], parameter.encoding)
      case 'constant':
        return parameter.value
      case 'viewer':
        return account
      case 'id':
      case 'column':
      case 'list':
        return null
      default:
        return unreachable(parameter)
    }
  })
}

export function bindRead(
  { sql, parameters }: CompiledRead,
  values: readonly unknown[],
  account: string | null,
  dialect: Dialect,
): BoundRead {
  const idAt = parameters.flatMap(({ kind }, at) => (kind === 'id' ? [at] : []))
  const columnsAt = parameters.flatMap((one, at) => (one.kind === 'column' ? [{ at, column: one.column }] : []))
  return { sql, parameters: bind(parameters, values, account, dialect), idAt, columnsAt }
}

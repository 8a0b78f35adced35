// Binds the values of a compiled statement. The id and the columns of a row that a write creates are filled in later, inside
// its transaction.

import { unreachable } from '#base'
import type { Viewer } from '#base/http'
import { boundClaim } from '#plan'
import type { Dialect } from './dialect.ts'
import type { SqlValue } from './encode.ts'
import type { CompiledRead, NewRowRead } from './read.ts'
import type { StatementParameter } from './statement-builder.ts'

/** Plain data: SQLite's writer thread receives it. */
export interface BoundRead {
  sql: string
  parameters: SqlValue[]
  /** The indexes of the parameters that take the id of the written row. */
  idAt: number[]
  /** The indexes of the parameters that take columns of the row before it is written. */
  columnsAt: { at: number; column: string }[]
  /** As in `CompiledRead`. */
  ofNewRow?: NewRowRead
  locks?: readonly BoundRead[]
}

/** What a statement takes of the viewer. */
export type BoundViewer = Pick<Viewer, 'account' | 'claims'> & Partial<Pick<Viewer, 'token'>>

export function bind(
  parameters: readonly StatementParameter[],
  values: readonly unknown[],
  viewer: BoundViewer,
  dialect: Dialect,
): SqlValue[] {
  return parameters.map((parameter) => {
    switch (parameter.kind) {
      case 'value':
        return dialect.encode(values[parameter.index], parameter.encoding)
      case 'constant':
        return parameter.value
      case 'viewer':
        return viewer.account
      case 'token':
        return viewer.token ?? null
      case 'claim':
        return dialect.encode(boundClaim(parameter.value, viewer.claims), parameter.encoding)
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
  { sql, parameters, ofNewRow, locks }: CompiledRead,
  values: readonly unknown[],
  viewer: BoundViewer,
  dialect: Dialect,
): BoundRead {
  const idAt: number[] = []
  const columnsAt: BoundRead['columnsAt'] = []
  for (let at = 0; at < parameters.length; at++) {
    const one = parameters[at]!
    if (one.kind === 'id') idAt.push(at)
    if (one.kind === 'column') columnsAt.push({ at, column: one.column })
  }
  const bound: BoundRead = { sql, parameters: bind(parameters, values, viewer, dialect), idAt, columnsAt }
  if (ofNewRow !== undefined) bound.ofNewRow = ofNewRow
  if (locks !== undefined) bound.locks = locks.map((lock) => bindRead(lock, values, viewer, dialect))
  return bound
}

// Drives the logic of a write (`write/ask.ts`) on this connection: every list is asked at once, in a plain loop, and what
// may write is counted before it does.

import type { QueryRows } from '../../sql/query.ts'
import type { Step } from '../../write/steps/query-step.ts'
import type { SqliteStatements } from '../connect/connect.ts'

export function runStep<Result>(step: Step<Result>, statements: SqliteStatements, writes: { count: number }): Result {
  let turn = step.next()
  while (turn.done !== true) {
    let rows: QueryRows[]
    try {
      rows = turn.value.map(({ sql, parameters }) => {
        if (!sql.startsWith('SELECT')) writes.count++
        return statements.get(sql).all(...parameters) as unknown as QueryRows
      })
    } catch (error) {
      turn = step.throw(error)
      continue
    }
    turn = step.next(rows)
  }
  return turn.value
}

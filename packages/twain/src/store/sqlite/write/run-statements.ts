// Statements on our own tables, in the writer's transaction: they share its commits, and wait for no lock.

import type { Rows } from '../../write/ask.ts'
import type { Done, StatementsJob } from '../../write/job.ts'
import type { Statements } from '../connection.ts'

export function runStatements({ run }: StatementsJob, statements: Statements): Done {
  const done: Done = { kind: 'done', changes: [], rows: [] }
  for (const { sql, parameters } of run) {
    const statement = statements.get(sql)
    const returns = statement.columns().length > 0
    const rows = returns ? (statement.all(...parameters) as unknown as Rows) : []
    done.rows.push(rows)
    done.changes.push(returns ? rows.length : Number(statement.run(...parameters).changes))
  }
  return done
}

// Statements on our own tables, in the writer's transaction: they share its commits, and wait for no lock.

import type { QueryRows } from '../../sql/query.ts'
import type { StatementsJob } from '../../write/steps/write-job.ts'
import type { SqliteStatements } from '../connect/connect.ts'

export function runStatements({ statements: run }: StatementsJob, statements: SqliteStatements): QueryRows[] {
  return run.map(({ sql, parameters }) => statements.get(sql).all(...parameters) as unknown as QueryRows)
}

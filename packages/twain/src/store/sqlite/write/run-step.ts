// Runs the steps of a write, and plain statements, on the writer's connection. SQLite answers at once, so this is a plain loop.

import type { StatementSync } from 'node:sqlite'
import { monotonicTime } from '#base/time'
import type { SqlValue } from '../../sql/encode.ts'
import type { QueryRows } from '../../sql/query.ts'
import type { Step } from '../../write/steps/query-step.ts'
import type { StatementsJob } from '../../write/steps/write-job.ts'
import type { SqliteStatements } from '../connect/connect.ts'
import { clearFunctionError, requireNoFunctionError } from '../connect/function-error.ts'

/** Reports slow statements, and those of recorded requests. */
export class StatementTimer {
  readonly #slowMs: number
  readonly #report: (sql: string, milliseconds: number) => void
  /** Of the running job; undefined: it is not recorded. */
  recording: number | undefined

  constructor(slowMs: number, report: (sql: string, milliseconds: number) => void) {
    this.#slowMs = slowMs
    this.#report = report
  }

  time<T>(sql: string, run: () => T): T {
    const began = monotonicTime()
    try {
      return run()
    } finally {
      const milliseconds = monotonicTime() - began
      if (milliseconds >= this.#slowMs || this.recording !== undefined) this.#report(sql, milliseconds)
    }
  }
}

const untimed = new StatementTimer(Number.POSITIVE_INFINITY, () => {})

/** Counts in `writes` each statement that may write, before it runs. */
export function runStep<Result>(
  step: Step<Result>,
  statements: SqliteStatements,
  writes: { count: number },
  timer: StatementTimer = untimed,
): Result {
  let turn = step.next()
  while (turn.done !== true) {
    let rows: QueryRows[]
    try {
      rows = turn.value.map(({ sql, parameters }) => {
        if (!sql.startsWith('SELECT')) writes.count++
        return timer.time(sql, () => rowsOf(statements.get(sql), parameters))
      })
    } catch (error) {
      turn = step.throw(error)
      continue
    }
    turn = step.next(rows)
  }
  return turn.value
}

/** Statements on the system tables, in the writer's transaction. They share its commits and wait for no lock. */
export function runStatements(
  job: StatementsJob,
  statements: SqliteStatements,
  timer: StatementTimer = untimed,
): QueryRows[] {
  return job.statements.map(({ sql, parameters }) => timer.time(sql, () => rowsOf(statements.get(sql), parameters)))
}

function rowsOf(statement: StatementSync, parameters: readonly SqlValue[]): QueryRows {
  clearFunctionError()
  const rows = statement.all(...parameters)
  if (rows.length === 0) requireNoFunctionError()
  return rows as unknown as QueryRows
}

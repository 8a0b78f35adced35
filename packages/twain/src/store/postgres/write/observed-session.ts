// A session whose round trips are observed: each is a span, and one line of the slow-query log if it is slow. Statements that
// are sent together are observed together, since the server answers them together.

import { monotonicTime } from '#base/time'
import type { StatementObserver } from '../../observe/statement-observer.ts'
import type { Query, QueryRows } from '../../sql/query.ts'
import type { SentTransaction } from './shared-commits.ts'
import type { ServerProcess } from './write-session.ts'

/** What a transaction needs of a session. */
export interface TransactionSession {
  readonly process: ServerProcess | null
  /** `isWhole`: they are a transaction from BEGIN to COMMIT. */
  query(queries: readonly Query[], received: QueryRows[], isWhole?: boolean): Promise<void>
  rollBack(): void
}

export function observedSession(
  session: TransactionSession,
  observer: StatementObserver,
  subject: string,
): TransactionSession {
  const { recording } = observer
  return {
    get process() {
      return session.process
    },
    rollBack: () => session.rollBack(),
    async query(queries, received) {
      const began = monotonicTime()
      try {
        if (observer.tracing === null) await session.query(queries, received)
        else await traced(queries, received)
      } finally {
        const milliseconds = monotonicTime() - began
        recording?.add(subject, textOf(queries), milliseconds)
        if (milliseconds >= observer.slowMs) observer.took(milliseconds, textOf(queries), subject)
      }
    },
  }

  function traced(queries: readonly Query[], received: QueryRows[]): Promise<void> {
    const statements = queries.map(({ sql }) => sql)
    const isCommit = statements.at(-1) === 'COMMIT'
    return observer.tracedBatch(statements, isCommit, () => session.query(queries, received))
  }
}

/** Observes a write whose round trip may be that of several writes. Only the first of them reports it if it was slow, with the
 *  statements of all: nobody knows which took long. */
export function observeSent(observer: StatementObserver, subject: string, queries: readonly Query[]) {
  const { recording } = observer
  let began = 0
  let sent: SentTransaction | null = null
  return {
    /** The last one counts. */
    begin(next: SentTransaction): void {
      began = monotonicTime()
      sent = next
    },
    end(error?: unknown): void {
      if (sent === null) return
      const milliseconds = monotonicTime() - began
      recording?.add(subject, textOf(queries), milliseconds)
      if (observer.tracing !== null) {
        const times = { began: performance.timeOrigin + began, ended: performance.timeOrigin + began + milliseconds }
        observer.committed(times, queries.length, { sql: textOf(queries), error })
      }
      if (sent.isFirst && milliseconds >= observer.slowMs) {
        const shape = sent.writes === 1 ? subject : `${subject}, and ${sent.writes - 1} more in one transaction`
        observer.took(milliseconds, distinctText(sent.queries), shape)
      }
    },
  }
}

/** Writes of one shape have the same statements. */
function distinctText(queries: readonly Query[]): string {
  return [...new Set(queries.map(({ sql }) => sql))].join(';\n')
}

function textOf(queries: readonly Query[]): string {
  return queries.map(({ sql }) => sql).join(';\n')
}

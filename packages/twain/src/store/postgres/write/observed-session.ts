// A session whose round trips are observed: each is a span, and one line of the slow-query log if it is slow. Statements that
// are sent together are observed together, since the server answers them together.

import type { StatementObserver } from '../../observe/statement-observer.ts'
import type { Query, QueryRows } from '../../sql/query.ts'
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
    async query(queries, received, isWhole) {
      const began = performance.now()
      try {
        if (observer.tracing === null) await session.query(queries, received, isWhole)
        else await traced(queries, received, isWhole)
      } finally {
        const milliseconds = performance.now() - began
        recording?.add(subject, textOf(queries), milliseconds)
        if (milliseconds >= observer.slowMs) observer.took(milliseconds, textOf(queries), subject)
      }
    },
  }

  function traced(queries: readonly Query[], received: QueryRows[], isWhole?: boolean): Promise<void> {
    const statements = queries.map(({ sql }) => sql)
    const isCommit = statements.at(-1) === 'COMMIT'
    return observer.tracedBatch(statements, isCommit, () => session.query(queries, received, isWhole))
  }
}

function textOf(queries: readonly Query[]): string {
  return queries.map(({ sql }) => sql).join(';\n')
}

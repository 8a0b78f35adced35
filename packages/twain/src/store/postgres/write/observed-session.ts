// A session whose round trips are observed: each is a span, and one line of the slow-query log if it is slow. Statements that
// are sent together are observed together, since the server answers them together.

import type { StatementObserver } from '../../observe/statement-observer.ts'
import type { Query, QueryRows } from '../../sql/query.ts'
import type { WriteSession } from './write-session.ts'

/** What a transaction needs of a session. */
export type TransactionSession = Pick<WriteSession, 'query' | 'rollBack' | 'process'>

export function observedSession(
  session: WriteSession,
  observer: StatementObserver,
  subject: string,
): TransactionSession {
  return {
    get process() {
      return session.process
    },
    rollBack: () => session.rollBack(),
    async query(queries, received) {
      const began = performance.now()
      try {
        if (observer.tracing === null) await session.query(queries, received)
        else await traced(queries, received)
      } finally {
        const milliseconds = performance.now() - began
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

function textOf(queries: readonly Query[]): string {
  return queries.map(({ sql }) => sql).join(';\n')
}

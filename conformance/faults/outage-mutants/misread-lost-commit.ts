// A node that mistakes a connection that was lost at COMMIT for another error.

import { connectionLost, WriteSession } from '../../../packages/twain/src/store/postgres/write/write-session.ts'

/** `code`: that of the other error of PostgreSQL. */
export function misreadLostCommitAs(code: string): void {
  const ask = WriteSession.prototype.query
  WriteSession.prototype.query = async function asked(queries, received) {
    try {
      await ask.call(this, queries, received)
    } catch (error) {
      const isDoubtful = queries.at(-1)?.sql === 'COMMIT' && (error as { code?: string }).code === connectionLost
      throw isDoubtful ? Object.assign(new Error('the connection was lost'), { code }) : error
    }
  }
}

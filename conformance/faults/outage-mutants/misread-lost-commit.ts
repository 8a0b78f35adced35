// A node that mistakes a connection that was lost at COMMIT for another error.

import { connectionLost, WriteSession } from '../../../packages/twain/src/store/postgres/write/write-session.ts'

/** `code`: that of the other error of PostgreSQL. */
export function misreadLostCommitAs(code: string): void {
  const send = WriteSession.prototype.query
  WriteSession.prototype.query = async function misread(queries, received) {
    try {
      await send.call(this, queries, received)
    } catch (error) {
      const isUnknown = queries.at(-1)?.sql === 'COMMIT' && (error as { code?: string }).code === connectionLost
      throw isUnknown ? Object.assign(new Error('the connection was lost'), { code }) : error
    }
  }
}

// Reserves one connection for its whole lifetime: for a session lock or one long transaction. After it is lost nothing is
// sent on it: the driver would write to a closed socket, which throws where nobody can catch it or never answers.

import type { ReservedSql } from 'postgres'
import { connect, connectTimeoutSeconds } from './connect.ts'
import { withConnectTimeout } from './connect-timeout.ts'

export interface ReservedSession {
  session: ReservedSql
  /** Rolls back what is not committed and releases the locks. */
  close(): Promise<void>
}

/** Runs `first` before anything else and passes its row to `expect`. Rejects with the error of the driver or of `expect`. */
export async function reserveSession(
  address: string,
  first: string,
  expect: (row: Record<string, unknown> | undefined) => void = () => {},
): Promise<ReservedSession> {
  let isLost = false
  const database = connect(address, { size: 1, time: 0 }, () => {
    isLost = true
  })
  const close = () => database.end({ timeout: 0 })
  try {
    // The driver reserves no session before it has a connection.
    const [row] = await withConnectTimeout(database.unsafe(first), connectTimeoutSeconds(0))
    expect(row)
    const session = new Proxy(await database.reserve(), {
      get(target, member) {
        if (isLost && member === 'unsafe') throw connectionLost()
        return Reflect.get(target, member)
      },
    })
    return { session, close }
  } catch (error) {
    await close()
    throw error
  }
}

function connectionLost(): Error {
  return Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' })
}

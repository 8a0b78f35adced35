// One connection that is held from its beginning to its end, for what must not go on on another: a lock that is the session's,
// or one long transaction. Once it is lost nothing is asked of it any more: the driver would write to a socket that is not
// there, which either throws where nobody can catch it or is never answered.

import type { ReservedSql } from 'postgres'
import { connect } from './connect.ts'

export interface ReservedSession {
  session: ReservedSql
  /** Whatever is not committed is undone, and what is locked is free. */
  close(): Promise<void>
}

/** `first` is asked on it before anything else; its row is given to `expect`. Rejects with what the driver or `expect` says. */
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
    // The driver gives no session out before it has a connection.
    const [row] = await database.unsafe(first)
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

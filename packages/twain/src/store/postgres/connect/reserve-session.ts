// Opens a session for a session lock or one long transaction, and checks its server first.

import type { Client } from './driver.ts'
import { query } from './queries.ts'
import { Session } from './session.ts'

/** Runs `first` before anything else and passes its row to `expect`. Rejects with the error of the driver or of `expect`. */
export function reserveSession(
  address: string,
  first: string,
  expect: (row: Record<string, unknown> | undefined) => void = () => {},
  signal?: AbortSignal,
): Promise<Session> {
  const onOpen = async (client: Client) => {
    const [row] = await query(client, first)
    expect(row)
  }
  return Session.open({ address, time: 0, onOpen, ...(signal === undefined ? {} : { signal }) })
}

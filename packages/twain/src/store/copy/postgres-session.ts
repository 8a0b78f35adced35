// One connection to PostgreSQL for an end of a copy, in one transaction: were it lost, so would all be that was done on it.

import type { ReservedSql } from 'postgres'
import { connect, placeOf } from '../postgres/connect.ts'
import { toRefusal } from '../postgres/database-faults.ts'
import { StartRefused } from '../start-refused.ts'

export interface PostgresSession {
  place: string
  session: ReservedSql
  /** Whatever is not committed is undone. */
  close(): Promise<void>
}

export async function beginOn(address: string, begin: string): Promise<PostgresSession> {
  const place = placeOf(address)
  const database = connect(address, { size: 1, time: 0 })
  const close = () => database.end({ timeout: 0 })
  try {
    // The driver gives no session out before it has a connection.
    const [row] = await database.unsafe('SELECT current_schema() AS schema')
    if (row?.schema === null) throw new StartRefused(`The schema of search_path is not there in ${place}.`)
    const session = await database.reserve()
    await session.unsafe(begin)
    return { place, session, close }
  } catch (error) {
    await close()
    throw toRefusal(error, place)
  }
}

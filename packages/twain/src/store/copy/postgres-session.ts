// One connection to PostgreSQL for one end of a copy, in one transaction. If the connection is lost, the copy fails.

import { describeAddress } from '../postgres/connect/connect.ts'
import { toStartRefused } from '../postgres/connect/database-errors.ts'
import { reserveSession } from '../postgres/connect/reserve-session.ts'
import type { Session } from '../postgres/connect/session.ts'
import { StartRefused } from '../tables/start-refused.ts'

export interface PostgresSession {
  place: string
  session: Session
}

export async function beginOn(address: string, begin: string): Promise<PostgresSession> {
  const place = describeAddress(address)
  try {
    const session = await reserveSession(address, 'SELECT current_schema() AS schema', (row) => {
      if (row?.schema === null) throw new StartRefused(`The schema of search_path is not there in ${place}.`)
    })
    try {
      await session.query(begin)
    } catch (error) {
      await session.close()
      throw error
    }
    return { place, session }
  } catch (error) {
    throw toStartRefused(error, place)
  }
}

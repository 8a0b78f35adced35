// One connection to PostgreSQL for one end of a copy, in one transaction. If the connection is lost, the copy fails.

import { describeAddress } from '../postgres/connect/connect.ts'
import { toStartRefused } from '../postgres/connect/database-errors.ts'
import { type ReservedSession, reserveSession } from '../postgres/connect/reserve-session.ts'
import { StartRefused } from '../tables/start-refused.ts'

export interface PostgresSession extends ReservedSession {
  place: string
}

export async function beginOn(address: string, begin: string): Promise<PostgresSession> {
  const place = describeAddress(address)
  try {
    const reserved = await reserveSession(address, 'SELECT current_schema() AS schema', (row) => {
      if (row?.schema === null) throw new StartRefused(`The schema of search_path is not there in ${place}.`)
    })
    try {
      await reserved.session.unsafe(begin)
    } catch (error) {
      await reserved.close()
      throw error
    }
    return { place, ...reserved }
  } catch (error) {
    throw toStartRefused(error, place)
  }
}

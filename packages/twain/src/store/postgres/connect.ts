// Connections to PostgreSQL. What an address may say beside host and database (`sslmode`, `options`, `application_name`…)
// is the driver's; what we need of a session is set here, whoever configured the server.

import postgres, { type Sql } from 'postgres'
import { StartRefused } from '../start-refused.ts'

export type Database = Sql

export interface Pool {
  /** How many connections at most. */
  size: number
  /** Seconds that a statement may take; 0 is no limit. */
  time: number
}

/** Opens nothing yet: connections are made when they are needed. `lost` is called when one has ended. */
export function connect(address: string, { size, time }: Pool, lost: () => void = () => {}): Database {
  try {
    return postgres(address, {
      max: size,
      ...oneAtATime,
      connect_timeout: 5,
      // As long as the database is away: soon enough to be back five seconds after it.
      backoff: () => 0.25,
      fetch_types: false,
      types,
      connection: {
        application_name: 'twain',
        statement_timeout: time * 1000,
        TimeZone: 'UTC',
        default_transaction_isolation: 'read committed',
        // A plan is made once for a statement and a connection, whatever is bound. Left to itself the server would make one
        // for every page, since it takes an unknown LIMIT for a tenth of the table (400 of 1,500 µs, measured).
        plan_cache_mode: 'force_generic_plan',
        // So that this tenth, too, is read by an index that gives it in its order, and not sorted.
        random_page_cost: 1.1,
        // Compiling a statement takes longer than running any of ours.
        jit: false,
      },
      onnotice() {},
      onclose: lost,
    })
  } catch (error) {
    // Its message may hold the address, and that a password.
    throw new StartRefused(`The address of the database can't be understood (${(error as { code?: string }).code}).`)
  }
}

/** A statement behind a long one on the same connection would wait for it. (The driver's types do not know the option.) */
const oneAtATime = { max_pipeline: 1 }

/** Values go to the server as the text that they are, and come back so, but for numbers and booleans: the driver would
 *  stringify JSON that is text already. */
const asText = (oid: number, parse: (text: string) => unknown = String): postgres.PostgresType => ({
  to: oid,
  from: [oid],
  serialize: String,
  parse,
})

const types = {
  bool: asText(16, (text) => text === 't'),
  bigint: asText(20, Number),
  json: asText(114),
  date: asText(1082),
  timestamptz: asText(1184),
}

/** Host and database, for sentences and logs: never a name or a password. */
export function placeOf(address: string): string {
  try {
    const { host, pathname } = new URL(address)
    return `postgres://${host}${pathname}`
  } catch {
    return 'postgres://'
  }
}

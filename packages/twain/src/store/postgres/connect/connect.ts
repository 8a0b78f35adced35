// Connections to PostgreSQL. What an address may say beside host and database (`sslmode`, `options`, `application_name`…)
// is the driver's; what we need of a session is set here, whoever configured the server.

import { isIP, type Socket } from 'node:net'
import postgres, { type Sql } from 'postgres'
import { StartRefused } from '../../tables/start-refused.ts'
import { type ServerAddresses, serverAddresses, withoutServers } from './server-addresses.ts'

export { describeAddress } from './place.ts'

export type Database = Sql

/** What the driver has understood. */
export type DriverOptions = Database['options']

export interface PoolOptions {
  /** How many connections at most. */
  size: number
  /** Seconds that a statement may take; 0 is no limit. */
  time: number
}

/** What we set that a pooler does not keep by itself: it must be told to let them pass. */
export const sessionParameters = [
  'search_path',
  'statement_timeout',
  'idle_in_transaction_session_timeout',
  'default_transaction_isolation',
  'bytea_output',
  'extra_float_digits',
  'plan_cache_mode',
  'random_page_cost',
  'jit',
]

/** Opens nothing yet: connections are made when they are needed. `lost` is called when one has ended. */
export function connect(address: string, { size, time }: PoolOptions, lost: () => void = () => {}): Database {
  return createDriver(address, { max: size, types: typesOf(true), ...oneAtATime, onclose: lost }, time)
}

/** One connection, for writes: what is asked together is sent together. Once `onclose` was called, nothing may be asked of it. */
export function connectOne(address: string, time: number, onclose: () => void): Database {
  return createDriver(address, { max: 1, types: typesOf(1), ...pipelined, onclose }, time, {
    // It is never idle for long by itself: were we gone without a word, its locks would stay.
    idle_in_transaction_session_timeout: 2000,
  })
}

/** What the address says, for each of its servers. */
export function driverOptions(address: string, time: number): DriverOptions[] {
  const { options } = connect(address, { size: 1, time })
  if (options.path) return [options]
  return options.host.map((host, at) => ({ ...options, host: [host], port: [options.port[at]!] }))
}

/** One session with such a server, over a socket that `dial` makes. */
export function connectThrough(
  address: string,
  time: number,
  at: DriverOptions,
  dial: () => Promise<Socket>,
): Database {
  // Of several the driver would try the next by itself, and say nothing where there is none.
  const one: ServerAddresses = { host: at.host, port: at.port }
  const over = { ...(one as object), socket: dial, ssl: false, max_lifetime: null }
  return createDriver(address, { max: 1, ...over }, time)
}

type PostgresJsOptions = NonNullable<Parameters<typeof postgres>[1]>

function createDriver(
  address: string,
  options: PostgresJsOptions,
  time: number,
  settings: PostgresJsOptions['connection'] = {},
): Database {
  try {
    const database = postgres(withoutServers(address), {
      ...(serverAddresses(address) as object), // the driver's types do not know lists
      ...verifiedHost(address),
      ...options,
      connect_timeout: time === 0 ? 5 : Math.min(5, time),
      // As long as the database is away: soon enough to be back five seconds after it.
      backoff: () => 0.25,
      fetch_types: false,
      connection: {
        application_name: 'twain',
        ...settings,
        statement_timeout: time * 1000,
        TimeZone: 'UTC',
        default_transaction_isolation: 'read committed',
        // Bytes and numbers come as texts; these have all that is in them.
        bytea_output: 'hex',
        extra_float_digits: 1,
        // A plan is made once for a statement and a connection, whatever is bound. Left to itself the server would make one
        // for every page, since it takes an unknown LIMIT for a tenth of the table (400 of 1,500 µs, measured).
        plan_cache_mode: 'force_generic_plan',
        // So that this tenth, too, is read by an index that gives it in its order, and not sorted.
        random_page_cost: 1.1,
        // Compiling a statement takes longer than running any of ours.
        jit: false,
      },
      onnotice() {},
    })
    dropQueryOrigins(database)
    return database
  } catch (error) {
    // Its message may hold the address, and that a password.
    const { code, name } = error as { code?: string; name: string }
    throw new StartRefused(`The address of the database can't be understood (${code ?? name}).`)
  }
}

/** Of each query that fails the driver would keep where it was made, under a key of its own, for as long as the process lives. */
function dropQueryOrigins(database: Database): void {
  const anyQuery: unknown = Object.getPrototypeOf(database.unsafe(''))
  Object.defineProperty(anyQuery, 'origin', { value: '', configurable: true })
}

/** Where a host is told by its number the driver would look for the name `localhost` in the certificate. */
function verifiedHost(address: string): Pick<PostgresJsOptions, 'ssl'> {
  const { hostname, searchParams } = new URL(address)
  const host = hostname.replaceAll(/[[\]]/g, '')
  const isVerified = [searchParams.get('sslmode'), searchParams.get('ssl')].includes('verify-full')
  return isVerified && isIP(host) !== 0 ? { ssl: { host } } : {}
}

/** A statement behind a long one on the same connection would wait for it. (The driver's types do not know the option.) */
const oneAtATime = { max_pipeline: 1 }
const pipelined = { max_pipeline: Number.POSITIVE_INFINITY }

/** Values go to the server as the text that they are, and come back so, but for numbers and booleans: the driver would
 *  stringify JSON that is text already. */
const asText = (oid: number, parse: (text: string) => unknown = String): postgres.PostgresType => ({
  to: oid,
  from: [oid],
  serialize: String,
  parse,
})

/** Writes take a truth for 1, as SQLite keeps it: so a row in the change log is the same on both. */
function typesOf(truth: true | 1): Record<string, postgres.PostgresType> {
  const lie = truth === true ? false : 0
  return {
    bool: asText(16, (text) => (text === 't' ? truth : lie)),
    bigint: asText(20, Number),
    json: asText(114),
    date: asText(1082),
    timestamptz: asText(1184),
  }
}

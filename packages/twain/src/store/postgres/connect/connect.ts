// Connections to PostgreSQL. The driver reads the address with its parameters (`sslmode`, `options`, `application_name` …).
// This file sets the session parameters that Twain needs, however the server is configured.

import { isIP, type Socket } from 'node:net'
import postgres, { type Sql } from 'postgres'
import { defaultCacheBytes } from '#base'
import { StartRefused } from '../../tables/start-refused.ts'
import { type ServerAddresses, serverAddresses, withoutServers } from './address.ts'

export { describeAddress } from './address.ts'

export type Database = Sql

/** The options of the driver, parsed from the address. */
export type DriverOptions = Database['options']

export interface PoolOptions {
  /** The maximum number of connections. */
  size: number
  /** The timeout of a statement in seconds; 0: none. */
  time: number
  /** The memory of the server for the prepared statements of one connection, as Twain estimates it. */
  statementBytes?: number | undefined
}

/** What the server takes for each character of a prepared statement, with its plan. */
export const statementCharacterBytes = 80

export const defaultStatementBytes = defaultCacheBytes / 2

/** Session parameters that a connection pooler must let pass. */
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

/** Connects on demand. `lost` is called when a connection has ended. */
export function connect(address: string, { size, time }: PoolOptions, lost: () => void = () => {}): Database {
  return createDriver(address, { max: size, types: typesOf(true), ...oneAtATime, onclose: lost }, time)
}

/** One connection for writes: it pipelines queries. After `onclose` nothing may be sent on it. */
export function connectOne(address: string, time: number, onclose: () => void): Database {
  return createDriver(address, { max: 1, types: typesOf(1), ...pipelined, onclose }, time, {
    // A write is never idle for long; if this process vanishes, the server must release its locks.
    idle_in_transaction_session_timeout: 2000,
  })
}

/** The driver options for each server of the address. */
export function driverOptions(address: string, time: number): DriverOptions[] {
  const { options } = connect(address, { size: 1, time })
  if (options.path) return [options]
  return options.host.map((host, at) => ({ ...options, host: [host], port: [options.port[at]!] }))
}

/** One session with this server, over a socket of `dial`. */
export function connectThrough(
  address: string,
  time: number,
  at: DriverOptions,
  dial: () => Promise<Socket>,
): Database {
  // With several servers the driver would try the next one itself, and report nothing if there is none.
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
      ...(serverAddresses(address) as object), // the driver's types lack lists
      ...verifiedHost(address),
      ...options,
      connect_timeout: connectTimeoutSeconds(time),
      // Reconnects soon after the database is back.
      backoff: () => 0.25,
      fetch_types: false,
      connection: {
        application_name: 'twain',
        ...settings,
        statement_timeout: time * 1000,
        TimeZone: 'UTC',
        default_transaction_isolation: 'read committed',
        // Bytes and numbers come as text, without loss.
        bytea_output: 'hex',
        extra_float_digits: 1,
        // The server plans a statement once for each connection. By default it would plan every page anew, since it assumes
        // that an unknown LIMIT returns a tenth of the table (400 of 1,500 µs, measured).
        plan_cache_mode: 'force_generic_plan',
        // So that the server reads this tenth by an index in its order, and does not sort it.
        random_page_cost: 1.1,
        // Compiling a statement takes longer than running any statement of Twain.
        jit: false,
      },
      onnotice() {},
    })
    dropQueryOrigins(database)
    return database
  } catch (error) {
    // The message may hold the address with its password.
    const { code, name } = error as { code?: string; name: string }
    throw new StartRefused(`The address of the database can't be understood (${code ?? name}).`)
  }
}

/** `time` is the timeout of a statement in seconds; 0: none. */
export function connectTimeoutSeconds(time: number): number {
  return time === 0 ? 5 : Math.min(5, time)
}

/** The driver would keep the origin of each failed query for the lifetime of the process. */
function dropQueryOrigins(database: Database): void {
  const anyQuery: unknown = Object.getPrototypeOf(database.unsafe(''))
  Object.defineProperty(anyQuery, 'origin', { value: '', configurable: true })
}

/** For an IP address the driver would look for the name `localhost` in the certificate. */
function verifiedHost(address: string): Pick<PostgresJsOptions, 'ssl'> {
  const { hostname, searchParams } = new URL(address)
  const host = hostname.replaceAll(/[[\]]/g, '')
  const isVerified = [searchParams.get('sslmode'), searchParams.get('ssl')].includes('verify-full')
  return isVerified && isIP(host) !== 0 ? { ssl: { host } } : {}
}

/** A statement behind a long one on the same connection would wait for it. (The types of the driver lack the option.) */
const oneAtATime = { max_pipeline: 1 }
const pipelined = { max_pipeline: Number.POSITIVE_INFINITY }

/** Values go to the server and come back as text, except numbers and booleans: the driver would stringify JSON text
 *  again. */
const asText = (oid: number, parse: (text: string) => unknown = String): postgres.PostgresType => ({
  to: oid,
  from: [oid],
  serialize: String,
  parse,
})

/** Writes read true as 1, as SQLite stores it: so change log entries are the same on both databases. */
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

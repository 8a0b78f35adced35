// Parses the address of a database, and prints it without credentials. What it lacks comes from the usual environment variables
// (`PGHOST`, `PGUSER` …).

import { userInfo } from 'node:os'
import { StartRefused } from '../../tables/start-refused.ts'

export interface DatabaseAddress {
  /** In the order of attempts. */
  servers: ServerAddress[]
  user: string
  password: string
  database: string
  tls: TlsMode
  /** TLS without asking the server for it first. */
  isTlsDirect: boolean
  /** `require`: the server proves that it knows the password, over this very TLS connection (SCRAM-SHA-256-PLUS). */
  channelBinding: (typeof channelBindings)[number]
  /** Which server of several is wanted. */
  wanted: WantedServer
  /** Session parameters. */
  parameters: Record<string, string>
}

const channelBindings = ['disable', 'prefer', 'require'] as const

/** As of libpq. */
const wantedServers = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const

export type WantedServer = (typeof wantedServers)[number]

export interface ServerAddress {
  /** A host name, an IP address, or the folder of a local socket. */
  host: string
  port: number
}

/** `prefer`: if the server has it. `require`: encrypted, whoever the server is. `verify`: with a valid certificate. */
export type TlsMode = 'off' | 'prefer' | 'require' | 'verify'

/** Any other value of `sslmode` verifies. */
const tlsModes: Readonly<Record<string, TlsMode>> = {
  '': 'off',
  disable: 'off',
  false: 'off',
  allow: 'prefer',
  prefer: 'prefer',
  require: 'require',
}

/** Of the parameters these are none of the session. The last ones were options of a former driver. */
const ownParameters = new Set([
  'host',
  'port',
  'sslmode',
  'ssl',
  'sslrootcert',
  'sslnegotiation',
  'channel_binding',
  'target_session_attrs',
  'connect_timeout',
  'max',
  'idle_timeout',
  'max_lifetime',
  'prepare',
])

/** Throws StartRefused if the address is invalid. */
export function parseAddress(address: string): DatabaseAddress {
  try {
    return parse(address)
  } catch (error) {
    // The message may hold the address with its password.
    const { code, name } = error as { code?: string; name: string }
    throw new StartRefused(`The address of the database can't be understood (${code ?? name}).`)
  }
}

function parse(address: string): DatabaseAddress {
  const { username, password, pathname, searchParams, ...url } = fieldsOf(address)
  const { env } = process
  const user = username || env.PGUSER || userInfo().username
  const mode = searchParams.get('sslmode') ?? searchParams.get('ssl') ?? env.PGSSLMODE ?? ''
  return {
    servers: serversOf(url.host, searchParams),
    user,
    password: password || env.PGPASSWORD || '',
    database: pathname.slice(1) || env.PGDATABASE || user,
    tls: searchParams.get('sslrootcert') === 'system' ? 'verify' : (tlsModes[mode] ?? 'verify'),
    isTlsDirect: (searchParams.get('sslnegotiation') ?? env.PGSSLNEGOTIATION) === 'direct',
    channelBinding: choiceOf('channel_binding', channelBindings, searchParams, env.PGCHANNELBINDING ?? 'prefer'),
    wanted: choiceOf('target_session_attrs', wantedServers, searchParams, env.PGTARGETSESSIONATTRS ?? 'any'),
    parameters: Object.fromEntries([...searchParams].filter(([name]) => !ownParameters.has(name))),
  }
}

function choiceOf<Choice extends string>(
  name: string,
  choices: readonly Choice[],
  searchParams: URLSearchParams,
  usual: string,
): Choice {
  const text = searchParams.get(name) ?? usual
  const found = choices.find((choice) => choice === text)
  if (found !== undefined) return found
  throw Object.assign(new Error(`${name} is one of ${choices.join(', ')}`), { code: name })
}

function fieldsOf(address: string) {
  const { username, password, host, pathname, searchParams } = new URL(address)
  return {
    username: decodeURIComponent(username),
    password: decodeURIComponent(password),
    host: decodeURIComponent(host),
    pathname: decodeURIComponent(pathname),
    searchParams,
  }
}

function serversOf(hosts: string, searchParams: URLSearchParams): ServerAddress[] {
  const list = hosts || searchParams.get('host') || process.env.PGHOST || 'localhost'
  const usual = searchParams.get('port') ?? process.env.PGPORT ?? '5432'
  return list.split(',').map((server) => {
    const [, host, port = usual] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(server)!
    return { host: host!, port: Number(port) }
  })
}

/** Host and database for messages and logs, without user name or password. */
export function describeAddress(address: string): string {
  try {
    const { host, pathname } = new URL(address)
    return `postgres://${host}${pathname}`
  } catch {
    return 'postgres://'
  }
}

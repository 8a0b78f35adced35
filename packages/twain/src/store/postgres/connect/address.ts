// Parses the address of a database, and prints it without credentials. What it lacks comes from the usual environment variables
// (`PGHOST`, `PGUSER` …).

import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { StartRefused } from '../../tables/start-refused.ts'
import { sessionParametersOf, UnknownParameters } from './address-parameters.ts'

export interface DatabaseAddress {
  /** In the order of attempts. */
  servers: ServerAddress[]
  user: string
  password: string
  database: string
  tls: TlsMode
  certificates: TlsCertificates
  /** TLS without asking the server for it first. */
  isTlsDirect: boolean
  /** `require`: the server proves that it knows the password, over this very TLS connection (SCRAM-SHA-256-PLUS). */
  channelBinding: (typeof channelBindings)[number]
  /** Seconds for a connection; null: as Twain decides. */
  connectTimeout: number | null
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

/** `prefer`: if the server has it. `require`: encrypted, whoever the server is. `verify-ca`: with a certificate of a trusted
 *  authority. `verify`: with one for this host. */
export type TlsMode = 'off' | 'prefer' | 'require' | 'verify-ca' | 'verify'

const tlsModes: Readonly<Record<string, TlsMode>> = {
  '': 'off',
  disable: 'off',
  false: 'off',
  allow: 'prefer',
  prefer: 'prefer',
  require: 'require',
  'no-verify': 'require', // of `pg`, and in the documentation of Heroku
  'verify-ca': 'verify-ca',
  'verify-full': 'verify',
  true: 'verify',
}

/** PEM texts. */
export interface TlsCertificates {
  /** The authorities that sign servers; absent: those of Node. */
  ca?: string
  /** Of the client, with its key. */
  cert?: string
  key?: string
}

/** Throws StartRefused if the address is invalid. */
export function parseAddress(address: string): DatabaseAddress {
  try {
    return parse(address)
  } catch (error) {
    if (error instanceof UnknownParameters || error instanceof UnreadableFile)
      throw new StartRefused(`The address of the database ${describeAddress(address)}: ${error.message}`)
    // The message may hold the address with its password.
    const { code, name } = error as { code?: string; name: string }
    throw new StartRefused(`The address of the database can't be understood (${code ?? name}).`)
  }
}

function parse(address: string): DatabaseAddress {
  const { username, password, pathname, searchParams, ...url } = fieldsOf(address)
  const { env } = process
  const parameters = sessionParametersOf(searchParams)
  const user = username || searchParams.get('user') || env.PGUSER || userInfo().username
  return {
    servers: serversOf(url.host, searchParams),
    user,
    password: password || searchParams.get('password') || env.PGPASSWORD || '',
    database: pathname.slice(1) || searchParams.get('dbname') || env.PGDATABASE || user,
    tls: tlsModeOf(searchParams),
    certificates: certificatesOf(searchParams),
    connectTimeout: secondsOf('connect_timeout', searchParams),
    isTlsDirect: (searchParams.get('sslnegotiation') ?? env.PGSSLNEGOTIATION) === 'direct',
    channelBinding: choiceOf('channel_binding', channelBindings, searchParams, env.PGCHANNELBINDING ?? 'prefer'),
    wanted: choiceOf('target_session_attrs', wantedServers, searchParams, env.PGTARGETSESSIONATTRS ?? 'any'),
    parameters,
  }
}

/** As libpq: an authority that is named is checked, also with `require`. */
function tlsModeOf(searchParams: URLSearchParams): TlsMode {
  const { env } = process
  const text = searchParams.get('sslmode') ?? searchParams.get('ssl') ?? env.PGSSLMODE ?? ''
  const mode = tlsModes[text]
  if (mode === undefined)
    throw wrongChoice(
      'sslmode',
      Object.keys(tlsModes).filter((name) => name !== ''),
    )
  const root = searchParams.get('sslrootcert') ?? env.PGSSLROOTCERT ?? ''
  if (root === 'system') return 'verify'
  return root !== '' && mode === 'require' ? 'verify-ca' : mode
}

function certificatesOf(searchParams: URLSearchParams): TlsCertificates {
  const { env } = process
  const root = searchParams.get('sslrootcert') ?? env.PGSSLROOTCERT ?? ''
  const cert = searchParams.get('sslcert') ?? env.PGSSLCERT ?? ''
  const key = searchParams.get('sslkey') ?? env.PGSSLKEY ?? ''
  return {
    ...(root === '' || root === 'system' ? {} : { ca: readPem('sslrootcert', root) }),
    ...(cert === '' ? {} : { cert: readPem('sslcert', cert) }),
    ...(key === '' ? {} : { key: readPem('sslkey', key) }),
  }
}

class UnreadableFile extends Error {}

function readPem(name: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UnreadableFile(`The file ${file} of ${name} can't be read (${code}).`)
  }
}

/** 0, or no value: no limit of the address. */
function secondsOf(name: string, searchParams: URLSearchParams): number | null {
  const seconds = Number(searchParams.get(name) ?? 0)
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null
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
  throw wrongChoice(name, choices)
}

function wrongChoice(name: string, choices: readonly string[]): Error {
  return Object.assign(new Error(`${name} is one of ${choices.join(', ')}`), { code: name })
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

// Opens a connection by the driver: to the first server of the address that accepts, within a time limit. Its session has the
// parameters that Twain needs, however the server is configured.

import { timeoutSignal } from '#base/time'
import {
  type DatabaseAddress,
  parseAddress,
  type ServerAddress,
  type TlsCertificates,
  type TlsMode,
  type WantedServer,
} from './address.ts'
import { CheckedConnection } from './checked-connection.ts'
import { DatabaseError } from './database-error.ts'
import { type Client, driver } from './driver.ts'
import { query } from './queries.ts'

/** The primary: a connection that leads to a standby is refused, because it may lack what was just written. A proxy that has
 *  just started, for example, leads to any server until it has checked them. */
export type ServerRole = 'primary' | 'any'

export interface ClientTarget {
  address: string
  /** The timeout of a statement in seconds; 0: none. */
  time: number
  /** Session parameters, besides those of every session. */
  parameters?: Record<string, string>
  /** Default: as the address says. */
  role?: ServerRole
  /** The first statements, within the time limit; a server that fails them is not used. */
  onOpen?: (client: DatabaseClient) => Promise<void>
  /** Aborts the attempt. */
  signal?: AbortSignal
}

/** A client whose server can't break it. */
export type CheckedClient = Client & { readonly connection: CheckedConnection }

/** A connection. Its owner listens to `end` and `error`. */
export class DatabaseClient extends driver.Client {
  declare readonly connection: CheckedConnection
  readonly #startup: Record<string, string>

  constructor(server: ServerAddress, address: DatabaseAddress, tls: TlsMode, startup: Record<string, string>) {
    const { user, database, isTlsDirect, channelBinding } = address
    const ssl = tls === 'off' ? false : tlsOptions(tls, address.certificates)
    const sslnegotiation = isTlsDirect ? 'direct' : 'postgres'
    const connection = new CheckedConnection({ ssl, sslNegotiation: sslnegotiation, keepAlive: true })
    const enableChannelBinding = ssl !== false && channelBinding !== 'disable'
    super({ ...server, user, database, ssl, sslnegotiation, enableChannelBinding, connection })
    this.password = address.password
    this.#startup = { user, database, ...startup }
    if (channelBinding === 'require') requireChannelBinding(connection, ssl !== false)
  }

  override getStartupConf(): Record<string, string> {
    return this.#startup
  }

  /** Closes without a goodbye. */
  abort(): void {
    this.connection.stream.destroy()
  }
}

function tlsOptions(tls: TlsMode, certificates: TlsCertificates) {
  const isVerified = tls === 'verify' || tls === 'verify-ca'
  const anyName = tls === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}
  return { ...certificates, rejectUnauthorized: isVerified, ...anyName }
}

/** `time` is the timeout of a statement in seconds; 0: none. A serverless database may take longer to wake up, and its address
 *  says so. */
function connectTimeoutSeconds(time: number, { connectTimeout }: DatabaseAddress): number {
  const most = connectTimeout ?? 5
  return time === 0 ? most : Math.min(most, time)
}

/** Rejects with the error of the last server. */
export async function openClient(target: ClientTarget): Promise<DatabaseClient> {
  const address = parseAddress(target.address)
  const startup = startupOf(address, target)
  const limit = timeoutSignal(connectTimeoutSeconds(target.time, address) * 1000)
  const signal = target.signal === undefined ? limit : AbortSignal.any([limit, target.signal])
  let failure: unknown
  for (const server of address.servers) {
    try {
      return await openTo(server, address, startup, target, signal)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

async function openTo(
  server: ServerAddress,
  address: DatabaseAddress,
  startup: Record<string, string>,
  target: ClientTarget,
  signal: AbortSignal,
): Promise<DatabaseClient> {
  const { tls } = address
  const client = new DatabaseClient(server, address, tls === 'prefer' ? 'require' : tls, startup)
  try {
    return await start(client, address, target, signal)
  } catch (error) {
    if (tls !== 'prefer' || !client.connection.isTlsRefused) throw error
    return await start(new DatabaseClient(server, address, 'off', startup), address, target, signal)
  }
}

async function start(
  client: DatabaseClient,
  { wanted }: DatabaseAddress,
  { role, onOpen }: ClientTarget,
  signal: AbortSignal,
): Promise<DatabaseClient> {
  const stop = () => client.connection.stream.destroy(tooSlow())
  let lost: Error | null = null
  client.on('error', (error) => {
    lost ??= error
  })
  if (signal.aborted) throw tooSlow()
  signal.addEventListener('abort', stop)
  try {
    await client.connect()
    if (role !== undefined || wanted !== 'any') await expectServer(client, role ?? 'any', wanted)
    await onOpen?.(client)
    if (lost !== null) throw lost
    return client
  } catch (error) {
    client.abort()
    throw hasCode(error) ? error : new DatabaseError((error as Error).message, 'CONNECT_FAILED', error)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** The meaning of `target_session_attrs` is that of libpq. */
async function expectServer(client: Client, role: ServerRole, wanted: WantedServer): Promise<void> {
  const [row] = await query<{ is_standby: boolean; is_read_only: boolean }>(client, selectKind)
  const { is_standby: isStandby, is_read_only: isReadOnly } = row!
  if (role === 'primary' && isStandby) throw new DatabaseError('The server is a standby.', '25006')
  const isOther =
    (wanted === 'read-write' && isReadOnly) ||
    (wanted === 'read-only' && !isReadOnly) ||
    (wanted === 'primary' && isStandby) ||
    (wanted === 'standby' && !isStandby)
  if (isOther) throw new DatabaseError(`The server is not what the address asks for (${wanted}).`, 'CONNECT_OTHER')
}

const selectKind = `SELECT pg_is_in_recovery() AS is_standby, current_setting('transaction_read_only') = 'on' AS is_read_only`

function startupOf({ parameters }: DatabaseAddress, { time, parameters: own }: ClientTarget): Record<string, string> {
  return {
    application_name: 'twain',
    ...own,
    ...(time === 0 ? {} : { statement_timeout: String(time * 1000) }),
    TimeZone: 'UTC',
    default_transaction_isolation: 'read committed',
    // Bytes and numbers come as text, without loss.
    bytea_output: 'hex',
    extra_float_digits: '1',
    // The server plans a statement once for each connection. By default it would plan every page anew, since it assumes
    // that an unknown LIMIT returns a tenth of the table (400 of 1,500 µs, measured).
    plan_cache_mode: 'force_generic_plan',
    // So that the server reads this tenth by an index in its order, and does not sort it.
    random_page_cost: '1.1',
    // Compiling a statement takes longer than running any statement of Twain.
    jit: 'off',
    ...parameters,
  }
}

/** The driver would also send its password to a server that does not offer channel binding, and believe one that skips it. */
function requireChannelBinding(connection: CheckedConnection, isEncrypted: boolean): void {
  let isProved = false
  const refuse = () => connection.stream.destroy(notOffered())
  connection.on('authenticationSASL', ({ mechanisms }: { mechanisms: string[] }) => {
    if (!isEncrypted || !mechanisms.includes('SCRAM-SHA-256-PLUS')) refuse()
  })
  // The driver checks the proof after this listener, and refuses a wrong one.
  connection.on('authenticationSASLFinal', () => {
    isProved = true
  })
  connection.on('authenticationOk', () => {
    if (!isProved) refuse()
  })
  for (const other of ['authenticationCleartextPassword', 'authenticationMD5Password']) connection.on(other, refuse)
}

function notOffered(): DatabaseError {
  return new DatabaseError('The server does not offer channel binding (SCRAM-SHA-256-PLUS over TLS).', '28000')
}

function tooSlow(): DatabaseError {
  return new DatabaseError('The server did not answer.', 'CONNECT_TIMEOUT')
}

function hasCode(error: unknown): boolean {
  return typeof (error as { code?: unknown } | null)?.code === 'string'
}

// Before a start: waits until the database accepts connections, since both may start together, and detects a connection
// pooler before it. The wait is bounded and logged.

import type { Log } from '#base'
import { monotonicTime, sleep } from '#base/time'
import { StartRefused } from '../../tables/start-refused.ts'
import { describeAddress } from './connect.ts'
import { errorCode, isParameterRefused, isUnavailable, toStartRefused } from './database-errors.ts'
import { directAddressAdvice } from './direct-address.ts'
import { reserveSession } from './reserve-session.ts'

const pollIntervalMs = 250

/** Throws StartRefused if the database is not reachable after `seconds`, at once if it refuses the credentials, or the
 *  reason of `stop`. */
export async function awaitDatabase(address: string, seconds: number, log: Log, stop?: AbortSignal): Promise<void> {
  const place = describeAddress(address)
  const until = monotonicTime() + seconds * 1000
  const stopped = abortOf(stop)
  let isLogged = false
  for (;;) {
    const error = await Promise.race([tryOnce(address, stop), stopped])
    if (error === null) return
    if (!mayBecomeReady(error) || monotonicTime() >= until)
      throw toStartRefused(error, place, directAddressAdvice(address))
    if (!isLogged)
      log.warn(
        { 'error.type': errorCode(error), database: place, timeout_seconds: seconds },
        'waiting for the database',
      )
    isLogged = true
    await Promise.race([sleep(pollIntervalMs), stopped])
  }
}

/** Null if the database accepts a connection and a statement. */
async function tryOnce(address: string, stop: AbortSignal | undefined): Promise<unknown> {
  try {
    const session = await reserveSession(address, 'SELECT 1', undefined, stop)
    await session.close()
    return null
  } catch (error) {
    if (error instanceof StartRefused) throw error
    return error
  }
}

/** Never resolves; rejects when `stop` aborts. */
function abortOf(stop: AbortSignal | undefined): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    if (stop?.aborted) reject(stop.reason)
    stop?.addEventListener('abort', () => reject(stop.reason), { once: true })
  })
  aborted.catch(() => undefined) // it may abort when nobody waits any more
  return aborted
}

/** Whether the database may become reachable; refused credentials do not change. */
function mayBecomeReady(error: unknown): boolean {
  return isUnavailable(error) && !errorCode(error).startsWith('28') && !isParameterRefused(error)
}

const selectPid = 'SELECT pg_backend_pid() AS pid'

/** Detects a connection pooler (PgBouncer and the like) before the database. Twain needs sessions: the migration lock, LISTEN
 *  and prepared statements live in one.
 *
 *  1. Two connections that share a server process while one is in a transaction are pooled by transaction. This throws
 *     StartRefused: the migration lock would lock nobody out.
 *  2. A pooler that keeps sessions but drops startup parameters is logged: it works, but slower. */
export async function detectPooler(address: string, log: Log): Promise<void> {
  const rows: (Record<string, unknown> | undefined)[] = []
  const open = (first: string) => reserveSession(address, first, (row) => rows.push(row))
  const one = await open(`${selectPid}, current_setting('plan_cache_mode') AS plans`)
  try {
    const other = await open(`BEGIN; ${selectPid}`)
    await other.close()
  } finally {
    await one.close()
  }
  const [first, second] = rows
  if (first!.pid === second!.pid) throw pooledByTransaction(address)
  if (first!.plans !== 'force_generic_plan') log.warn({ database: describeAddress(address) }, parametersIgnored)
}

const parametersIgnored =
  'connection pooler ignores session parameters: set them for the role (docs/operations/postgresql-compatibility.md)'

function pooledByTransaction(address: string): StartRefused {
  return new StartRefused(
    `A connection pooler before the database ${describeAddress(address)} assigns its connections by transaction; Twain needs ` +
      `sessions. ${directAddressAdvice(address)} A node opens no more than --database-pool-size connections.`,
  )
}

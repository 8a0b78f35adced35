// Before a start: waits until the database accepts connections, since both may start together, and detects a connection
// pooler before it. The wait is bounded and logged.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '#base'
import { StartRefused } from '../../tables/start-refused.ts'
import { connect, connectTimeoutSeconds, describeAddress } from './connect.ts'
import { withConnectTimeout } from './connect-timeout.ts'
import { errorCode, isParameterRefused, isUnavailable, toStartRefused } from './database-errors.ts'

const pollIntervalMs = 250

/** Throws StartRefused if the database is not reachable after `seconds`, at once if it refuses the credentials, or the
 *  reason of `stop`. */
export async function awaitDatabase(address: string, seconds: number, log: Log, stop?: AbortSignal): Promise<void> {
  const place = describeAddress(address)
  const until = performance.now() + seconds * 1000
  const database = connect(address, { size: 1, time: 5 })
  const stopped = abortOf(stop)
  let isLogged = false
  try {
    for (;;) {
      const attempt = withConnectTimeout(database.unsafe('SELECT 1'), connectTimeoutSeconds(0)).then(
        () => null,
        (reason: unknown) => reason,
      )
      const error = await Promise.race([attempt, stopped])
      if (error === null) return
      if (!mayBecomeReady(error) || performance.now() >= until) throw toStartRefused(error, place)
      if (!isLogged)
        log.warn(
          { 'error.type': errorCode(error), database: place, timeout_seconds: seconds },
          'waiting for the database',
        )
      isLogged = true
      await Promise.race([sleep(pollIntervalMs), stopped])
    }
  } finally {
    await database.end({ timeout: 0 })
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
  const [one, other] = [1, 2].map(() => connect(address, { size: 1, time: 5 }))
  try {
    const select = `${selectPid}, current_setting('plan_cache_mode') AS plans`
    const [first] = await withConnectTimeout(one!.unsafe(select), connectTimeoutSeconds(0))
    const beginning = other!.begin((transaction) => transaction.unsafe(selectPid))
    const [second] = await withConnectTimeout(beginning, connectTimeoutSeconds(0))
    if (first!.pid === second!.pid) throw pooledByTransaction(address)
    if (first!.plans !== 'force_generic_plan') log.warn({ database: describeAddress(address) }, parametersIgnored)
  } finally {
    await Promise.all([one!.end({ timeout: 1 }), other!.end({ timeout: 1 })])
  }
}

const parametersIgnored =
  'connection pooler ignores session parameters: set them for the role (docs/operations/postgresql-compatibility.md)'

function pooledByTransaction(address: string): StartRefused {
  return new StartRefused(
    `A connection pooler before the database ${describeAddress(address)} assigns its connections by transaction; Twain needs ` +
      `sessions. Set pool_mode = session there, or use the address of the database itself: a node opens no more than ` +
      `--database-pool-size connections.`,
  )
}

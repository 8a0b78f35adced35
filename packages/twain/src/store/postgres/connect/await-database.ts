// Waits at the start until the database accepts connections: both may start together. The wait is bounded and logged.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '#base'
import { connect, describeAddress } from './connect.ts'
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
      const asked = database.unsafe('SELECT 1').then(
        () => null,
        (reason: unknown) => reason,
      )
      const error = await Promise.race([asked, stopped])
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

// A start may come before its database does: both are started together, or the machine was. So it waits for a while, and says so.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '#base'
import { connect, describeAddress } from './connect.ts'
import { errorCode, isParameterRefused, isUnavailable, toStartRefused } from './database-errors.ts'

/** Milliseconds between two looks. */
const pollIntervalMs = 250

/** Throws StartRefused when it is not there after so many seconds; at once when it is and refuses us, or the reason of `stop`. */
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

/** Only ever rejects. */
function abortOf(stop: AbortSignal | undefined): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    if (stop?.aborted) reject(stop.reason)
    stop?.addEventListener('abort', () => reject(stop.reason), { once: true })
  })
  aborted.catch(() => undefined) // it may come when nobody waits any more
  return aborted
}

/** It may take connections soon; whether it knows us does not change. */
function mayBecomeReady(error: unknown): boolean {
  return isUnavailable(error) && !errorCode(error).startsWith('28') && !isParameterRefused(error)
}

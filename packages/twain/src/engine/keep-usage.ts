// Writes down once a minute who used what, and forgets what is old once a day. What can't be written is counted on.

import { type Log, stackOf } from '#base'
import type { UsageRecords } from '#store'
import type { Usage } from './usage.ts'

const pause = 60 * 1000
/** Days that are kept. */
const kept = 90
const day = 24 * 3600 * 1000

export interface KeepingUsage {
  /** Writes down what is left. */
  stop(): Promise<void>
}

export function keepUsage(usage: Usage, records: UsageRecords, log: Log, clock: () => number = Date.now): KeepingUsage {
  let today = ''
  let working: Promise<void> = Promise.resolve()
  const timer = setInterval(() => (working = working.then(write)), pause).unref()
  return {
    stop() {
      clearInterval(timer)
      working = working.then(write)
      return working
    },
  }

  async function write(): Promise<void> {
    const uses = usage.take()
    const now = clock()
    const date = dayOf(now)
    try {
      if (uses.length > 0) await records.add(date, uses)
      if (date === today || uses.length === 0) return
      if (today !== '') usage.begin()
      today = date
      await records.forget(dayOf(now - kept * day))
    } catch (error) {
      usage.giveBack(uses)
      log.warn({ error: stackOf(error) }, 'who used what could not be written down')
    }
  }
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

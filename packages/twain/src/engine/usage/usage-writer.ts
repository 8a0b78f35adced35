// Writes down once a minute who used what, and forgets what is old once a day. What can't be written is counted on.

import { type Log, stackOf } from '#base'
import type { UsageStore } from '#store'
import type { Usage } from './usage.ts'

const pause = 60 * 1000
/** Days that are kept. */
const kept = 90
const day = 24 * 3600 * 1000

export interface UsageWriter {
  /** Writes down what was counted until now. */
  write(): Promise<void>
  /** Writes down what is left. */
  stop(): Promise<void>
}

export function startUsageWriter(
  usage: Usage,
  records: UsageStore,
  log: Log,
  clock: () => number = Date.now,
): UsageWriter {
  let today = ''
  let working: Promise<void> = Promise.resolve()
  const timer = setInterval(() => void writeNext(), pause).unref()
  const writeNext = () => {
    working = working.then(write)
    return working
  }
  return {
    write: writeNext,
    stop() {
      clearInterval(timer)
      return writeNext()
    },
  }

  async function write(): Promise<void> {
    const uses = usage.take()
    if (uses.length === 0) return
    const now = clock()
    try {
      await records.add(dayOf(now), uses)
    } catch (error) {
      usage.giveBack(uses)
      log.warn({ error: stackOf(error) }, 'who used what could not be written down')
      return
    }
    if (dayOf(now) !== today) await beginDay(now)
  }

  async function beginDay(now: number): Promise<void> {
    if (today !== '') usage.begin()
    today = dayOf(now)
    const forgetting = records.deleteBefore(dayOf(now - kept * day))
    await forgetting.catch((error) => log.warn({ error: stackOf(error) }, 'old counts of use could not be deleted'))
  }
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

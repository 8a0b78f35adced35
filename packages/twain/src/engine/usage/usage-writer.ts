// Saves the usage counts once a minute, and deletes old ones once a day. Counts that could not be saved are saved later.

import { type Log, stackOf } from '#base'
import { clearInterval, setInterval, wallTime } from '#base/time'
import type { UsageStore } from '#store'
import type { Usage } from './usage.ts'

const writeIntervalMs = 60 * 1000
const retentionMs = 90 * 24 * 3600 * 1000

export interface UsageWriter {
  /** Saves the counts up to now. */
  write(): Promise<void>
  /** Saves the rest, and ends. */
  stop(): Promise<void>
}

export function startUsageWriter(
  usage: Usage,
  records: UsageStore,
  log: Log,
  clock: () => number = wallTime,
  past: (withinMs: number) => number = clock,
): UsageWriter {
  let today = ''
  let working: Promise<void> = Promise.resolve()
  const timer = setInterval(() => void writeNext(), writeIntervalMs).unref()
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
    const counts = usage.take()
    if (counts.length === 0) return
    const now = clock()
    try {
      await records.add(dayOf(now), counts)
    } catch (error) {
      usage.putBack(counts)
      log.warn({ 'exception.stacktrace': stackOf(error) }, 'usage counts could not be saved')
      return
    }
    if (dayOf(now) !== today) await beginDay(now)
  }

  async function beginDay(now: number): Promise<void> {
    if (today !== '') usage.beginDay()
    today = dayOf(now)
    const deleted = records.deleteBefore(dayOf(past(retentionMs) - retentionMs))
    await deleted.catch((error) =>
      log.warn({ 'exception.stacktrace': stackOf(error) }, 'old usage counts could not be deleted'),
    )
  }
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

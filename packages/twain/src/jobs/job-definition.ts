// A job of `twain.config.ts`, checked: when it runs, how often it is tried, and for how long.

import { nextTick } from './cron/next-tick.ts'
import type { Cron } from './cron/parse-cron.ts'

export interface JobDefinition {
  name: string
  /** Null: it runs when it is enqueued. */
  schedule: Schedule | null
  /** How often a failed job is tried again. */
  retries: number
  timeLimitMs: number
  /** How many of them a node runs at once. */
  concurrency: number
}

export type Schedule = { spec: string } & (
  | { kind: 'every'; periodMs: number }
  | { kind: 'cron'; cron: Cron; timeZone: string }
)

export const defaultRetries = 10
export const defaultTimeLimit = '10m'
export const defaultConcurrency = 5

/** The first tick after `now`. `last` is the tick before it, if there was one: a period keeps its rhythm. */
export function nextTickOf(schedule: Schedule, now: number, last: number | null): number {
  if (schedule.kind === 'cron') {
    const tick = nextTick(schedule.cron, schedule.timeZone, now)
    if (tick === null) throw new Error(`the schedule ${schedule.spec} has no tick after ${new Date(now).toISOString()}`)
    return tick
  }
  const { periodMs } = schedule
  if (last === null || last > now) return now + periodMs
  return last + Math.floor((now - last) / periodMs + 1) * periodMs
}

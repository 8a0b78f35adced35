// Checks the jobs of `twain.config.ts`. All mistakes are reported at once, each with its place.

import { didYouMean, isRecord } from '#base'
import {
  CronMistake,
  defaultConcurrency,
  defaultRetries,
  defaultTimeLimit,
  isTimeZone,
  type JobDefinition,
  parseCron,
  parseDuration,
  type Schedule,
} from '#jobs'
import type { Context } from './context.ts'
import { configName } from './load-config.ts'

/** A job, and the function that runs it. */
export interface BoundJob extends JobDefinition {
  run(payload: unknown, context: Context): unknown
}

const options = ['run', 'every', 'cron', 'timeZone', 'retries', 'timeLimit', 'concurrency']

/** A timer can't wait longer. */
const maxTimeLimitMs = 24 * 3_600_000

const nameForm = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/

export function bindJobs(jobs: object, mistakes: string[]): Map<string, BoundJob> {
  const bound = new Map<string, BoundJob>()
  for (const [name, job] of Object.entries(jobs)) {
    const report = (member: string, message: string) =>
      mistakes.push(`${configName}: jobs.${name}${member === '' ? '' : `.${member}`} ${message}`)
    if (!nameForm.test(name)) report('', 'has a name that is no identifier: use letters, digits and _.')
    else if (!isRecord(job)) report('', 'must be an object with the function run.')
    else bound.set(name, bindJob(name, job, report))
  }
  return bound
}

type Report = (member: string, message: string) => void

function bindJob(name: string, job: Readonly<Record<string, unknown>>, report: Report): BoundJob {
  for (const option of Object.keys(job))
    if (!options.includes(option)) report(option, `is no option of a job.${didYouMean(option, options)}`)
  const { run, retries = defaultRetries, timeLimit = defaultTimeLimit, concurrency = defaultConcurrency } = job
  if (typeof run !== 'function') report('run', 'must be a function: run(payload, context).')
  const timeLimitMs = parseDuration(timeLimit)
  if (timeLimitMs === null || timeLimitMs > maxTimeLimitMs)
    report('timeLimit', "must be a duration of at most a day, such as '30s', '10m' or '1h'.")
  return {
    name,
    schedule: scheduleOf(job, report),
    retries: whole(retries, 0, 100, 'retries', report),
    timeLimitMs: timeLimitMs ?? 0,
    concurrency: whole(concurrency, 1, 1000, 'concurrency', report),
    run: run as BoundJob['run'],
  }
}

function whole(value: unknown, min: number, max: number, option: string, report: Report): number {
  if (Number.isInteger(value) && (value as number) >= min && (value as number) <= max) return value as number
  report(option, `must be a whole number from ${min} to ${max}.`)
  return min
}

function scheduleOf({ every, cron, timeZone }: Readonly<Record<string, unknown>>, report: Report): Schedule | null {
  if (every !== undefined && cron !== undefined) report('', 'has every and cron: it takes one of them.')
  if (timeZone !== undefined && cron === undefined) report('timeZone', 'needs cron: every knows no time zone.')
  if (every !== undefined) return periodOf(every, report)
  return cron === undefined ? null : cronOf(cron, timeZone, report)
}

function periodOf(every: unknown, report: Report): Schedule | null {
  const periodMs = parseDuration(every)
  if (periodMs === null) report('every', "must be a duration, such as '30s', '15m', '1h' or '2d'.")
  return periodMs === null ? null : { kind: 'every', periodMs, spec: `every ${every}` }
}

function cronOf(cron: unknown, timeZone: unknown = 'UTC', report: Report): Schedule | null {
  if (!isTimeZone(timeZone)) {
    report('timeZone', `must be the name of a time zone, such as 'Europe/Berlin'.`)
    return null
  }
  try {
    if (typeof cron === 'string')
      return { kind: 'cron', cron: parseCron(cron), timeZone, spec: `cron ${cron} ${timeZone}` }
    report('cron', "must be a text, such as '0 7 * * MON'.")
  } catch (error) {
    if (!(error instanceof CronMistake)) throw error
    report('cron', `is no cron expression: ${error.message}`)
  }
  return null
}

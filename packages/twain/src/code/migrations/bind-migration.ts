// Checks the default export of a migration against the schema. All mistakes are reported at once, each with its file.

import { ApiError, didYouMean, isRecord } from '#base'
import { parseDuration } from '#jobs'
import type { Model, Resource } from '#model'
import type { Context } from '../context.ts'
import type { CodeRow } from '../rows.ts'
import { planRowCount } from './plan-rows.ts'

/** Where a migration stands. */
interface FoundFile {
  /** The file without its extension: 001-slugs. */
  name: string
  /** For messages: migrations/001-slugs.ts. */
  file: string
  /** The folder that `file` is relative to. */
  folder: string
  /** Of its text. */
  hash: string
}

export interface BoundMigration extends FoundFile {
  events: boolean
  hooks: boolean
  work: RowWork | WholeWork
}

/** Changes the rows of one type. */
export interface RowWork {
  kind: 'rows'
  type: Resource
  where: object | null
  portion: number
  change(row: CodeRow, context: Context): unknown
}

/** One transaction. */
export interface WholeWork {
  kind: 'whole'
  timeoutMs: number
  run(context: Context): unknown
}

const common = ['events', 'hooks']
const rowOptions = ['type', 'where', 'portion', 'change', ...common]
const wholeOptions = ['run', 'timeLimit', ...common]

const defaultPortion = 500
const maxPortion = 1000
const defaultTimeLimit = '30s'
const maxTimeLimitMs = 10 * 60_000

type Report = (member: string, message: string) => void

/** Null if it has mistakes. */
export function bindMigration(
  exported: unknown,
  found: FoundFile,
  model: Model,
  mistakes: string[],
): BoundMigration | null {
  const before = mistakes.length
  const report: Report = (member, message) =>
    mistakes.push(`${found.file}${member === '' ? '' : `: ${member}`} ${message}`)
  if (!isRecord(exported)) {
    report('', 'exports no migration. Write: export default defineMigration({ … })')
    return null
  }
  const { events = true, hooks = false } = exported
  if (typeof events !== 'boolean') report('events', 'must be true or false.')
  if (typeof hooks !== 'boolean') report('hooks', 'must be true or false.')
  const work = bindWork(exported, model, report)
  if (mistakes.length > before || work === null) return null
  return { ...found, events: events === true, hooks: hooks === true, work }
}

function bindWork(exported: Record<string, unknown>, model: Model, report: Report): BoundMigration['work'] | null {
  const { change, run } = exported
  if ((change === undefined) === (run === undefined)) {
    report('', 'needs one of two functions: change(row, context) with a type, or run(context).')
    return null
  }
  const known = run === undefined ? rowOptions : wholeOptions
  for (const option of Object.keys(exported))
    if (!known.includes(option))
      report(
        option,
        `is no option of a migration with ${run === undefined ? 'change' : 'run'}.${didYouMean(option, known)}`,
      )
  return run === undefined ? bindRows(exported, model, report) : bindWhole(exported, report)
}

function bindRows(exported: Record<string, unknown>, { resources }: Model, report: Report): RowWork | null {
  const { type: name, where = null, portion = defaultPortion, change } = exported
  if (typeof change !== 'function') report('change', 'must be a function: change(row, context).')
  const isPortion = Number.isInteger(portion) && (portion as number) >= 1 && (portion as number) <= maxPortion
  if (!isPortion) report('portion', `must be a whole number from 1 to ${maxPortion}.`)
  const type = resources.find((one) => one.name === name)
  if (type === undefined) {
    const names = resources.map((one) => one.name)
    report('type', `must name a type of the schema.${didYouMean(String(name ?? ''), names)} ${outdated}`)
    return null
  }
  if (where !== null && !isRecord(where)) report('where', 'must be an object, as in context.read.')
  else if (where !== null) checkWhere(where, type, report)
  return {
    kind: 'rows',
    type,
    where: where as object | null,
    portion: portion as number,
    change: change as RowWork['change'],
  }
}

const outdated = 'Delete the file if it ran everywhere and its type is gone.'

function bindWhole({ run, timeLimit = defaultTimeLimit }: Record<string, unknown>, report: Report): WholeWork | null {
  if (typeof run !== 'function') report('run', 'must be a function: run(context).')
  const timeoutMs = parseDuration(timeLimit)
  if (timeoutMs === null || timeoutMs > maxTimeLimitMs)
    report('timeLimit', "must be a duration of at most ten minutes, such as '30s' or '2m'.")
  return { kind: 'whole', timeoutMs: timeoutMs ?? 0, run: run as WholeWork['run'] }
}

function checkWhere(where: object, of: Resource, report: Report): void {
  try {
    planRowCount(where, of)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    for (const { path, message } of error.problems) report(path, message)
    if (error.problems.length === 0) report('where', error.message)
  }
}

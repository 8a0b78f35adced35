// Background jobs as administrators see them: listed by the command line, tried again and cancelled by everything.

import { ApiError, validationError } from '#base'
import type { IdempotencyKey } from '#base/http'
import {
  type ChangedJob,
  type Job,
  type JobChange,
  type JobState,
  type JobStore,
  requireVersion,
  type VersionPreconditions,
} from '#store'

/** As both APIs show it. */
export interface JobView {
  id: string
  name: string
  key: string | null
  state: ShownState
  payload: unknown
  by: string | null
  createdAt: string
  /** When the next attempt may begin. */
  dueAt: string
  startedAt: string | null
  finishedAt: string | null
  /** Attempts that began since it was enqueued, or since an operator made it wait again. */
  tries: number
  attempts: { at: string; took: number; error: string | null }[]
}

type ShownState = Uppercase<JobState>

const jobStates: readonly ShownState[] = ['WAITING', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED']

export interface JobListing {
  state: string | null
  name: string | null
  offset: number
  limit: number
}

/** An update of the type `BackgroundJob`. */
interface JobUpdate {
  id: string
  set: Readonly<Record<string, unknown>>
  precondition: VersionPreconditions | null
  idempotencyKey: IdempotencyKey | null
  /** Reads the job after the change. */
  readBack?(id: string): NonNullable<JobChange['readBack']>
}

const kind = 'code'

/** How often a change is tried that meets concurrent ones. */
const maxAttempts = 5

export class JobAdmin {
  readonly #store: JobStore

  constructor(store: JobStore) {
    this.#store = store
  }

  /** The newest first. */
  async list({ state, name, offset, limit }: JobListing): Promise<JobView[]> {
    if (state !== null && !jobStates.includes(state as ShownState))
      throw validationError([{ path: 'state', code: 'TYPE', message: `must be one of ${jobStates.join(', ')}.` }])
    const stored = state === null ? null : (state.toLowerCase() as JobState)
    return (await this.#store.list({ kind, state: stored, name, offset, limit })).map(toView)
  }

  /** Makes a finished job WAITING, or an unfinished one CANCELLED. Null if there is none with this id. */
  async setState(id: string, state: unknown): Promise<JobView | null> {
    const job = await this.#setState({ id, set: { state }, precondition: null, idempotencyKey: null })
    return job && toView(job)
  }

  /** Writes the type `BackgroundJob` for the engine. */
  readonly write = async (update: JobUpdate): Promise<{ id: string; row: unknown[] | null } | null> => {
    const job = await this.#setState(update)
    return job && { id: job.id, row: job.row }
  }

  async #setState(update: JobUpdate): Promise<ChangedJob | null> {
    const { id, set, precondition, idempotencyKey, readBack } = update
    const { state } = set
    if (state !== 'WAITING' && state !== 'CANCELLED')
      throw validationError([
        { path: 'state', code: 'TYPE', message: 'must be WAITING, to try it again, or CANCELLED.' },
      ])
    const under = idempotencyKey === null ? null : { key: idempotencyKey, answer: { id } }
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const before = await this.#store.find(kind, id)
      if (precondition !== null) requireVersion('BackgroundJob', before, precondition)
      if (before === null) return null
      expectTransition(before.state, state)
      const change: JobChange = { version: before.version, under, ...(readBack && { readBack: readBack(id) }) }
      const changed = await (state === 'WAITING'
        ? this.#store.retry(kind, id, change)
        : this.#store.cancel(kind, id, change))
      if (changed !== null) return changed
    }
    throw new ApiError('CONFLICT', 'The job is being changed by other requests.', { hint: 'Try again.' })
  }
}

function expectTransition(from: JobState, to: 'WAITING' | 'CANCELLED'): void {
  const isFinished = from !== 'waiting' && from !== 'running'
  if (isFinished === (to === 'WAITING')) return
  const why = to === 'WAITING' ? 'only a finished job can be tried again' : 'only an unfinished job can be cancelled'
  throw new ApiError('CONFLICT', `The job is ${from.toUpperCase()}: ${why}.`)
}

function toView({ id, name, key, state, payload, by, tries, attempts, ...times }: Job): JobView {
  const text = (time: number | null) => (time === null ? null : new Date(time).toISOString())
  return {
    id,
    name,
    key,
    state: state.toUpperCase() as ShownState,
    payload: JSON.parse(payload),
    by,
    createdAt: text(times.created)!,
    dueAt: text(times.due)!,
    startedAt: text(times.started),
    finishedAt: text(times.finished),
    tries,
    attempts: attempts.map(({ at, took, error }) => ({ at: text(at)!, took, error })),
  }
}

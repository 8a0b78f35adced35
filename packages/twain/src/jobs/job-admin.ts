// Background jobs as administrators see them: listed, tried again, cancelled.

import { ApiError, validationError } from '#base'
import type { Job, JobState, JobStore } from '#store'

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

export const jobStates: readonly ShownState[] = ['WAITING', 'RUNNING', 'DONE', 'FAILED', 'CANCELLED']

export interface JobListing {
  state: string | null
  name: string | null
  offset: number
  limit: number
}

const kind = 'code'

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

  async find(id: string): Promise<JobView | null> {
    const job = await this.#store.find(kind, id)
    return job && toView(job)
  }

  /** Makes a finished job WAITING, or an unfinished one CANCELLED. Null if there is none with this id. */
  async setState(id: string, state: unknown): Promise<JobView | null> {
    if (state !== 'WAITING' && state !== 'CANCELLED')
      throw validationError([
        { path: 'state', code: 'TYPE', message: 'must be WAITING, to try it again, or CANCELLED.' },
      ])
    const changed = await (state === 'WAITING' ? this.#store.retry(kind, id) : this.#store.cancel(kind, id))
    if (changed !== null) return toView(changed)
    const job = await this.find(id)
    if (job === null) return null
    const why =
      state === 'WAITING' ? 'only a finished job can be tried again' : 'only an unfinished job can be cancelled'
    throw new ApiError('CONFLICT', `The job is ${job.state}: ${why}.`)
  }
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

// One write under way: what its steps share.

import type { Query } from '../../sql/query.ts'
import type { Rules } from '../rules/rules.ts'
import type { JobStates, JobViewer } from './write-job.ts'
import type { WriterContext } from './writer-context.ts'

export interface Writing {
  context: WriterContext
  /** The time of the whole group. */
  time: string
  viewer: JobViewer
  rules: Rules
  /** Null: any state may be written. */
  states: JobStates | null
  /** The hash of the account's new password. */
  password: string | null
}

/** What a write comes to. */
export interface Outcome {
  id: string
  created: boolean
  /** What is left to be saved: it goes with whatever is asked next. */
  save: Query[]
}

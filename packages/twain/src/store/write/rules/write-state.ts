// One write under way: what its steps share.

import type { Query } from '../../sql/query.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { JobTransitions, JobViewer } from '../steps/write-job.ts'
import type { WriteRules } from './write-rules.ts'

export interface WriteState {
  context: WriterContext
  /** The time of the whole group. */
  time: string
  viewer: JobViewer
  rules: WriteRules
  /** Null: any state may be written. */
  transitions: JobTransitions | null
  /** The hash of the account's new password. */
  password: string | null
}

/** What a write comes to. */
export interface WriteOutcome {
  id: string
  created: boolean
  /** What is left to be saved: it goes with whatever is asked next. */
  save: Query[]
}

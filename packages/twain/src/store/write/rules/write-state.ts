// The state that the steps of one write share.

import type { Confirmation, NewIdentity } from '#plan'
import type { Query } from '../../sql/query.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { JobTransitions, JobViewer } from '../steps/write-job.ts'
import type { WriteRules } from './write-rules.ts'

export interface WriteState {
  context: WriterContext
  /** The time of the whole group of writes. */
  time: string
  /** The id of the next row that the write creates. */
  newId: () => string
  viewer: JobViewer
  rules: WriteRules
  /** Null: any state may be written. */
  transitions: JobTransitions | null
  /** The hash of the account's new password. */
  password: string | null
  /** What confirms that the viewer may change the password and login of their own account. */
  confirmation: Confirmation | null
  /** The identity at an external issuer that a new account belongs to. */
  identity: NewIdentity | null
}

/** What the write of one row results in. */
export interface WriteOutcome {
  id: string
  created: boolean
  /** Queries that are still to run; they go with the next list. */
  save: Query[]
}

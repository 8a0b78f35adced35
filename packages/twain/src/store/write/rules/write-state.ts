// The state that the steps of one write share.

import type { Resource } from '#model'
import type { AccountProof, Confirmation, NewIdentity, SignUp } from '#plan'
import type { Query } from '../../sql/query.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { Step } from '../steps/query-step.ts'
import type { JobRow, JobRows, JobTransitions, JobViewer } from '../steps/write-job.ts'
import type { WriteRules } from './write-rules.ts'

export interface WriteState {
  context: WriterContext
  /** The time of the whole group of writes. */
  time: string
  /** The id of the next row that the write creates. */
  newId: () => string
  viewer: JobViewer
  creation: RowCreation
  rules: WriteRules
  /** Null: any state may be written. */
  transitions: JobTransitions | null
  /** The hash of the account's new password. */
  password: string | null
  /** What confirms that the viewer may change the password and login of their own account. */
  confirmation: Confirmation | null
  /** The identity at an external issuer that a new account belongs to. */
  identity: NewIdentity | null
  /** What proves the address of the account. */
  proof: AccountProof | null
  /** What makes the new account one whose owner signs up. */
  signUp: SignUp | 'rehearsal' | null
  /** What the deletes of the whole transaction share. */
  cascade: CascadeBudget
  /** Whether a delete that is too large may run in the background. */
  isAsync: boolean
  /** Whether an update may change fields that can't change otherwise, and keeps the update time. */
  isImport: boolean
  /** Whether the write itself creates this row before the one at hand. */
  isNew?: (type: string, id: string) => boolean
}

/** How many rows the deletes of one transaction may still touch beside the rows that they name. */
export interface CascadeBudget {
  left: number
}

/** The password and the identity belong to the row of the write alone. */
export function childState(state: WriteState, rules: WriteRules): WriteState {
  return {
    ...state,
    rules,
    password: null,
    confirmation: null,
    identity: null,
    proof: null,
    signUp: null,
    isAsync: false,
    isImport: false,
  }
}

/** What creates rows (`rows/create-row.ts`). Lists create rows, and a new row has lists: so lists get it from the state. */
export interface RowCreation {
  createRow(resource: Resource, row: JobRow, state: WriteState, id: string | null): Step<WriteOutcome>
  insertChildren(
    owner: Resource,
    id: string,
    lists: readonly PlacedRows[],
    save: readonly Query[],
    state: WriteState,
  ): Step<Query[]>
}

/** New children, and the place of their list in the request. */
export interface PlacedRows extends JobRows {
  place: string
}

/** What the write of one row results in. */
export interface WriteOutcome {
  id: string
  created: boolean
  /** Queries that are still to run; they go with the next list. */
  save: Query[]
}

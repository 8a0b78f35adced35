// What a store passes to the logic of a write, and the result. It is plain data, because SQLite's writer runs in another
// thread.

import { type Code, type DeniedRight, type Problem, unreachable } from '#base'
import type { IdempotencyKey } from '#base/http'
import type { AccountProof, Confirmation, NewIdentity, SetField, SignUp, WritePlan } from '#plan'
import type { StorageFailure } from '../../observe/storage-failures.ts'
import type { BoundRead } from '../../sql/bind.ts'
import type { LoggedChangeKey, Query, QueryRows } from '../../sql/query.ts'
import type { BackgroundDelete } from '../../system/jobs/background-deletes.ts'

/** Writes rows of the schema, in one transaction. */
export type RowsJob = WriteJob | BatchJob | BulkJob

export type Job = (RowsJob | StatementsJob | PortionJob) & {
  /** The recording that its statements belong to (`StatementRecorder`). Absent: none. */
  recording?: number
}

/** The job in words for the slow-query log: `create Post`. */
export function jobSubject(job: Job): string {
  switch (job.kind) {
    case 'write':
      return `${job.action} ${job.resource}`
    case 'batch':
      return [...new Set(job.jobs.map(jobSubject))].join('; ')
    case 'bulk':
      return `${job.write.action} ${job.write.resource} by a filter`
    case 'portion':
      return `delete ${job.root.type} in the background`
    case 'statements':
      return systemSubject
    default:
      return unreachable(job)
  }
}

/** Statements on the system tables. */
export const systemSubject = 'system tables'

/** A portion of a delete in the background. */
interface PortionJob {
  kind: 'portion'
  root: BackgroundDelete
}

/** A transaction of several writes: all of them or none. */
export interface BatchJob {
  kind: 'batch'
  jobs: WriteJob[]
  /** How errors name each write; null: by its index. */
  places: readonly string[] | null
  /** Reads all written rows of a list of ids, if one statement can; null: each write has its own; `nothing`: nothing of them is
   *  selected. */
  readBacks: BoundRead | 'nothing' | null
  idempotencyKey: IdempotencyKey | null
}

/** The same write of several rows: all of them or none. */
export interface BulkJob {
  kind: 'bulk'
  /** Of each row; its id is null. */
  write: WriteJob
  /** In the order of the request. */
  ids: string[]
  /** Selects those of the ids that still match. */
  match: BoundRead
  idempotencyKey: IdempotencyKey | null
}

/** Statements on the system tables (tokens, keys, secrets): all of them or none. */
export interface StatementsJob {
  kind: 'statements'
  statements: Query[]
}

export interface WriteJob {
  kind: 'write'
  action: WritePlan['action']
  resource: string
  id: string | null
  /** Null: the row is found by its id. */
  key: JobKey | null
  /** All rows that the write creates get the ids of this seed (`seededIds`), so that a second run creates the same rows. Null:
   *  new ids. */
  idSeed: string | null
  set: JobField[]
  /** Children that a create inserts with the new row. */
  rows: JobRows[]
  /** Lists whose rows are written along with the row. */
  lists: JobList[]
  /** For an upsert: what it changes of a row that is there; null: nothing. */
  update: JobRow | null
  /** For an update that puts an earlier version back: what it sets is read inside the transaction. */
  revert: JobReversion | null
  ifVersion: number | null
  /** Null: the write has no precondition beside `ifVersion`. */
  preconditions: JobPreconditions | null
  /** The statement that reads the written row. Null for a delete. */
  readBack: BoundRead | null
  viewer: JobViewer
  /** The hash of the account's new password; the password itself never comes here. */
  password: string | null
  /** What confirms that the viewer may change the password and login of their own account. */
  confirmation: Confirmation | null
  /** The identity at an external issuer that a new account belongs to. */
  identity: NewIdentity | null
  /** What proves the address of the account. */
  proof: AccountProof | null
  /** What makes the new account one whose owner signs up. */
  signUp: SignUp | 'rehearsal' | null
  /** Null: no rule restricts the write. */
  checks: JobChecks | null
  /** The transitions of the state fields that an update sets, by field; null: any state may be written. */
  transitions: JobTransitions | null
  /** The store applies a write with a key only once; null: every time. */
  idempotencyKey: IdempotencyKey | null
  /** Whether a delete that is too large may run in the background. */
  isAsync: boolean
  /** Whether the update may change fields that can't change otherwise, and keeps the update time. */
  isImport: boolean
}

export interface JobReversion {
  version: number
  /** Reads the values of the version (`sql/version-read.ts`). */
  read: BoundRead
}

/** A unique key: its fields by name, and their canonical values. */
export interface JobKey {
  fields: readonly string[]
  values: readonly unknown[]
}

export type JobTransitions = ReadonlyMap<string, JobTransition[]>

/** One `@next` rule. */
export interface JobTransition {
  from: string
  to: readonly string[]
  /** Null: the transition is open to viewers who may update the row. */
  who: BoundCheck | null
  needs: { check: BoundCheck; words: string | null }[]
}

/** The preconditions of the plan, with their values. */
export interface JobPreconditions {
  presence: 'there' | 'none' | null
  versions: number[] | null
  otherVersions: number[] | null
  unmodified: { by: string; since: string } | null
}

/** The viewer who writes. */
export interface JobViewer {
  account: string | null
  /** Whether the request had a token or a key. An anonymous viewer has no account either, but is no operator. */
  authenticated: boolean
  token: string | null
  /** Whether the viewer creates accounts only as anybody may (`isGuest`). */
  isGuest: boolean
  /** Whether somebody else acts as the viewer. */
  isActing?: true
  /** As the change log stores them. */
  by: string
  via: string | null
  trace: string | null
  /** The claims of the token that the schema file names. */
  claims?: Readonly<Record<string, unknown>>
}

/** The rules that restrict the write, as statements; fields and types by name. */
export interface JobChecks {
  read: BoundCheck
  before: BoundCheck
  create: BoundCheck
  after: BoundCheck
  /** `update` checks the row before the write, `after` the row after it. */
  fields: Map<string, { create: BoundCheck; update: BoundCheck; after: BoundCheck }>
  password: BoundCheck
  hidden: Map<string, BoundCheck>
  targets: Map<string, BoundCheck>
  /** By the name of the list whose other side holds the links. */
  holders: Map<string, BoundCheck>
  /** By `Type.field`: READ of a row that blocks a delete, and of its reference field. */
  referrers: Map<string, BoundCheck>
  /** By the name of a type whose label not everyone may read on every row. Absent: there is none. */
  labels?: Map<string, JobLabel>
}

interface JobLabel {
  /** Null: none that this viewer could read. */
  field: string | null
  readable: BoundCheck
}

/** Whether every row passes, or none, or those for which the statement returns a row. */
export type BoundCheck = boolean | BoundRead

/** The new children of one list. */
export interface JobRows {
  field: string
  checks: JobChecks | null
  rows: JobRow[]
}

export type JobRow = Pick<WriteJob, 'set' | 'rows' | 'lists'>

/** Writes of the rows of one list, with the rules of each kind of write. */
export interface JobList {
  field: string
  disconnect: string[]
  delete: string[]
  connect: string[]
  update: (JobRow & { id: string; transitions: JobTransitions | null })[]
  create: JobRow[]
  /** Null: no rule restricts them. */
  checks: { create: JobChecks; update: JobChecks; delete: JobChecks; list: BoundCheck } | null
}

export interface JobField {
  field: string
  /** Canonical, not yet encoded. */
  value: unknown
  merge: boolean
  /** For a list of links: whether the ids are added or removed; `created`: the write itself has created those rows. For a number:
   *  is added to that of the row. Without it the value replaces what the row has. */
  change?: SetField['change'] | 'created' | undefined
  /** Set for a file of an earlier version of the row: the viewer could read it there. */
  isFileOfRow?: true
}

/** The result of one write. */
export type Written =
  | { kind: 'written'; text: string; id: string; version: number; created: boolean; replayed?: true }
  | { kind: 'deleted'; found: boolean; id: string; isPending?: true; replayed?: true }

/** Whether this write has hidden a row, and not an earlier one with the same idempotency key. */
export function isBegunDelete(written: Written | WrittenBulk): boolean {
  return written.kind !== 'written' && written.isPending === true && written.replayed !== true
}

/** `isDone`: nothing is left of the delete. */
export interface DeletedPortion {
  kind: 'portion'
  isDone: boolean
}

export interface WrittenBatch {
  kind: 'batch'
  answers: Written[]
  replayed?: true
}

/** `isPending`: some rows are hidden, and what refers to them goes in the background. */
export interface WrittenBulk {
  kind: 'bulk'
  ids: string[]
  isPending?: true
  replayed?: true
}

/** The result of a `RowsJob`. */
export type WrittenRows = Written | WrittenBatch | WrittenBulk

/** The result of a job in an open transaction. */
export interface AppliedJob {
  kind: 'applied'
  result: WrittenRows
  changes: LoggedChangeKey[]
}

export type WriteResult =
  | AppliedJob
  | WrittenRows
  | StatementsResult
  | DeletedPortion
  | {
      kind: 'apiError'
      code: Code
      message: string
      hint: string | undefined
      problems: Problem[]
      headers: Record<string, string>
      place: string | undefined
      deniedRight: DeniedRight | undefined
    }
  /** `isResourceError`: the disk or the memory failed, not the write. `failure`: how what stores it has failed. */
  | {
      kind: 'error'
      message: string
      stack: string | undefined
      isResourceError: boolean
      failure: StorageFailure | null
    }

/** The rows of each statement. */
export interface StatementsResult {
  kind: 'done'
  rows: QueryRows[]
}

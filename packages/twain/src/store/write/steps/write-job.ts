// What a store hands to the logic of a write, and what comes back: plain data, since SQLite's writer is another thread.

import type { Code, IdempotencyKey, Problem } from '#base'
import type { WritePlan } from '#plan'
import type { BoundRead } from '../../sql/bind.ts'
import type { Query, QueryRows } from '../../sql/query.ts'

export type Job = WriteJob | BatchJob | StatementsJob

/** All of them or none. */
export interface BatchJob {
  kind: 'batch'
  jobs: WriteJob[]
  /** What each is told by when it fails; null: its number. */
  places: string[] | null
  idempotencyKey: IdempotencyKey | null
}

/** Statements on our own tables (tokens, keys, secrets), all of them or none. */
export interface StatementsJob {
  kind: 'statements'
  statements: Query[]
}

export interface WriteJob {
  kind: 'write'
  action: WritePlan['action']
  resource: string
  id: string | null
  set: JobField[]
  /** Rows that are made along with a new one. */
  rows: JobRows[]
  ifVersion: number | null
  /** Null: there are no conditions beside the version. */
  preconditions: JobPreconditions | null
  /** The statement that gives the written row. Null for a delete. */
  readBack: BoundRead | null
  viewer: JobViewer
  /** The hash of the account's new password; the password itself never comes here. */
  password: string | null
  /** Null: nothing is judged. */
  checks: JobChecks | null
  /** The moves of the state fields that a change names, by field; null: any state may be written. */
  transitions: JobTransitions | null
  /** It is made once, however often it comes; null: as often as it comes. */
  idempotencyKey: IdempotencyKey | null
}

export type JobTransitions = ReadonlyMap<string, JobTransition[]>

/** One `@next` line. */
export interface JobTransition {
  from: string
  to: readonly string[]
  /** Null: for who may update the row. */
  who: BoundCheck | null
  needs: { check: BoundCheck; words: string | null }[]
}

/** As the plan's `Given`, with its values. */
export interface JobPreconditions {
  presence: 'there' | 'none' | null
  versions: number[] | null
  otherVersions: number[] | null
  unmodified: { by: string; since: string } | null
}

/** Who writes. */
export interface JobViewer {
  account: string | null
  /** Came with a token or a key: someone unknown has no account either, but is no operator. */
  authenticated: boolean
  token: string | null
}

/** The rules that the write must pass, as statements; fields and types by their names. */
export interface JobChecks {
  read: BoundCheck
  before: BoundCheck
  create: BoundCheck
  after: BoundCheck
  /** `update` is asked of the row as it was, `after` of the row as it would be. */
  fields: Map<string, { create: BoundCheck; update: BoundCheck; after: BoundCheck }>
  password: BoundCheck
  hidden: Map<string, BoundCheck>
  targets: Map<string, BoundCheck>
  /** By the name of the list whose other side holds it. */
  holders: Map<string, BoundCheck>
  /** By `Type.field`: READ of a row that stands against a delete, and of the field by which it does. */
  referrers: Map<string, BoundCheck>
}

/** Whether every row passes, or none, or those of which the statement gives a row. */
export type BoundCheck = boolean | BoundRead

/** The rows of one owned list. */
export interface JobRows {
  field: string
  checks: JobChecks | null
  rows: JobRow[]
}

export type JobRow = Pick<WriteJob, 'set' | 'rows'>

export interface JobField {
  field: string
  /** Canonical, not yet encoded. */
  value: unknown
  merge: boolean
  /** Of a list of links: what becomes of those that there are. */
  change?: 'add' | 'remove' | undefined
}

/** What became of one write. */
export type Written =
  | { kind: 'written'; text: string; id: string; version: number; created: boolean; replayed?: true }
  | { kind: 'deleted'; found: boolean; id: string; replayed?: true }

export interface WrittenBatch {
  kind: 'batch'
  answers: Written[]
  replayed?: true
}

export type WriteResult =
  | Written
  | WrittenBatch
  | StatementsResult
  | {
      kind: 'fault'
      code: Code
      message: string
      hint: string | undefined
      problems: Problem[]
      headers: Record<string, string>
    }
  /** `scarce`: the disk or the memory failed, not the write. */
  | { kind: 'error'; message: string; stack: string | undefined; scarce: boolean }

/** For each statement the rows that it returned. */
export interface StatementsResult {
  kind: 'done'
  rows: QueryRows[]
}

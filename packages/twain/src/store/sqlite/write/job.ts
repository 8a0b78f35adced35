// What the main thread sends to the writer, and what comes back: plain data, since it crosses a thread.

import type { Code, Problem } from '#base'
import type { Write } from '#plan'
import type { SqlValue } from '../../compile/encode.ts'

export interface WriteJob {
  action: Write['action']
  resource: string
  id: string | null
  set: JobField[]
  ifVersion: number | null
  /** The statement that gives the written row; `idAt` are the parameters that its id fills. Null for a delete. */
  answer: { sql: string; parameters: SqlValue[]; idAt: number[] } | null
}

export interface JobField {
  field: string
  /** Canonical, not yet encoded. */
  value: unknown
  merge: boolean
}

export type WriteResult =
  | { kind: 'written'; text: string; id: string; version: number; created: boolean }
  | { kind: 'deleted'; found: boolean; id: string }
  | { kind: 'fault'; code: Code; message: string; hint: string | undefined; problems: Problem[] }
  | { kind: 'error'; message: string; stack: string | undefined }

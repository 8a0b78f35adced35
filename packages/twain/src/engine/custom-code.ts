// What the engine wants of the service's own code. Whoever runs it (a floor above) holds it to its time.

import type { IdempotencyKey, Viewer } from '#base'
import type { ComputedField, CustomOperation, Resource } from '#model'
import type { Engine } from './contract.ts'

export interface CustomCode {
  /** A value for each row, in their order; one that is an Error failed for that row alone. Rejects when the call failed. */
  compute(field: ComputedField, rows: readonly CodeInputRow[], args: CodeArguments, viewer: Viewer): Promise<unknown[]>
  /** Rejects when the call failed. `once`: what it writes is written once, however often it is called with this. */
  call(operation: CustomOperation, args: CodeArguments, viewer: Viewer, once: IdempotencyKey | null): Promise<unknown>
  /** Null where there are none. */
  hooks: CodeHooks | null
}

/** What stands around writes (`hooked-engine.ts`). */
export interface CodeHooks {
  /** The names of the types that have one. */
  readonly before: ReadonlySet<string>
  readonly after: ReadonlySet<string>
  /** Rejects with what undoes the write. `inside` is the engine of its transaction. */
  run(hook: 'before' | 'after', of: Resource, write: HookedWrite, viewer: Viewer, inside: Engine): Promise<void>
  /** A row as hooks are shown it, with no rules. */
  row(of: Resource, id: string, inside: Engine): Promise<object | null>
}

export type HookedWrite =
  /** `before`: the row as it is, and as it would be. The id of one that is made along with another is not known yet. */
  | { kind: 'create' | 'update' | 'delete'; id: string | null; row: object | null; next: object | null }
  /** `after`: the row as it is now. */
  | { kind: 'created' | 'updated' | 'deleted'; id: string; row: object | null }

/** What own code is given of a row: its id, and what `from` names, null where its viewer may not read it. */
export type CodeInputRow = Readonly<Record<string, unknown>> & { readonly id: string }

/** By name; what was left out and has no default is not there. */
export type CodeArguments = Readonly<Record<string, unknown>>

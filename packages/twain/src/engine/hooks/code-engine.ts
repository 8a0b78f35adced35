// What custom code and the service see of the engine, and what the engine calls of custom code around writes.

import type { Viewer } from '#base/http'
import type { Resource } from '#model'
import type { ImportStep, NewJob, OpenTransaction, Store } from '#store'
import type { MayActAs } from '../act-as.ts'
import type { CustomCode } from '../computed/custom-code.ts'
import { type Engine, type EngineOptions, wrapEngine } from '../engine.ts'

export interface HookedEngineOptions extends EngineOptions {
  store: EngineOptions['store'] & Pick<Store, 'transaction' | 'jobs' | 'backgroundDeletes'>
  /** Null: the code has no hooks. */
  code?: (CustomCode & { hooks: CodeHooks | null }) | undefined
  /** How long the code of a transaction may take by itself; for tests. */
  maxCodeMs?: number
}

/** What custom code sees of the engine. */
export interface CodeEngine extends Engine {
  /** Whether everything that it runs is part of an open transaction. */
  readonly isInTransaction: boolean
  /** Whether everything that it writes is undone. */
  readonly isDryRun: boolean
  /** Runs `work` in one transaction: all of its writes are committed or none. The store calls `work` again after a conflict with
   *  another transaction. Inside an open transaction it is a part of that: only its own writes are undone if it rejects. */
  transaction<T>(viewer: Viewer, work: (inside: CodeEngine) => Promise<T>, call?: LimitedCall): Promise<T>
  /** Enqueues a background job, inside an open transaction as a part of that. Returns its id. */
  enqueue(job: NewJob): Promise<string>
}

/** The call of custom code that a transaction belongs to. */
export interface LimitedCall {
  /** Aborted when the call is given up. Then the transaction is rolled back, unless it commits already, and does not run again. */
  readonly signal: AbortSignal
  /** Called before an attempt commits: then it may be made, whatever happens. */
  committing(): void
}

/** The engine of a service, which imports rows and runs data migrations too. */
export interface ServiceEngine extends CodeEngine {
  /** Whether the rules let the viewer act as this account; null: as any. */
  mayActAs: MayActAs
  /** Runs the writes of an import, and stores in the same transaction how far it has come. Without a step it undoes them: a
   *  dry run. */
  importRows<T>(
    viewer: Viewer,
    stepAfter: ((made: T) => ImportStep) | null,
    write: (inside: Engine) => Promise<T>,
  ): Promise<T>
  /** A transaction of a data migration, with or without hooks. `query` changes system tables as a part of it. */
  migrate<T>(
    viewer: Viewer,
    options: { hooks: boolean; timeoutMs?: number },
    work: (inside: CodeEngine, query: OpenTransaction['query']) => Promise<T>,
  ): Promise<T>
}

/** An engine of custom code that does some things differently. */
export function wrapCodeEngine(
  engine: CodeEngine,
  overrides: Partial<Pick<CodeEngine, 'execute' | 'transact' | 'transaction' | 'enqueue'>>,
): CodeEngine {
  const {
    transaction = (viewer, work, call) => engine.transaction(viewer, work, call),
    enqueue = (job) => engine.enqueue(job),
    ...others
  } = overrides
  return Object.assign(wrapEngine(engine, others), {
    isInTransaction: engine.isInTransaction,
    isDryRun: engine.isDryRun,
    transaction,
    enqueue,
  })
}

/** The hooks of custom code around writes, as the engine calls them. */
export interface CodeHooks {
  /** The names of the types that have such a hook. */
  readonly before: ReadonlySet<string>
  readonly after: ReadonlySet<string>
  /** Rejects to roll the write back. `engine` runs inside the transaction of the write; the signal is aborted when that fails. */
  run(
    hook: 'before' | 'after',
    of: Resource,
    write: HookedWrite,
    viewer: Viewer,
    engine: CodeEngine,
    signal: AbortSignal,
  ): Promise<void>
  /** The row that hooks get, read without rules. */
  row(of: Resource, id: string, engine: CodeEngine): Promise<object | null>
}

export type HookedWrite =
  /** For `before`: the row as it is, and as it would be. */
  | { kind: 'create' | 'update' | 'delete'; id: string; row: object | null; next: object | null }
  /** For `after`: the row as it is now. */
  | { kind: 'created' | 'updated' | 'deleted'; id: string; row: object | null }

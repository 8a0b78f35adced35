// The context of custom code: the second argument of resolvers and hooks.
//
// 1. `read` and `write` have the viewer's permissions. `system` ignores the rules, and each use of it is logged.
// 2. Both run through the engine: limits, checks and the change log apply to custom code as to every request.
// 3. While a transaction of the context is open, only that transaction writes. A write beside it would wait for its end on SQLite,
//    and would not be part of it on PostgreSQL. Inside a transaction it waits for the end of the inner one.

import { type CacheBudget, type Log, readOnlySession } from '#base'
import { type Acting, actorOf, isSystem, system, systemFor, type Viewer } from '#base/http'
import { type CodeEngine, CodeTooSlow, wrapCodeEngine } from '#engine'

import type { Model, Resource } from '#model'
import { isReadPlan } from '#plan'
import { callSiteOf, fromCode } from './call-site.ts'
import { type EnqueueOptions, newJob } from './new-job.ts'
import { CodeRows, type RowReader, type RowWriter } from './rows.ts'

export interface Context<
  Read = Readonly<Record<string, RowReader>>,
  Write = Readonly<Record<string, RowWriter>>,
  Jobs = AnyJobs,
> {
  /** The viewer of the request. */
  viewer: ContextViewer
  /** Who acts as the viewer; null: the viewer. */
  actor: ContextActor | null
  /** By type name: `read.Post.get(id)`. */
  read: Read
  write: Write
  /** The same without rules, for what the service itself must read or write. */
  system: { read: Read; write: Write }
  /** Runs `work` in one transaction: all of its writes are made or none. What it reads stays true until the commit. After a
   *  conflict with another transaction Twain runs `work` again. Use the context that it gets. */
  transaction<T>(work: (tx: Context<Read, Write, Jobs>) => Promise<T>): Promise<T>
  /** Enqueues a job of `jobs`, and returns its id. Inside a transaction or a hook it is a part of that: the job exists if it
   *  commits. */
  enqueue<Name extends keyof Jobs & string>(
    name: Name,
    ...job: undefined extends Jobs[Name]
      ? [payload?: Jobs[Name], options?: EnqueueOptions]
      : [payload: Jobs[Name], options?: EnqueueOptions]
  ): Promise<string>
  /** Whether everything that the request writes is undone (`dryRun`): a hook then leaves out what Twain can't undo, such as an
   *  e-mail. */
  dryRun: boolean
  /** Writes to the log of the server. */
  log: Log
  /** Aborted when the time of the call is over (`limits.codeSeconds`, or the `timeLimit` of a job). */
  signal: AbortSignal
}

/** The payloads of jobs, by name: any, unless the code says more. */
// biome-ignore lint/suspicious/noExplicitAny: a payload is any JSON
export type AnyJobs = Readonly<Record<string, any>>

interface ContextViewer {
  /** The id of the account; null for an anonymous viewer, an operator or an API key. */
  readonly id: string | null
  readonly roles: readonly string[]
  /** Whether the request had a valid token or key. */
  readonly authenticated: boolean
}

/** Somebody who acts as the viewer (`POST /tokens` with `as`). */
interface ContextActor {
  /** As the change log names them: `account:1`, `operator:1`, `key:1`. */
  readonly by: string
  /** The id of their account; null for an operator or an API key. */
  readonly id: string | null
  /** Whether the session refuses every write. */
  readonly readOnly: boolean
  /** Why they act; null: they gave no reason. */
  readonly reason: string | null
}

/** Creates the contexts of calls. */
export class Contexts {
  readonly #log: Log
  readonly #engine: () => CodeEngine
  readonly #rows: ReadonlyMap<string, CodeRows>

  readonly #jobs: ReadonlySet<string>
  readonly #began: (functionName: string) => void

  /** `jobs` are the names that can be enqueued. `began` is called when code begins. */
  constructor(
    model: Model,
    engine: () => CodeEngine,
    log: Log,
    jobs: ReadonlySet<string>,
    caches?: CacheBudget,
    began: (functionName: string) => void = () => {},
  ) {
    this.#jobs = jobs
    this.#began = began
    this.#log = log
    this.#engine = engine
    this.#rows = new Map([...model.resources, ...model.views].map((of) => [of.name, new CodeRows(engine, of, caches)]))
  }

  /** Reads a row without rules and without a log entry, for the arguments of hooks. */
  row(of: Resource, id: string, inside: CodeEngine): Promise<object | null> {
    return this.#rows.get(of.name)!.reader(system, inside).get(id)
  }

  /** `functionName` is the code that is called: `Post.excerpt`. `engine` is by default that of the service. With the engine of an
   *  open transaction, all reads and writes are part of that transaction. */
  create(functionName: string, viewer: Viewer, signal: AbortSignal, engine: CodeEngine = this.#engine()): Context {
    this.#began(functionName)
    const { account, roles, authenticated, acting } = viewer
    const rows = this.#rows
    const log = this.#log
    // An `on` handler and a migration name themselves; other code runs for a viewer, and its writes with `write` are the viewer's.
    const actor = viewer.by !== undefined && /^(job|migration):/.test(viewer.by) ? viewer.by : `hook:${functionName}`
    const logAccess: LogSystemAccess = (operation, resource) => {
      if (isSystem(viewer)) return // all access of a migration is
      log.info({ 'code.function.name': functionName, operation, resource }, 'custom code used system access')
    }
    let openTransactions = 0
    const writing = (): CodeEngine => (engine.isInTransaction ? engine : refusing(engine, () => openTransactions > 0))
    // Getters create readers and writers on demand: most code uses few of them.
    return {
      viewer: { id: account, roles, authenticated },
      actor: acting === undefined ? null : actorIn(acting),
      dryRun: engine.isDryRun,
      get read() {
        return readersOf(rows, viewer, engine)
      },
      get write() {
        return writersOf(rows, viewer, writing())
      },
      get system() {
        const own = systemFor(actor, viewer)
        const read = readersOf(rows, own, engine, logAccess)
        return { read, write: writersOf(rows, own, writing(), logAccess) }
      },
      transaction: async (work) => {
        openTransactions++
        try {
          return await fromCode(() =>
            engine.transaction(viewer, (inside) => work(this.create(functionName, viewer, signal, inside))),
          )
        } catch (error) {
          if (error instanceof CodeTooSlow) {
            log.warn(
              { 'code.function.name': functionName, 'exception.stacktrace': callSiteOf(error)?.stack },
              'a transaction of custom code was stopped because its code took too long',
            )
          }
          throw error
        } finally {
          openTransactions--
        }
      },
      enqueue: (name, payload?: unknown, options: EnqueueOptions = {}) =>
        fromCode(async () => {
          if (acting?.readOnly === true) throw readOnlySession()
          return writing().enqueue(newJob(name, payload, options, this.#jobs, actorOf(viewer)))
        }),
      log,
      signal,
    }
  }
}

function actorIn({ by, account, readOnly, reason }: Acting): ContextActor {
  return { by, id: account, readOnly, reason }
}

/** The engine of a context, whose writes fail while `isRefused`. */
function refusing(engine: CodeEngine, isRefused: () => boolean): CodeEngine {
  const refuse = () => {
    throw new Error('a transaction of this context is open: write with the context that its function gets')
  }
  return wrapCodeEngine(engine, {
    execute: (boundPlan, viewer, options) => {
      if (isRefused() && !isReadPlan(boundPlan.plan)) refuse()
      return engine.execute(boundPlan, viewer, options)
    },
    enqueue: (job) => (isRefused() ? refuse() : engine.enqueue(job)),
  })
}

type LogSystemAccess = (operation: 'read' | 'write', resource: string) => void

function readersOf(
  rows: ReadonlyMap<string, CodeRows>,
  viewer: Viewer,
  engine: CodeEngine,
  logAccess?: LogSystemAccess,
): Readonly<Record<string, RowReader>> {
  return byName(rows, (of) => of.reader(viewer, engine), logAccess && ((name) => logAccess('read', name)))
}

function writersOf(
  rows: ReadonlyMap<string, CodeRows>,
  viewer: Viewer,
  engine: CodeEngine,
  logAccess?: LogSystemAccess,
): Readonly<Record<string, RowWriter>> {
  const written = new Map([...rows].filter(([, of]) => !of.isReadOnly))
  return byName(written, (of) => of.writer(viewer, engine), logAccess && ((name) => logAccess('write', name)))
}

function byName<T>(
  rows: ReadonlyMap<string, CodeRows>,
  make: (rows: CodeRows) => T,
  logAccess?: (name: string) => void,
): Readonly<Record<string, T>> {
  const all = {}
  for (const [name, of] of rows) {
    const get = () => {
      logAccess?.(name)
      return make(of)
    }
    Object.defineProperty(all, name, { enumerable: true, get })
  }
  return all
}

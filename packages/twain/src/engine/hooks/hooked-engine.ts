// The engine with the `before` and `after` hooks of custom code, inside the transaction of the write.
//
// 1. A hook sees rows, not requests: every row of its type that a write changes, cascades, links and rows of owned lists
//    included, through every adapter, alone or in a batch.
// 2. The engine makes the write, reads what it changed and rolls it back, and then calls `before`. So the rules have
//    allowed the write: no viewer can make code run for a write that is denied.
// 3. A hook reads and writes in the same transaction. Its writes call hooks too, except those of types whose hooks are
//    already running: code does not call itself.
// 4. An error of a hook rolls back everything.

import type { MaybePromise } from '#base'
import type { Viewer } from '#base/http'
import { type Model, membersOf, type Resource } from '#model'
import { Authority, isRehearsal, type Plan, type PlanResult } from '#plan'
import type { ImportStep, NewJob, OpenTransaction, Store, TransactionOptions, WrittenChange } from '#store'
import { type MayActAs, openActAs } from '../act-as.ts'
import { bulkTransaction } from '../bulk-write.ts'
import type { CustomCode } from '../computed/custom-code.ts'
import { createEngine, type Engine, type EngineOptions, wrapEngine } from '../engine.ts'
import { memoizePasswords } from '../password-stage.ts'
import { rehearsalIn } from '../rehearse-write.ts'
import { admittingSignUps } from '../sign-up-admission.ts'
import { planOnce } from '../transaction.ts'
import { type EachResult, type WriteEach, writeEach } from '../write-each.ts'

interface HookedEngineOptions extends EngineOptions {
  store: EngineOptions['store'] & Pick<Store, 'transaction' | 'jobs' | 'backgroundDeletes'>
  /** Null: the code has no hooks. */
  code?: (CustomCode & { hooks: CodeHooks | null }) | undefined
}

/** What custom code sees of the engine. */
export interface CodeEngine extends Engine {
  /** Whether everything that it runs is part of an open transaction. */
  readonly isInTransaction: boolean
  /** Whether everything that it writes is undone. */
  readonly isDryRun: boolean
  /** Runs `work` in one transaction: all of its writes are committed or none. The store calls `work` again after a conflict with
   *  another transaction. Inside an open transaction it is a part of that: only its own writes are undone if it rejects. */
  transaction<T>(viewer: Viewer, work: (inside: CodeEngine) => Promise<T>): Promise<T>
  /** Enqueues a background job, inside an open transaction as a part of that. Returns its id. */
  enqueue(job: NewJob): Promise<string>
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
    transaction = (viewer, work) => engine.transaction(viewer, work),
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

/** The engine, with the hooks that the code has. */
export function openEngine(options: HookedEngineOptions): ServiceEngine {
  const hooks = options.code?.hooks ?? null
  const authority = new Authority(options.model)
  const { store } = options
  store.backgroundDeletes.watch((types) => authority.setPendingDeletes(types))
  const rehearse = rehearsalIn(store)
  const engine = createEngine({
    ...options,
    authority,
    store: {
      run: (plan, values, runOptions, viewer) => store.run(plan, values, runOptions, viewer),
      queryFor: (plan, values, viewer) => store.queryFor(plan, values, viewer),
      transact: (writes, key, viewer) => store.transact(writes, key, viewer),
      projector: store.projector,
      idempotency: store.idempotency,
      rehearse,
      writeEach: (parts, viewer, key, caller) => hooked.writeEach(parts, viewer, key, caller),
    },
  })
  const hooked = new HookedWrites({ ...options, authority }, hooks ?? noHooks)
  const unhooked = hooks === null ? hooked : new HookedWrites({ ...options, authority }, noHooks)
  const outside: Pick<
    ServiceEngine,
    'isInTransaction' | 'isDryRun' | 'transaction' | 'enqueue' | 'importRows' | 'migrate' | 'mayActAs'
  > = {
    isInTransaction: false,
    isDryRun: false,
    transaction: (viewer, work) => hooked.inTransaction(viewer, work),
    migrate: (viewer, { hooks: isHooked, ...limits }, work) =>
      (isHooked ? hooked : unhooked).inTransaction(viewer, work, { ...limits, isSerializable: true }),
    enqueue: (job) => options.store.jobs.enqueue(job),
    importRows: (viewer, stepAfter, write) => hooked.importRows(viewer, stepAfter, write),
    mayActAs: openActAs(options.model, authority, store),
  }
  const served = hooks === null ? engine : wrapHooked(engine, hooked)
  const { passwords } = options
  return Object.assign(passwords ? admittingSignUps(served, passwords.admitSignUp) : served, outside)
}

function wrapHooked(engine: Engine, hooked: HookedWrites): Engine {
  return wrapEngine(engine, {
    execute: (boundPlan, viewer, executeOptions) =>
      hooked.mayRunFor(boundPlan.plan)
        ? hooked.inTransaction(
            viewer,
            (inside) => inside.execute(boundPlan, viewer, executeOptions),
            boundPlan.plan.kind === 'bulk' ? bulkTransaction : undefined,
          )
        : engine.execute(boundPlan, viewer, executeOptions),
    // The types of the writes are known once they are planned, which happens inside.
    transact: (parts, viewer, idempotencyKey, caller) => {
      const planned = parts.map(planOnce)
      return hooked.inTransaction(viewer, (inside) => inside.transact(planned, viewer, idempotencyKey, caller))
    },
  })
}

class HookedWrites {
  readonly #options: HookedEngineOptions
  readonly #hooks: CodeHooks
  /** The transactions with a write that its owner has confirmed. */
  readonly #confirmed = new WeakSet<OpenTransaction>()
  readonly #types: ReadonlyMap<string, Resource>
  /** The types whose writes may change a row that has a hook. */
  readonly #affectingTypes: ReadonlySet<string>

  constructor(options: HookedEngineOptions, hooks: CodeHooks) {
    this.#options = options
    this.#hooks = hooks
    this.#types = new Map(options.model.resources.map((of) => [of.name, of]))
    this.#affectingTypes = typesAffecting(new Set([...hooks.before, ...hooks.after]), options.model)
  }

  mayRunFor(plan: Plan): boolean {
    if (plan.kind === 'write') return !isRehearsal(plan) && this.#affectingTypes.has(plan.of.name)
    if (plan.kind === 'bulk') return this.#affectingTypes.has(plan.of.name)
    return plan.kind === 'batch' && plan.writes.some(({ of }) => this.#affectingTypes.has(of.name))
  }

  inTransaction<T>(
    viewer: Viewer,
    work: (engine: CodeEngine, query: OpenTransaction['query']) => MaybePromise<T>,
    options?: TransactionOptions,
  ): Promise<T> {
    const inside = async (open: OpenTransaction) =>
      work(this.#engineInside(open, new Set()), (...queries) => open.query(...queries))
    return this.#transaction(viewer, inside, options)
  }

  importRows<T>(
    viewer: Viewer,
    stepAfter: ((made: T) => ImportStep) | null,
    write: (engine: Engine) => Promise<T>,
  ): Promise<T> {
    return this.#transaction(viewer, async (inside) => {
      const engine = this.#engineInside(inside, new Set())
      if (stepAfter === null) return inside.dryRun(() => write(engine))
      const made = await write(engine)
      await inside.saveImport(stepAfter(made))
      return made
    })
  }

  writeEach(...[parts, viewer, key, caller]: Parameters<WriteEach>): Promise<EachResult> {
    const planned = parts.map(planOnce)
    const write = async (inside: OpenTransaction): Promise<EachResult> => {
      const earlier = key === null ? null : await inside.recall<EachResult>(key)
      if (earlier !== null) return earlier
      const result = { outcomes: await writeEach(planned, viewer, this.#engineInside(inside, new Set()), caller) }
      if (key !== null) await inside.remember(key, result)
      return result
    }
    return this.#transaction(viewer, write, bulkTransaction)
  }

  async #transaction<T>(
    viewer: Viewer,
    work: (inside: OpenTransaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T> {
    const { store } = this.#options
    let last: OpenTransaction | null = null
    const run = async (inside: OpenTransaction) => {
      last = inside
      return work(inside)
    }
    const made = await store.transaction(run, viewer, options)
    const committed = last as OpenTransaction | null
    if (committed?.hasEnqueued === true) store.jobs.enqueued('code')
    if (committed !== null && this.#confirmed.has(committed)) this.#options.passwords?.confirmed?.()
    return made
  }

  /** The engine of an open transaction. It runs one plan at a time, even if code starts several at once. `running` are the types
   *  whose hooks are running. */
  #engineInside(inside: OpenTransaction, running: ReadonlySet<string>, isDryRun = false): CodeEngine {
    const { store, passwords } = this.#options
    const inTurn = serialQueue()
    const inTransaction: Pick<CodeEngine, 'isInTransaction' | 'isDryRun' | 'transaction' | 'enqueue'> = {
      isInTransaction: true,
      isDryRun,
      enqueue: (job) => inTurn(() => inside.enqueue(job)),
      // Its engine has a queue of its own, and this one waits for it: what is written beside it is not undone with it.
      transaction: (_viewer, work) =>
        inTurn(() => inside.savepoint(() => work(this.#engineInside(inside, running, isDryRun)))),
    }
    const engine = createEngine({
      ...this.#options,
      passwords: passwords && memoizePasswords(passwords, () => void this.#confirmed.add(inside)),
      store: {
        run: (plan, values, options, viewer) => inside.run(plan, values, options, viewer),
        queryFor: (plan, values, viewer) => store.queryFor(plan, values, viewer),
        transact: (writes, idempotencyKey, viewer) => inside.transact(writes, idempotencyKey, viewer),
        rehearse: (write) => inside.dryRun(() => write(inside)),
        projector: store.projector,
        idempotency: store.idempotency,
      },
    })
    const read = Object.assign(engine, inTransaction)
    const wrapped = wrapEngine(engine, {
      execute: (boundPlan, viewer, options) => {
        if (!this.mayRunFor(boundPlan.plan)) return inTurn(async () => engine.execute(boundPlan, viewer, options))
        const { isDryRun: isUndone = false, ...once } = { ...options, matched: {} }
        const run = async () => engine.execute(boundPlan, viewer, once)
        const write = () => this.#write(run, viewer, inside, running, read, isDryRun || isUndone)
        return inTurn(isUndone ? () => inside.dryRun(write) : write)
      },
      transact: (parts, viewer, idempotencyKey, caller) => {
        const planned = parts.map(planOnce)
        const run = () => engine.transact(planned, viewer, idempotencyKey, caller)
        return inTurn(() => this.#write(run, viewer, inside, running, read, isDryRun))
      },
    })
    return Object.assign(wrapped, inTransaction)
  }

  async #write<A extends PlanResult>(
    write: () => Promise<A>,
    viewer: Viewer,
    inside: OpenTransaction,
    running: ReadonlySet<string>,
    engine: CodeEngine,
    isDryRun: boolean,
  ): Promise<A> {
    const { before, after } = this.#hooks
    if (before.size + after.size === 0) return write()
    const engineFor = (of: Resource) => this.#engineInside(inside, new Set([...running, of.name]), isDryRun)
    const seeds: string[] = []
    inside.written()
    if (before.size > 0) {
      const planned = await inside.dryRun(async () => {
        await inside.withIdSeeds(seeds, write)
        const changes = this.#rowChanges(before, running, inside.written())
        return inOrder(changes, async (change) => ({ ...change, next: await this.#row(change, engine) }))
      })
      for (const { of, id, kind, next } of planned) {
        const row = kind === 'created' ? null : await this.#hooks.row(of, id, engine)
        await this.#hooks.run('before', of, { kind: actionOf[kind], id, row, next }, viewer, engineFor(of))
      }
    }
    inside.written()
    const result = await inside.withIdSeeds(seeds, write)
    for (const change of this.#rowChanges(after, running, inside.written())) {
      const { of, kind, id } = change
      await this.#hooks.run('after', of, { kind, id, row: await this.#row(change, engine) }, viewer, engineFor(of))
    }
    return result
  }

  async #row({ of, kind, id }: RowChange, engine: CodeEngine): Promise<object | null> {
    return kind === 'deleted' ? null : this.#hooks.row(of, id, engine)
  }

  /** What became of each row of these types: several changes of one row are one. */
  #rowChanges(
    hooked: ReadonlySet<string>,
    running: ReadonlySet<string>,
    changes: readonly WrittenChange[],
  ): RowChange[] {
    const rows = new Map<string, RowChange>()
    for (const { resource, id, kind } of changes) {
      const of = this.#types.get(resource)
      if (of === undefined || !hooked.has(resource) || running.has(resource)) continue
      const key = `${resource}:${id}`
      const earlier = rows.get(key)?.kind
      if (earlier === 'created' && kind === 'deleted') rows.delete(key)
      else rows.set(key, { of, id, kind: earlier === 'created' ? 'created' : kind })
    }
    return [...rows.values()]
  }
}

interface RowChange {
  of: Resource
  id: string
  kind: WrittenChange['kind']
}

const actionOf = { created: 'create', updated: 'update', deleted: 'delete' } as const

/** A write may change rows of its own type, of types that refer to it, of types that it has lists of, and so on. */
function typesAffecting(hooked: ReadonlySet<string>, { resources }: Model): ReadonlySet<string> {
  const related = new Map<string, Set<string>>(resources.map(({ name }) => [name, new Set()]))
  for (const { name, fields } of resources) {
    for (const field of fields.values()) {
      if (field.kind === 'stored') continue
      for (const other of membersOf(field.to)) {
        related.get(name)!.add(other.name)
        related.get(other.name)?.add(name)
      }
    }
  }
  const affecting = new Set(hooked)
  for (const name of affecting) for (const other of related.get(name) ?? []) affecting.add(other)
  return affecting
}

async function inOrder<From, To>(items: readonly From[], map: (item: From) => Promise<To>): Promise<To[]> {
  const mapped: To[] = []
  for (const item of items) mapped.push(await map(item))
  return mapped
}

function serialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work, work)
    last = turn
    return turn
  }
}

const noHooks: CodeHooks = {
  before: new Set(),
  after: new Set(),
  run: async () => {},
  row: async () => null,
}

/** The hooks of custom code around writes, as the engine calls them. */
export interface CodeHooks {
  /** The names of the types that have such a hook. */
  readonly before: ReadonlySet<string>
  readonly after: ReadonlySet<string>
  /** Rejects to roll the write back. `engine` runs inside the transaction of the write. */
  run(hook: 'before' | 'after', of: Resource, write: HookedWrite, viewer: Viewer, engine: CodeEngine): Promise<void>
  /** The row that hooks get, read without rules. */
  row(of: Resource, id: string, engine: CodeEngine): Promise<object | null>
}

export type HookedWrite =
  /** For `before`: the row as it is, and as it would be. */
  | { kind: 'create' | 'update' | 'delete'; id: string; row: object | null; next: object | null }
  /** For `after`: the row as it is now. */
  | { kind: 'created' | 'updated' | 'deleted'; id: string; row: object | null }

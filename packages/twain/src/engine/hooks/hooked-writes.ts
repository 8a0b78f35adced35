// The engine with the `before` and `after` hooks of custom code, inside the transaction of the write.
//
// 1. A hook reads and writes in the same transaction. Its writes call hooks too, except those of types whose hooks are
//    already running: code does not call itself.
// 2. An error of a hook rolls back everything, unless code made the write and catches the error (`row-hooks.ts`).

import type { MaybePromise } from '#base'
import type { RequestCaller, Viewer } from '#base/http'
import type { Plan, WritePlan } from '#plan'
import { type ImportStep, isWanted, type OpenTransaction, type TransactionOptions, type WriteOptions } from '#store'
import { createEngine, type Engine, wrapEngine } from '../engine.ts'
import { PasswordMemory } from '../password-memory.ts'
import { planOnce } from '../transaction.ts'
import { type EachResult, type WriteEach, writeEach } from '../write-each.ts'
import { CodeClock, CodeRun, maxCodeMs, transactionTime } from './code-clock.ts'
import type { CodeEngine, CodeHooks, HookedEngineOptions, LimitedCall } from './code-engine.ts'
import { type Attempt, type CodePlace, HookFailed, RowHooks } from './row-hooks.ts'

export class HookedWrites {
  readonly #options: HookedEngineOptions
  readonly #rowHooks: RowHooks
  /** The transactions with a write that its owner has confirmed. */
  readonly #confirmed = new WeakSet<OpenTransaction>()

  constructor(options: HookedEngineOptions, hooks: CodeHooks) {
    this.#options = options
    this.#rowHooks = new RowHooks(hooks, options.model, (place, code) => this.#runCode(place, code))
  }

  mayRunFor(plan: Plan): boolean {
    return this.#rowHooks.mayRunFor(plan)
  }

  /** Runs one write of a client. */
  write<T>(
    viewer: Viewer,
    options: WriteOptions & { caller?: RequestCaller | undefined },
    work: (engine: CodeEngine) => MaybePromise<T>,
  ): Promise<T> {
    const run = (attempt: Attempt) => this.#runCode(placeOf(attempt, true), work)
    return this.#transaction(viewer, run, { isWanted: isWanted(options) }, options)
  }

  inTransaction<T>(
    viewer: Viewer,
    work: (engine: CodeEngine, query: OpenTransaction['query']) => MaybePromise<T>,
    options?: TransactionOptions,
    call?: LimitedCall,
  ): Promise<T> {
    const run = (attempt: Attempt) =>
      this.#runCode(placeOf(attempt, false), (engine) => work(engine, (...queries) => attempt.open.query(...queries)))
    return this.#transaction(viewer, run, options, { call })
  }

  importRows<T>(
    viewer: Viewer,
    stepAfter: ((made: T) => ImportStep) | null,
    write: (engine: Engine) => Promise<T>,
  ): Promise<T> {
    return this.#transaction(viewer, async (attempt) => {
      const { open, passwords } = attempt
      const { engine } = this.#engineInside(placeOf(attempt, true))
      if (stepAfter === null) return passwords.withoutNeeds(() => open.dryRun(() => write(engine)))
      const made = await write(engine)
      await open.saveImport(stepAfter(made))
      return made
    })
  }

  writeEach(...[parts, viewer, key, caller]: Parameters<WriteEach>): Promise<EachResult> {
    const planned = parts.map(planOnce)
    const write = async (attempt: Attempt): Promise<EachResult> => {
      const { open } = attempt
      const earlier = key === null ? null : await open.recall<EachResult>(key)
      if (earlier !== null) return earlier
      const { engine } = this.#engineInside(placeOf(attempt, true))
      const result = { outcomes: await writeEach(planned, viewer, engine, caller) }
      if (key !== null) await open.remember(key, result)
      return result
    }
    return this.#transaction(viewer, write, { isWanted: isWanted({ idempotencyKey: key, caller }) }, { caller })
  }

  async #transaction<T>(
    viewer: Viewer,
    work: (attempt: Attempt) => Promise<T>,
    options?: TransactionOptions,
    { caller, call }: { caller?: RequestCaller | undefined; call?: LimitedCall | undefined } = {},
  ): Promise<T> {
    const { store } = this.#options
    // A time that was set counts for all, the code included.
    const codeMs = options?.timeoutMs === undefined ? (this.#options.maxCodeMs ?? maxCodeMs) : Number.POSITIVE_INFINITY
    const passwords = new PasswordMemory(caller)
    let last: OpenTransaction | null = null
    const run = async (open: OpenTransaction) => {
      call?.signal.throwIfAborted()
      last = open
      passwords.begin()
      const ending = new AbortController()
      const clock = new CodeClock(transactionTime(codeMs, () => open.writtenRows))
      const giveUp = () => clock.end(call?.signal.reason)
      call?.signal.addEventListener('abort', giveUp)
      try {
        const made = await clock.watch(work({ open, clock, passwords, signal: ending.signal }))
        passwords.finish()
        call?.signal.throwIfAborted()
        call?.committing()
        return made // and nothing else is awaited before the commit
      } catch (error) {
        ending.abort(error)
        throw error
      } finally {
        call?.signal.removeEventListener('abort', giveUp)
      }
    }
    const made = await passwords.run(() => store.transaction(run, viewer, options))
    const committed = last as OpenTransaction | null
    if (committed?.hasEnqueued === true) store.jobs.enqueued('code')
    if (committed !== null && this.#confirmed.has(committed)) this.#options.passwords?.confirmed?.()
    return made
  }

  /** Runs code with an engine of its own, and counts its time. */
  #runCode<T>(place: CodePlace, code: (engine: CodeEngine) => MaybePromise<T>): Promise<T> {
    const { engine, run } = this.#engineInside(place)
    return run.run(() => code(engine))
  }

  /** The engine of an open transaction. It runs one plan at a time, even if code starts several at once. */
  #engineInside(place: CodePlace): { engine: CodeEngine; run: CodeRun } {
    const { store, passwords, code } = this.#options
    const { open: inside, clock, passwords: passwordMemory, isDryRun } = place
    const run = new CodeRun(clock)
    const queue = serialQueue()
    const inTurn = <T>(work: () => Promise<T>) => run.call(() => queue(work))
    const inTransaction: Pick<CodeEngine, 'isInTransaction' | 'isDryRun' | 'transaction' | 'enqueue'> = {
      isInTransaction: true,
      isDryRun,
      enqueue: (job) => inTurn(() => inside.enqueue(job)),
      // Its engine has a queue of its own, and this one waits for it: what is written beside it is not undone with it.
      transaction: (_viewer, work) =>
        inTurn(() => passwordMemory.savepoint(() => inside.savepoint(() => this.#runCode(place, work)))),
    }
    const storeOf = (own: CodePlace): Pick<OpenTransaction, 'run' | 'transact'> => ({
      run: (plan, values, options, viewer) => {
        const write = () => inside.run(plan, values, options, viewer)
        if (!this.mayRunFor(plan)) return write()
        const writes = writesOf(plan).map((one) => ({ plan: one, values }))
        return this.#rowHooks.write({ write, writes, key: options.idempotencyKey ?? null }, viewer, own, read)
      },
      transact: (writes, key, viewer) => {
        const write = () => inside.transact(writes, key, viewer)
        if (!writes.some(({ plan }) => this.mayRunFor(plan))) return write()
        return this.#rowHooks.write({ write, writes, key }, viewer, own, read)
      },
    })
    const engine = createEngine({
      ...this.#options,
      passwords: passwords && { ...passwords, confirmed: () => void this.#confirmed.add(inside) },
      passwordMemory,
      code: code && { ...code, compute: (...given) => new CodeRun(clock).run(() => code.compute(...given)) },
      store: {
        ...storeOf(place),
        queryFor: (plan, values, viewer) => store.queryFor(plan, values, viewer),
        rehearse: (write) =>
          passwordMemory.withoutNeeds(() => inside.dryRun(() => write(storeOf({ ...place, isDryRun: true })))),
        projector: store.projector,
        idempotency: store.idempotency,
      },
    })
    const read = Object.assign(engine, inTransaction)
    const wrapped = wrapEngine(engine, {
      execute: (boundPlan, viewer, options) =>
        inTurn(() => asThrown(async () => engine.execute(boundPlan, viewer, options))),
      transact: (parts, viewer, key, caller) =>
        inTurn(() => asThrown(() => engine.transact(parts, viewer, key, caller))),
    })
    return { engine: Object.assign(wrapped, inTransaction), run }
  }
}

function placeOf(attempt: Attempt, isAlone: boolean): CodePlace {
  return { ...attempt, running: new Set(), isDryRun: false, isAlone }
}

async function asThrown<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof HookFailed ? error.cause : error
  }
}

function writesOf(plan: Plan): readonly WritePlan[] {
  if (plan.kind === 'write') return [plan]
  return plan.kind === 'batch' ? plan.writes : []
}

function serialQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.then(work, work)
    last = turn
    return turn
  }
}

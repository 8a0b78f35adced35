// Runs custom code for the engine. Each call has its time (`call-time.ts`).

import { ApiError, asApiError, type CacheBudget, type Log } from '#base'
import { anonymous, type IdempotencyKey, stepIdempotencyKey, type Viewer } from '#base/http'
import { type CodeEngine, type CodeHooks, type CustomCode, wrapCodeEngine } from '#engine'
import type { RunningJob } from '#jobs'
import type { Model, Resource } from '#model'
import { type BoundPlan, isReadPlan } from '#plan'
import type { BoundCode } from './bind-code.ts'
import { type CallLimits, notAborted, runInTime } from './call-time.ts'
import { codeValues } from './code-values.ts'
import { type Context, Contexts } from './context.ts'
import type { Attempt, SignIn } from './define-service.ts'

interface CodeEnvironment {
  model: Model
  /** A function, because the engine is created after the code. */
  engine: () => CodeEngine
  /** Jobs have limits of their own. */
  limits: CallLimits
  log: Log
  caches?: CacheBudget
  /** Called with its name whenever code begins. */
  began?: ((functionName: string) => void) | undefined
}

/** The `on` handlers of a service. */
interface CodeChangeHandlers {
  types: readonly Resource[]
  /** Rejects if the handler fails. */
  handle(of: Resource, change: object): Promise<void>
}

type AccountRow = Readonly<Record<string, unknown>>

/** Everything that the custom code of a service does. */
interface RunningCode extends CustomCode {
  hooks: CodeHooks | null
  changeHandlers: CodeChangeHandlers | null
  /** Rejects to refuse the sign-in of the account with this id. Null: the code has no say in it. */
  signIn: ((account: string, method: SignIn['method']) => Promise<void>) | null
  /** Rejects to refuse an attempt to sign in or to get a mail. Null: the code has no say in it. */
  attempt: ((attempt: Attempt) => Promise<void>) | null
  /** The row of an account, for the text of a mail; null if there is none. */
  accountRow(id: string): Promise<AccountRow | null>
  /** Runs a job of the code. There is no viewer, as for change handlers. Rejects if the job fails. */
  runJob(job: RunningJob): Promise<void>
  /** The context of a data migration, inside the transaction of this engine. */
  migrationContext(name: string, viewer: Viewer, inside: CodeEngine): Context
}

export function runCode(code: BoundCode, { model, engine, limits, log, caches, began }: CodeEnvironment): RunningCode {
  const { computed, operations, subscriptions, jobs } = code
  const contexts = new Contexts(model, engine, log, new Set(jobs.keys()), caches, began)
  let computing: CodeEngine | null = null
  const computingEngine = () => (computing ??= withoutTransactions(engine()))
  return {
    hooks: hooksOf(code, contexts),
    changeHandlers: changeHandlersOf(code, model, contexts, engine, limits),
    signIn: signInOf(code, model, contexts, engine, limits),
    attempt: attemptOf(code, contexts, engine, limits),
    accountRow: async (id) =>
      model.account === null ? null : ((await contexts.row(model.account.resource, id, engine())) as AccountRow | null),
    async runJob({ id, name, key, tries, payload, signal }) {
      const functionName = `jobs.${name}`
      const { run } = expectBound(jobs.get(name), functionName)
      const context = contexts.create(functionName, { ...anonymous, by: `job:${name}` }, signal)
      await run(JSON.parse(payload), Object.assign(context, { job: { id, name, key, attempt: tries } }))
    },
    migrationContext: (name, viewer, inside) => contexts.create(`migrations.${name}`, viewer, notAborted, inside),
    async compute(field, rows, args, viewer) {
      const functionName = `${field.owner.name}.${field.name}`
      const resolver = expectBound(computed.get(field), functionName)
      const values = await runInTime(functionName, limits, (signal, timed) =>
        resolver(rows, args, contexts.create(functionName, viewer, signal, timed(computingEngine()))),
      )
      if (!Array.isArray(values)) throw new Error(`the resolver of ${functionName} returned no list`)
      if (values.length !== rows.length) {
        throw new Error(`the resolver of ${functionName} got ${rows.length} rows and returned ${values.length} values`)
      }
      return values
    },
    async call(operation, args, viewer, idempotencyKey) {
      const functionName = `${operation.root}.${operation.name}`
      const resolver = expectBound(operations.get(operation), functionName)
      const used = idempotencyKey === null ? engine() : idempotentEngine(engine(), idempotencyKey)
      return runInTime(functionName, limits, (signal, timed) =>
        resolver(args, contexts.create(functionName, viewer, signal, timed(used))),
      )
    },
    async subscribe(operation, args, viewer) {
      const functionName = `${operation.root}.${operation.name}`
      const { subscribe } = expectBound(subscriptions.get(operation), functionName)
      // The signal of the context lasts as long as the subscription; only its start has a timeout.
      const ending = new AbortController()
      const returned = await runInTime(functionName, limits, (late, timed) => {
        late.addEventListener('abort', () => ending.abort(late.reason))
        return subscribe(args, contexts.create(functionName, viewer, ending.signal, timed(engine())))
      })
      return codeValues(returned, functionName, ending, log)
    },
  }
}

/** The transaction of the write bounds their time. */
function hooksOf({ before, after }: BoundCode, contexts: Contexts): CodeHooks | null {
  if (before.size === 0 && after.size === 0) return null
  const hooks = { before, after }
  return {
    before: new Set(before.keys()),
    after: new Set(after.keys()),
    row: (of, id, inside) => contexts.row(of, id, inside),
    async run(hook, of, write, viewer, inside, signal) {
      const functionName = `${hook}.${of.name}`
      const call = expectBound(hooks[hook].get(of.name), functionName)
      try {
        await call(write, contexts.create(functionName, viewer, signal, inside))
      } catch (error) {
        throw asApiError(error)
      }
    },
  }
}

/** There is no viewer: `read` and `write` have the permissions of an anonymous viewer. */
function changeHandlersOf(
  { on }: BoundCode,
  { resources }: Model,
  contexts: Contexts,
  engine: () => CodeEngine,
  limits: CallLimits,
): CodeChangeHandlers | null {
  if (on.size === 0) return null
  return {
    types: resources.filter(({ name }) => on.has(name)),
    async handle({ name }, change) {
      const functionName = `on.${name}`
      const call = expectBound(on.get(name), functionName)
      await runInTime(functionName, limits, (signal, timed) =>
        call(
          change,
          contexts.create(functionName, { ...anonymous, by: `job:${functionName}` }, signal, timed(engine())),
        ),
      )
    },
  }
}

/** Nobody is signed in yet: `read` and `write` have the permissions of an anonymous viewer. */
function signInOf(
  { signIn }: BoundCode,
  { account: accounts }: Model,
  contexts: Contexts,
  engine: () => CodeEngine,
  limits: CallLimits,
): RunningCode['signIn'] {
  if (signIn === null || accounts === null) return null
  return async (id, method) => {
    const account = await contexts.row(accounts.resource, id, engine())
    if (account === null) throw new ApiError('UNAUTHENTICATED', 'The account does not exist any more.')
    await runInTime('signIn', limits, (signal, timed) =>
      signIn({ account, method }, contexts.create('signIn', anonymous, signal, timed(engine()))),
    )
  }
}

function attemptOf(
  { attempt }: BoundCode,
  contexts: Contexts,
  engine: () => CodeEngine,
  limits: CallLimits,
): RunningCode['attempt'] {
  if (attempt === null) return null
  return async (argument) =>
    void (await runInTime('attempt', limits, (signal, timed) =>
      attempt(argument, contexts.create('attempt', anonymous, signal, timed(engine()))),
    ))
}

function expectBound<T>(resolver: T | undefined, functionName: string): T {
  if (resolver === undefined) throw new Error(`${functionName} has no resolver`)
  return resolver
}

/** The engine of custom code that is called with an `Idempotency-Key`. Each of its writes gets a key of its own, made of that
 *  key, the number of the write, its kind and its row. Code that is called again repeats no write. */
function idempotentEngine(engine: CodeEngine, key: IdempotencyKey, numbers = { next: 0 }): CodeEngine {
  return wrapCodeEngine(engine, {
    execute(boundPlan, viewer, options) {
      if (isReadPlan(boundPlan.plan)) return engine.execute(boundPlan, viewer, options)
      const idempotencyKey = stepIdempotencyKey(key, `${numbers.next++} ${describeWrite(boundPlan)}`)
      return engine.execute(boundPlan, viewer, { ...options, idempotencyKey })
    },
    async transaction(viewer, work, limited) {
      const first = numbers.next
      const attempt: typeof work = (inside) => {
        numbers.next = first // each attempt makes the same writes
        return work(idempotentEngine(inside, key, numbers))
      }
      return engine.transaction(viewer, attempt, limited)
    },
    enqueue: (job) =>
      engine.enqueue({ ...job, id: stepIdempotencyKey(key, `${numbers.next++} enqueue ${job.name}`).id }),
  })
}

/** The engine of computed fields. */
function withoutTransactions(engine: CodeEngine): CodeEngine {
  return wrapCodeEngine(engine, {
    transaction: () => Promise.reject(new Error('a computed field has no transactions: it only reads')),
    enqueue: () => Promise.reject(new Error('a computed field enqueues no jobs: it only reads')),
  })
}

function describeWrite({ plan, values }: BoundPlan): string {
  if (plan.kind !== 'write') return plan.kind
  return `${plan.action} ${plan.of.name} ${plan.id === null ? '' : String(values[plan.id.index])}`
}

// The corridor between the doors and the store: check → authorize → limit → run. Nothing reaches the store around it.

import {
  ApiError,
  andThen,
  type IdempotencyKey,
  type MaybePromise,
  requestInFlight,
  type Viewer,
  withHint,
} from '#base'
import type { Model } from '#model'
import {
  Authority,
  type BoundPlan,
  type CustomCall,
  type CustomCallResult,
  check,
  type Limits,
  limit,
  type Parameter,
  type Plan,
  type PlanResult,
  type SubscriptionPlan,
  signatureMarker,
  type WriteBatch,
  type WriteKind,
  type WritePlan,
} from '#plan'
import { type Deprecations, explainDenial, explainReadDenial } from '#plan/explain'
import type { ChangeEvent, RunOptions, Store } from '#store'
import { hasOwn, OwnAnswers } from './computed/custom-code-runner.ts'
import type { DeniedReads, Engine, ExecuteOptions, PlannedSubscription } from './contract.ts'
import type { CustomCode } from './custom-code.ts'
import { type TransactionPart, transact } from './transaction.ts'
import { Usage } from './usage/usage.ts'

export interface EngineParts {
  model: Model
  store: Pick<Store, 'run' | 'transact' | 'projector' | 'idempotency'>
  limits: Limits
  /** Makes of a password what may be kept; only a contract with an account type needs it. */
  hashPassword?: ((password: string) => Promise<string>) | undefined
  /** What answers computed fields; only a contract that has some needs it. */
  code?: CustomCode | undefined
  refusals?: Refusals | undefined
  /** What stands behind the path of a file that not everyone may read; only a contract with files needs it. */
  signFile?: ((id: string) => string) | undefined
  /** Of another engine of the same contract: what it knows of plans counts here too. */
  authority?: Authority | undefined
  /** Who uses what; left out: nobody asks. */
  usage?: Usage
  /** Null, or left out, where the contract deprecates nothing. */
  deprecations?: Deprecations | null
}

/** What is told of a request that the rules refuse: which lines of the file would have let it in. */
interface Refusals {
  file: string
  /** Whether the caller is told too: for those who write the file, and for nobody else. */
  inAnswer: boolean
  log(ways: string, refused: 'read' | 'write'): void
}

const nothingMore: ExecuteOptions = {}

export function createEngine(parts: EngineParts): Engine {
  const { model, store, limits, hashPassword, code, refusals, signFile, authority = new Authority(model) } = parts
  const measured = new WeakSet<object>()
  /** The writes with a key that are being made here. */
  const underWay = new Set<string>()
  const own = hasOwn(model) ? new OwnAnswers(limits, code, runUnsigned) : null
  const numbers = new WeakMap<SubscriptionPlan, number>()
  let lastNumber = 0
  const refusedReads: DeniedReads = {
    tell: (fields) => refusals?.log(explainReadDenial(fields, model, refusals.file), 'read'),
    hint: (fields) => (refusals?.inAnswer === true ? explainReadDenial(fields, model, refusals.file) : undefined),
  }
  return {
    model,
    limits,
    usage: parts.usage ?? new Usage(),
    deprecations: parts.deprecations ?? null,
    visibility: (viewer) => authority.visibility(viewer),
    admit,
    admitUpload: (viewer) => authority.admitUpload(viewer),
    deniedReads: refusedReads,
    execute,
    transact: transactAll,
    hasResult: wasMade,
    call,
    subscribe: watch,
  }

  function admit(write: WriteKind, viewer: Viewer): void {
    try {
      authority.admit(write, viewer)
    } catch (error) {
      throw refusals === undefined ? error : withWays(error, write, viewer, refusals)
    }
  }

  function execute(
    boundPlan: BoundPlan,
    viewer: Viewer,
    options: ExecuteOptions = nothingMore,
  ): MaybePromise<PlanResult> {
    const { plan } = boundPlan
    if (plan.kind === 'one' || plan.kind === 'many') return run(boundPlan, viewer, options)
    const first = writesOf(plan)[0]
    if (first === undefined) return run(boundPlan, viewer, options)
    return options.idempotencyKey === undefined
      ? write(boundPlan, first, viewer, options)
      : writeOnce(boundPlan, first, viewer, options, options.idempotencyKey)
  }

  /** Another that comes while this one is made is not made to wait for it: it is told to come again. */
  async function writeOnce(
    boundPlan: BoundPlan,
    first: WritePlan,
    viewer: Viewer,
    options: ExecuteOptions,
    once: IdempotencyKey,
  ): Promise<PlanResult> {
    return alone(once, () => write(boundPlan, first, viewer, options))
  }

  async function alone<T>({ id }: IdempotencyKey, make: () => Promise<T>): Promise<T> {
    if (underWay.has(id)) throw requestInFlight()
    underWay.add(id)
    try {
      return await make()
    } finally {
      underWay.delete(id)
    }
  }

  async function transactAll(
    parts: readonly TransactionPart[],
    viewer: Viewer,
    once: IdempotencyKey | null = null,
  ): Promise<PlanResult & { kind: 'batch' }> {
    const steps = {
      admit,
      check: (boundPlan: BoundPlan<WritePlan>) => check(boundPlan, limits),
      authorize: (plan: WritePlan, who: Viewer) => authority.authorize(plan, who),
      limit: limitOnce,
      hide: (plan: WritePlan, values: unknown[]) => hashIn(plan.password === undefined ? [] : [plan.password], values),
      isOwn: (plan: WritePlan) => own?.isAsked(plan) === true,
    }
    const made = () => transact(parts, viewer, once, store, steps)
    const answer = await (once === null ? made() : alone(once, made))
    return signFile === undefined ? answer : (signAnswer(answer, signFile) as PlanResult & { kind: 'batch' })
  }

  async function wasMade(once: IdempotencyKey): Promise<boolean> {
    if (underWay.has(once.id)) throw requestInFlight()
    return (await store.idempotency.recall(once)) !== null
  }

  async function write(
    boundPlan: BoundPlan,
    first: WritePlan,
    viewer: Viewer,
    options: ExecuteOptions,
  ): Promise<PlanResult> {
    try {
      return await run(boundPlan, viewer, options)
    } catch (error) {
      throw refusals === undefined ? error : withWays(error, first, viewer, refusals)
    }
  }

  function run(boundPlan: BoundPlan, viewer: Viewer, options: ExecuteOptions): MaybePromise<PlanResult> {
    const values = check(boundPlan, limits) // every problem at once, each with its place in the request
    if (own === null || !own.isAsked(boundPlan.plan)) return runStored(boundPlan, values, viewer, options)
    return signed(own.answer(boundPlan, values, viewer, options))
  }

  function runStored(
    boundPlan: BoundPlan,
    values: unknown[],
    viewer: Viewer,
    options: ExecuteOptions,
  ): MaybePromise<PlanResult> {
    return signed(runUnsigned(boundPlan, values, viewer, options))
  }

  /** A signature lets anyone in who has it: what is kept is kept without. */
  function runUnsigned(
    boundPlan: BoundPlan,
    values: unknown[],
    viewer: Viewer,
    options: ExecuteOptions,
  ): MaybePromise<PlanResult> {
    const allowed = authority.authorize(boundPlan.plan, viewer) // the only maker of an AuthorizedPlan
    if (options.whole !== true) limitOnce(boundPlan.plan)
    const extras: RunOptions = {
      more: options.more === true,
      total: options.total === true,
      fresh: options.fresh === true,
    }
    if (options.idempotencyKey !== undefined) extras.idempotencyKey = options.idempotencyKey
    const isRead = allowed.kind === 'one' || allowed.kind === 'many'
    const passwords = isRead ? [] : writesOf(allowed).flatMap(({ password }) => password ?? [])
    if (passwords.length === 0) return store.run(allowed, values, extras, viewer)
    return hashIn(passwords, values).then(() => store.run(allowed, values, extras, viewer))
  }

  /** The addresses of files in it, each with its signature. */
  function signed(answer: MaybePromise<PlanResult>): MaybePromise<PlanResult> {
    return signFile === undefined ? answer : andThen(answer, (made) => signAnswer(made, signFile))
  }

  async function call(
    boundPlan: BoundPlan<CustomCall>,
    viewer: Viewer,
    options: ExecuteOptions = nothingMore,
  ): Promise<CustomCallResult> {
    const values = check(boundPlan, limits)
    if (options.whole !== true) limitOnce(boundPlan.plan)
    const called = await (options.idempotencyKey === undefined
      ? callOwn(boundPlan, values, viewer, null)
      : callOnce(boundPlan, values, viewer, options.idempotencyKey))
    if (signFile === undefined || !signatureMarker.isIn(called.text)) return called
    return { ...called, text: signatureMarker.replaceIn(called.text, signFile) }
  }

  /** Its answer is kept when it is there. Until then each of its writes is made once: code that is called again, since nobody
   *  knows how far it came, finds those that were made as they are. */
  function callOnce(
    boundPlan: BoundPlan<CustomCall>,
    values: unknown[],
    viewer: Viewer,
    once: IdempotencyKey,
  ): Promise<CustomCallResult> {
    return alone(once, async () => {
      const known = await store.idempotency.recall<CustomCallResult>(once)
      if (known !== null) return known
      const called = await callOwn(boundPlan, values, viewer, once)
      if (called.failures === undefined) await store.idempotency.remember(once, called)
      return called
    })
  }

  async function callOwn(
    boundPlan: BoundPlan<CustomCall>,
    values: unknown[],
    viewer: Viewer,
    once: IdempotencyKey | null,
  ): Promise<CustomCallResult> {
    if (own === null) throw new Error('a contract without own code has nothing to call')
    return own.call(boundPlan, values, viewer, once)
  }

  function watch(
    boundPlan: BoundPlan<SubscriptionPlan>,
    viewer: Viewer,
    options: Pick<ExecuteOptions, 'whole'> = nothingMore,
  ): PlannedSubscription {
    const values = check(boundPlan, limits)
    const code = own?.isWatched(boundPlan.plan) === true ? own : null
    const allowed = authority.authorize(boundPlan.plan, viewer)
    if (options.whole !== true) limitOnce(boundPlan.plan)
    return {
      of: allowed.of,
      // Rules are the same for all viewers of a class; code may look at any role.
      key: `${numberOf(allowed)} ${JSON.stringify(values)}${code === null ? '' : ` ${JSON.stringify(viewer.roles)}`}`,
      async project(changes, accounts) {
        const tellings = await store.projector.project(allowed, values, changes, accounts)
        if (code !== null) await code.tell(boundPlan, values, tellings, accounts, { ...viewer, token: null })
        return signedTellings(tellings)
      },
    }
  }

  function signedTellings(tellings: (ChangeEvent | null)[][]): (ChangeEvent | null)[][] {
    if (signFile === undefined) return tellings
    for (const told of tellings.flat()) {
      if (told?.text && signatureMarker.isIn(told.text)) told.text = signatureMarker.replaceIn(told.text, signFile)
    }
    return tellings
  }

  function numberOf(watch: SubscriptionPlan): number {
    const known = numbers.get(watch) ?? ++lastNumber
    numbers.set(watch, known)
    return known
  }

  /** Depth and cost belong to the shape of a plan: what has passed once need not be measured again. */
  function limitOnce(plan: Plan | SubscriptionPlan | CustomCall): void {
    const shape = plan.kind === 'write' ? plan.answer : plan
    if (measured.has(shape)) return
    limit(plan, limits)
    measured.add(shape)
  }

  function withWays(error: unknown, write: WriteKind, viewer: Viewer, { file, inAnswer, log }: Refusals): unknown {
    if (!(error instanceof ApiError) || (error.code !== 'FORBIDDEN' && error.code !== 'UNAUTHENTICATED')) return error
    const ways = explainDenial(write, error, viewer, model, file)
    log(ways, 'write')
    return inAnswer ? withHint(error, ways) : error
  }

  /** A password goes no further than this. */
  async function hashIn(passwords: readonly Parameter[], values: unknown[]): Promise<void> {
    if (passwords.length === 0) return
    if (hashPassword === undefined) throw new Error('a contract with an account type needs hashPassword')
    for (const { index } of passwords) values[index] = await hashPassword(values[index] as string)
  }
}

function signAnswer(answer: PlanResult, signFile: (id: string) => string): PlanResult {
  if (answer.kind === 'deleted') return answer
  if (answer.kind === 'batch') return { ...answer, answers: answer.answers.map((one) => signAnswer(one, signFile)) }
  if (answer.text === null || !signatureMarker.isIn(answer.text)) return answer
  return { ...answer, text: signatureMarker.replaceIn(answer.text, signFile) }
}

function writesOf(plan: WritePlan | WriteBatch): readonly WritePlan[] {
  return plan.kind === 'write' ? [plan] : plan.writes
}

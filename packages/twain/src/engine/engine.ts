// The pipeline between the adapters and the store: check → authorize → limit → run. Nothing reaches the store around it.

import { andThen, FairQueue, type MaybePromise } from '#base'
import { type IdempotencyKey, isSystem, type RequestCaller, type Viewer } from '#base/http'
import type { Abstract, CustomOperation, ListField, Model, Resource } from '#model'
import {
  Authority,
  type AuthorizedPlan,
  type BoundPlan,
  type BulkWrite,
  type CustomCall,
  type CustomCallResult,
  check,
  cursorMarker,
  isOfServer,
  isReadPlan,
  isRehearsal,
  isSetField,
  type Limits,
  limit,
  type Plan,
  type PlanResult,
  type SubscriptionPlan,
  type WriteKind,
} from '#plan'
import type { Visibility } from '#plan/build'
import type { AccessAnswer, AnyPlan, Deprecations } from '#plan/explain'
import type { ChangeEvent, ChangeRecord, Store, ViewerAccount } from '#store'
import { runBulk } from './bulk-write.ts'
import type { CustomCode } from './computed/custom-code.ts'
import { CustomCodeRunner, type CustomStream, hasCustomCode } from './computed/custom-code-runner.ts'
import { type DenialLog, type DenialReporting, Denials } from './denials.ts'
import type { ExecuteOptions } from './execute-options.ts'
import { FileSigner, type SignFile } from './file-signer.ts'
import { holdsOnRow } from './holds-on-row.ts'
import { InFlightKeys } from './in-flight-keys.ts'
import type { PasswordMemory } from './password-memory.ts'
import { type PasswordFunctions, PasswordStage } from './password-stage.ts'
import type { RehearseWrite } from './rehearse-write.ts'
import { type SystemWriters, SystemWrites } from './system-writes.ts'
import { type TransactionPart, transact } from './transaction.ts'
import { Usage } from './usage/usage.ts'
import type { EachResult, WriteEach } from './write-each.ts'

export interface EngineOptions {
  model: Model
  store: Pick<Store, 'run' | 'queryFor' | 'transact' | 'projector' | 'idempotency'> & {
    rehearse?: RehearseWrite
    writeEach?: WriteEach
  }
  limits: Limits
  /** Needed if the model has an account type. */
  passwords?: PasswordFunctions | undefined
  /** Of an open transaction, whose writes these are. */
  passwordMemory?: PasswordMemory
  /** Needed if the model has computed fields or custom operations. */
  code?: CustomCode | undefined
  denials?: DenialReporting | undefined
  /** Signs the URLs of files. Needed if not everyone may read all files. */
  signFile?: SignFile | undefined
  /** The authority of another engine of the same model: its authorized plans are reused. */
  authority?: Authority | undefined
  usage?: Usage
  deprecations?: Deprecations | null
  /** Write the types of the server itself. */
  systemWriters?: SystemWriters
  /** The cursor of a position in the change log. Needed if there are types of the server itself that show one. */
  cursorAt?: (position: number) => string
}

export function createEngine(options: EngineOptions): Engine {
  return new PipelineEngine(options)
}

const noOptions: ExecuteOptions = {}

/** A dry run writes nothing that could be repeated. */
function withoutKey({ idempotencyKey: _, ...options }: ExecuteOptions): ExecuteOptions {
  return options
}

class PipelineEngine implements Engine {
  readonly model: Model
  readonly limits: Limits
  readonly usage: Usage
  readonly deprecations: Deprecations | null
  readonly denials: DenialLog
  readonly #store: EngineOptions['store']
  readonly #authority: Authority
  readonly #customCode: CustomCodeRunner | null
  readonly #denials: Denials
  readonly #files: FileSigner
  readonly #passwords: PasswordStage
  readonly #inFlight = new InFlightKeys()
  /** The statements of explanations of rights. */
  readonly #explaining = new FairQueue({
    maxAtOnce: 4,
    maxOfClient: 10_000,
    maxOfAll: 20_000,
    message: 'Too many explanations of rights are being made at the moment.',
    retryAfterSeconds: 5,
  })
  readonly #systemWrites: SystemWrites
  readonly #withCursors: (text: string) => string
  /** Depth and cost belong to the shape of a plan: each shape is measured once. */
  readonly #withinLimits = new WeakSet<object>()
  readonly #subscriptionNumbers = new WeakMap<SubscriptionPlan, number>()
  #lastSubscriptionNumber = 0

  constructor(options: EngineOptions) {
    const { model, store, limits, code } = options
    this.model = model
    this.limits = limits
    this.usage = options.usage ?? new Usage()
    this.deprecations = options.deprecations ?? null
    this.#store = store
    this.#authority = options.authority ?? new Authority(model)
    this.#customCode = hasCustomCode(model)
      ? new CustomCodeRunner(limits, code, (boundPlan, values, viewer, more) =>
          this.#run(boundPlan, values, viewer, more),
        )
      : null
    this.#denials = new Denials(model, options.denials)
    this.denials = this.#denials
    this.#files = new FileSigner(options.signFile)
    this.#passwords = new PasswordStage(options.passwords, options.passwordMemory)
    const { cursorAt } = options
    this.#withCursors = (text) => (cursorAt === undefined ? text : cursorMarker.replaceIn(text, cursorAt))
    this.#systemWrites = new SystemWrites(options.systemWriters ?? {}, store, this.#withCursors)
  }

  execute(boundPlan: BoundPlan, viewer: Viewer, options: ExecuteOptions = noOptions): MaybePromise<PlanResult> {
    if (isReadPlan(boundPlan.plan)) return this.#execute(boundPlan, viewer, options)
    return this.#write(boundPlan, viewer, options.isDryRun === true ? withoutKey(options) : options)
  }

  #execute(boundPlan: BoundPlan, viewer: Viewer, options: ExecuteOptions): MaybePromise<PlanResult> {
    const values = check(boundPlan, this.limits) // reports every problem at once, each with its place in the request
    const result =
      this.#customCode?.isUsedBy(boundPlan.plan) === true
        ? this.#customCode.run(boundPlan, values, viewer, options) // runs the plan by `#run`, and computes fields of its rows
        : this.#run(boundPlan, values, viewer, options)
    return this.#files.signResult(result)
  }

  #run(boundPlan: BoundPlan, values: unknown[], viewer: Viewer, options: ExecuteOptions): MaybePromise<PlanResult> {
    const authorized = this.#authority.authorize(boundPlan.plan, viewer) // the only maker of an AuthorizedPlan
    if (options.isDefaultSelection !== true) this.#limit(boundPlan)
    if (authorized.kind === 'bulk')
      return runBulk(authorized as AuthorizedPlan<BulkWrite>, values, viewer, options, this.#store, this.limits)
    if (isOfServer(authorized)) return this.#runOfServer(authorized, values, viewer, options)
    if (isRehearsal(authorized)) return this.#rehearse(authorized, values, viewer, options)
    if (!this.#passwords.appliesTo(authorized)) return this.#store.run(authorized, values, options, viewer)
    return this.#runWithPasswords(authorized, values, viewer, options)
  }

  /** Replicas don't know who has written rows of the server itself. */
  #runOfServer(
    plan: AuthorizedPlan,
    values: unknown[],
    viewer: Viewer,
    options: ExecuteOptions,
  ): MaybePromise<PlanResult> {
    if (plan.kind === 'write') return this.#systemWrites.run(plan, values, viewer, options)
    return andThen(this.#store.run(plan, values, { ...options, fresh: true }, viewer), (result) =>
      'text' in result && result.text !== null ? { ...result, text: this.#withCursors(result.text) } : result,
    )
  }

  /** Judges the write as if its passwords were hashed, and undoes it. */
  async #rehearse(
    authorized: AuthorizedPlan,
    values: unknown[],
    viewer: Viewer,
    options: ExecuteOptions,
  ): Promise<PlanResult> {
    if (this.#store.rehearse === undefined) throw new Error('a rehearsal needs a store that can undo a write')
    this.#passwords.count(authorized, options.caller)
    const rehearsed = this.#passwords.rehearsed(authorized, values, viewer)
    return this.#store.rehearse((inside) => inside.run(authorized, rehearsed, options, viewer), viewer)
  }

  /** Judges the write, hashes its passwords, and writes. */
  async #runWithPasswords(
    authorized: AuthorizedPlan,
    values: unknown[],
    viewer: Viewer,
    options: ExecuteOptions,
  ): Promise<PlanResult> {
    const { caller } = options
    this.#passwords.count(authorized, caller)
    if (this.#passwords.rehearses) {
      const rehearsed = this.#passwords.rehearsed(authorized, values, viewer)
      const rehearsal = await this.#store.rehearse?.(
        (inside) => inside.run(authorized, rehearsed, options, viewer),
        viewer,
      )
      if (rehearsal !== undefined && 'replayed' in rehearsal) return rehearsal
    }
    const needs = await this.#passwords.prepare([{ plan: authorized, values }], viewer, caller)
    const result = await this.#store.run(authorized, values, options, viewer)
    if (!('replayed' in result)) this.#passwords.done([authorized], needs)
    return result
  }

  async #write(boundPlan: BoundPlan, viewer: Viewer, options: ExecuteOptions): Promise<PlanResult> {
    const { idempotencyKey: key } = options
    try {
      // The database decides which of two writes of a type of the server itself has the key.
      return await (key === undefined || isOfServer(boundPlan.plan)
        ? this.#execute(boundPlan, viewer, options)
        : this.#inFlight.run(key, async () => this.#execute(boundPlan, viewer, options)))
    } catch (error) {
      throw this.#denials.explain(error, firstWrite(boundPlan.plan), viewer)
    }
  }

  async transact(
    parts: readonly TransactionPart[],
    viewer: Viewer,
    idempotencyKey: IdempotencyKey | null = null,
    caller?: RequestCaller,
  ): Promise<PlanResult & { kind: 'batch' }> {
    const write = () =>
      transact(parts, viewer, idempotencyKey, this.#store, {
        admit: (plan) => this.admit(plan, viewer),
        check: (boundPlan) => check(boundPlan, this.limits),
        authorize: (plan) => this.#authority.authorize(plan, viewer),
        limit: (boundPlan) => this.#limit(boundPlan),
        passwords: this.#passwords,
        caller,
        usesCustomCode: (plan) => this.#customCode?.isUsedBy(plan) === true,
      })
    return this.#files.signBatch(await (idempotencyKey === null ? write() : this.#inFlight.run(idempotencyKey, write)))
  }

  async transactEach(
    parts: readonly TransactionPart[],
    viewer: Viewer,
    idempotencyKey: IdempotencyKey | null,
    caller?: RequestCaller,
  ): Promise<EachResult> {
    const { writeEach } = this.#store
    if (writeEach === undefined) throw new Error('writes that may fail one by one need a transaction of their own')
    const write = () => writeEach(parts, viewer, idempotencyKey, caller)
    return idempotencyKey === null ? write() : this.#inFlight.run(idempotencyKey, write)
  }

  async call(
    boundPlan: BoundPlan<CustomCall>,
    viewer: Viewer,
    options: ExecuteOptions = noOptions,
  ): Promise<CustomCallResult> {
    const values = this.#acceptCall(boundPlan, viewer, options)
    const key = options.idempotencyKey ?? null
    const call = () => this.#call(boundPlan, values, viewer, key)
    return this.#files.signCall(await (key === null ? call() : this.#inFlight.run(key, call)))
  }

  async stream(
    boundPlan: BoundPlan<CustomCall>,
    viewer: Viewer,
    options: ExecuteOptions = noOptions,
  ): Promise<CustomStream> {
    const values = this.#acceptCall(boundPlan, viewer, options)
    if (this.#customCode === null) throw new Error('a model without custom code has no custom subscriptions')
    const stream = await this.#customCode.stream(boundPlan, values, viewer)
    return { ...stream, complete: async (value) => this.#files.signCall(await stream.complete(value)) }
  }

  /** The stages before custom code runs. Returns the checked values. */
  #acceptCall(boundPlan: BoundPlan<CustomCall>, viewer: Viewer, { isDefaultSelection }: ExecuteOptions): unknown[] {
    this.admitCall(boundPlan.plan.operation, viewer)
    const values = check(boundPlan, this.limits)
    if (isDefaultSelection !== true) this.#limit(boundPlan)
    return values
  }

  /** Remembers the result once there is one. Until then each write of the code is idempotent by itself: if the code is called
   *  again, it finds the writes that it already made. */
  async #call(
    boundPlan: BoundPlan<CustomCall>,
    values: unknown[],
    viewer: Viewer,
    key: IdempotencyKey | null,
  ): Promise<CustomCallResult> {
    if (this.#customCode === null) throw new Error('a model without custom code has nothing to call')
    const { idempotency } = this.#store
    const earlier = key === null ? null : await idempotency.recall<CustomCallResult>(key)
    if (earlier !== null) return earlier
    const result = await this.#customCode.call(boundPlan, values, viewer, key)
    if (key !== null && result.failures === undefined) await idempotency.remember(key, result)
    return result
  }

  subscribe(
    boundPlan: BoundPlan<SubscriptionPlan>,
    viewer: Viewer,
    options: ExecuteOptions = noOptions,
  ): PlannedSubscription {
    const values = check(boundPlan, this.limits)
    const authorized = this.#authority.authorize(boundPlan.plan, viewer)
    if (options.isDefaultSelection !== true) this.#limit(boundPlan)
    const customCode = this.#customCode?.isUsedBy(boundPlan.plan) === true ? this.#customCode : null
    // Rules are the same for all viewers of a class; custom code may look at any role, and at who acts.
    const roles = customCode === null ? '' : ` ${JSON.stringify([viewer.roles, viewer.acting && viewer.token])}`
    const { claims } = viewer
    return {
      of: authorized.of,
      key: `${this.#numberOf(authorized)} ${JSON.stringify(values)}${roles}${claims?.key ?? ''}`,
      project: async (changes, accounts) => {
        const events = await this.#store.projector.project(authorized, values, changes, accounts, claims)
        await customCode?.completeEvents(boundPlan, values, events, accounts, { ...viewer, token: null })
        return this.#files.signEvents(events)
      },
    }
  }

  visibility(viewer: Viewer): Visibility {
    return this.#authority.visibility(viewer)
  }

  admitRead(of: Resource | Abstract, viewer: Viewer): void {
    this.#authority.admitRead(of, viewer)
  }

  admit(write: WriteKind, viewer: Viewer): void {
    try {
      this.#authority.admit(write, viewer)
    } catch (error) {
      throw this.#denials.explain(error, write, viewer)
    }
  }

  admitCall(operation: CustomOperation, viewer: Viewer): void {
    try {
      this.#authority.admitCall(operation, viewer)
    } catch (error) {
      throw this.#denials.explainCall(error, operation)
    }
  }

  mayCall(operation: CustomOperation, viewer: Viewer): boolean {
    return this.#authority.mayCall(operation, viewer)
  }

  couldSeeMore(of: Resource | Abstract, viewer: Viewer, list?: ListField): boolean {
    return this.#authority.couldSeeMore(of, viewer, list)
  }

  async access(of: Resource, id: string, subject: Viewer, asker: Viewer): Promise<AccessAnswer[]> {
    const { explainAccess, RowJudge } = await import('#plan/explain')
    const judge = new RowJudge({
      of,
      asker: isSystem(asker) ? null : this.#authority.rulesOf(asker),
      isOwn: subject === asker,
      run: (condition, judgedFor) =>
        this.#explaining.run(asker.account ?? '', () =>
          holdsOnRow({ of, id, condition }, judgedFor === 'asker' ? asker : subject, this.#authority, this.#store),
        ),
    })
    return explainAccess({ of, model: this.model, viewer: subject, rules: this.#authority.rulesOf(subject), judge })
  }

  admitUpload(viewer: Viewer): void {
    this.#authority.admitUpload(viewer)
  }

  async hasResult(key: IdempotencyKey): Promise<boolean> {
    this.#inFlight.expectIdle(key)
    return (await this.#store.idempotency.recall(key)) !== null
  }

  #limit({ plan, values }: BoundPlan<AnyPlan>): void {
    // Writes of one selection differ in the rows that they write along.
    const shape = plan.kind === 'write' && plan.set.every(isSetField) ? plan.answer : plan
    if (this.#withinLimits.has(shape)) return
    if (limit(plan, values, this.limits)) this.#withinLimits.add(shape)
  }

  #numberOf(plan: SubscriptionPlan): number {
    const number = this.#subscriptionNumbers.get(plan) ?? ++this.#lastSubscriptionNumber
    this.#subscriptionNumbers.set(plan, number)
    return number
  }
}

function firstWrite(plan: Plan): WriteKind | undefined {
  if (plan.kind === 'write') return plan
  if (plan.kind === 'bulk') return plan.write
  return plan.kind === 'batch' ? plan.writes[0] : undefined
}

/** What the adapters see of the engine. Its methods throw an ApiError, or reject with one. */
export interface Engine {
  readonly model: Model
  readonly limits: Limits
  /** Adapters count each plan that they execute. */
  readonly usage: Pick<Usage, 'count'>
  /** Null: the model deprecates nothing. */
  readonly deprecations: Deprecations | null
  /** Adapters pass it to their PlanBuilder, and put its key into the key of every plan that they cache. */
  visibility(viewer: Viewer): Visibility
  /** Before a read is planned: throws if the viewer can see no row of a type of the server itself. */
  admitRead(of: Resource | Abstract, viewer: Viewer): void
  /** Before the body of a write is read: throws if no rule could allow the write to this viewer. */
  admit(write: WriteKind, viewer: Viewer): void
  /** Before the arguments of a custom operation are read: throws if no rule lets this viewer call it. */
  admitCall(operation: CustomOperation, viewer: Viewer): void
  /** Whether a rule lets this viewer call the custom operation. */
  mayCall(operation: CustomOperation, viewer: Viewer): boolean
  /** Whether the viewer could see more rows of the type, or more lists of their rows, with other roles or a proven address. */
  couldSeeMore(of: Resource | Abstract, viewer: Viewer, list?: ListField): boolean
  /** What the rules let a viewer do with a row, for somebody who may read it (`asker`): it names only fields that the asker can read. */
  access(of: Resource, id: string, subject: Viewer, asker: Viewer): Promise<AccessAnswer[]>
  /** Before a file is read: throws if there is no field that this viewer could put it into. */
  admitUpload(viewer: Viewer): void
  readonly denials: DenialLog
  /** check → authorize → limit → run. The only way to the store. */
  execute(boundPlan: BoundPlan, viewer: Viewer, options?: ExecuteOptions): MaybePromise<PlanResult>
  /** Several writes in one transaction, in their order: all of them or none. Its error names each failed write by its place. */
  transact(
    parts: readonly TransactionPart[],
    viewer: Viewer,
    idempotencyKey?: IdempotencyKey | null,
    caller?: RequestCaller,
  ): Promise<PlanResult & { kind: 'batch' }>
  /** Several writes in one transaction, in their order: those that are refused are left out. Each has its outcome. */
  transactEach(
    parts: readonly TransactionPart[],
    viewer: Viewer,
    idempotencyKey: IdempotencyKey | null,
    caller?: RequestCaller,
  ): Promise<EachResult>
  /** Whether the write of this key was made before: for an adapter that would otherwise read rows first. Throws if the key was
   *  used for another request, or if that write is in flight. */
  hasResult(key: IdempotencyKey): Promise<boolean>
  /** Calls a custom operation. */
  call(
    boundPlan: BoundPlan<CustomCall>,
    viewer: Viewer,
    options?: Pick<ExecuteOptions, 'isDefaultSelection' | 'idempotencyKey'>,
  ): Promise<CustomCallResult>
  /** Starts a custom subscription. */
  stream(
    boundPlan: BoundPlan<CustomCall>,
    viewer: Viewer,
    options?: Pick<ExecuteOptions, 'isDefaultSelection'>,
  ): Promise<CustomStream>
  /** The same stages for a subscription; its events are projected for each change. */
  subscribe(
    boundPlan: BoundPlan<SubscriptionPlan>,
    viewer: Viewer,
    options?: Pick<ExecuteOptions, 'isDefaultSelection'>,
  ): PlannedSubscription
}

/** A subscription that was checked, authorized and limited. */
export interface PlannedSubscription {
  readonly of: Resource
  /** Equal for the same subscription of viewers of one class with the same claims: a change is projected once for all of them. */
  readonly key: string
  /** The events of these changes for viewers, by their accounts: by change, then by viewer; null: that viewer gets none. */
  project(changes: readonly ChangeRecord[], accounts: readonly ViewerAccount[]): Promise<(ChangeEvent | null)[][]>
}

/** An engine that does some things differently. */
export function wrapEngine(
  engine: Engine,
  overrides: Partial<Pick<Engine, 'execute' | 'transact' | 'transactEach'>>,
): Engine {
  return {
    model: engine.model,
    limits: engine.limits,
    usage: engine.usage,
    deprecations: engine.deprecations,
    denials: engine.denials,
    visibility: (viewer) => engine.visibility(viewer),
    admitRead: (of, viewer) => engine.admitRead(of, viewer),
    admit: (write, viewer) => engine.admit(write, viewer),
    admitCall: (operation, viewer) => engine.admitCall(operation, viewer),
    mayCall: (operation, viewer) => engine.mayCall(operation, viewer),
    couldSeeMore: (of, viewer, list) => engine.couldSeeMore(of, viewer, list),
    access: (of, id, subject, asker) => engine.access(of, id, subject, asker),
    admitUpload: (viewer) => engine.admitUpload(viewer),
    execute: (boundPlan, viewer, options) => engine.execute(boundPlan, viewer, options),
    transact: (parts, viewer, key, caller) => engine.transact(parts, viewer, key, caller),
    transactEach: (parts, viewer, key, caller) => engine.transactEach(parts, viewer, key, caller),
    hasResult: (key) => engine.hasResult(key),
    call: (boundPlan, viewer, options) => engine.call(boundPlan, viewer, options),
    stream: (boundPlan, viewer, options) => engine.stream(boundPlan, viewer, options),
    subscribe: (boundPlan, viewer, options) => engine.subscribe(boundPlan, viewer, options),
    ...overrides,
  }
}

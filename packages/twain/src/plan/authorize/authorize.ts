// The second stage of the engine, and the only maker of an AuthorizedPlan: stores run nothing else.
//
// 1. Rules become conditions of the plan, at each of its levels; no row is read to be discarded.
// 2. Authorized plans are cached for each plan and class of viewers, so that stores compile each statement once.
// 3. A viewer who is not authenticated gets UNAUTHENTICATED before any row is read, if no rule could allow the write to one.
//    Adapters call `admit` first, so it comes before the input is checked too.

import { ApiError, type DeniedRight, readOnlySession, unreachable } from '#base'
import { isSystem, system, type Viewer } from '#base/http'
import {
  type Abstract,
  type Action,
  type CustomOperation,
  hasStateMachines,
  type ListField,
  type Model,
  type Resource,
  stateFields,
} from '#model'
import { isCaptcha, isCurrentPassword, isLock, isPassword } from '../build/input.ts'
import {
  type BulkWrite,
  isOfServer,
  isSetField,
  isSetList,
  type ListChecks,
  type PageRead,
  type Plan,
  type ReadPlan,
  type Reversion,
  type RowRead,
  type Selection,
  type SetList,
  type SetMember,
  type StateTransitions,
  type SubscriptionPlan,
  type Where,
  type WriteChecks,
  type WritePlan,
} from '../plan.ts'
import { fullVisibility, type Visibility } from '../visibility.ts'
import { rootSelections, someSelection } from '../visit-plan.ts'
import { requireActingCall, requireActingPlan, requireActingRead, requireActingWrite } from './acting.ts'
import { conditionKey } from './condition-key.ts'
import { all, always, isAlways, isNever } from './conditions.ts'
import { guardRead, guardReversion, guardSelections, guardSubscription } from './guard-read.ts'
import { PendingDeletes } from './pending-deletes.ts'
import { canTransition, transitionRules } from './transition-rules.ts'
import { isUnrestricted, type ViewerClass, viewerClassOf, withAllRoles } from './viewer-class.ts'
import { ViewerRules } from './viewer-rules.ts'
import { writeChecks } from './write-checks.ts'

declare const authorized: unique symbol

/** A plan with the access rules in it. */
export type AuthorizedPlan<P extends Plan | SubscriptionPlan = Plan> = P & { readonly [authorized]: true }

/** A kind of write, and the type of its rows. */
export interface WriteKind {
  of: Resource
  action: WritePlan['action']
}

/** The access rules of one model, with a cache of authorized plans. */
export class Authority {
  readonly #model: Model
  readonly #isOpen: boolean
  readonly #hasStates: boolean
  readonly #systemVisibility: Visibility
  readonly #classes = new Map<ViewerClass, ClassAuthority>()
  /** The viewer of a token is one object while the token is valid, so its class is looked up once. */
  readonly #byViewer = new WeakMap<Viewer, ClassAuthority>()
  /** By plan, or by the selections of a write: whether they have a history. */
  readonly #withHistory = new WeakMap<object, boolean>()
  /** By type and condition. Conditions come from the schema file, so there are no more than it has. */
  readonly #judging = new Map<string, AuthorizedPlan<RowRead>>()
  readonly #pending: PendingDeletes | null
  /** Takes the place of this authority while deletes run in the background. */
  #whileDeleting: Authority | null = null
  /** The authority of the server itself while deletes run in the background. */
  #system: ClassAuthority | null = null

  constructor(model: Model, pending: PendingDeletes | null = null) {
    this.#model = model
    this.#pending = pending
    this.#isOpen = pending === null && isUnrestricted(model)
    this.#hasStates = hasStateMachines(model)
    const account = model.account?.resource ?? null
    this.#systemVisibility = { ...fullVisibility, key: 'system', account, isSystem: true }
  }

  /** From now on, rows of these types are being deleted in the background. Events are no concern of it: the change log has them. */
  setPendingDeletes(types: ReadonlySet<string>): void {
    this.#whileDeleting = types.size === 0 ? null : new Authority(this.#model, new PendingDeletes(types, this.#model))
  }

  authorize<P extends Plan | SubscriptionPlan>(plan: P, viewer: Viewer): AuthorizedPlan<P> {
    if (viewer.acting !== undefined) requireActingPlan(plan, viewer)
    if (this.#whileDeleting !== null && plan.kind !== 'subscription') return this.#whileDeleting.authorize(plan, viewer)
    const ofServer = isOfServer(plan)
    if (this.#isOpen && !this.#hasStates && plan.kind !== 'subscription' && !ofServer && !this.#showsAuthors(plan))
      return plan as AuthorizedPlan<P>
    if (isSystem(viewer)) return mapPlan(plan, this.#systemAuthorizer()) as AuthorizedPlan<P>
    const authority = this.#of(viewer)
    if (ofServer) authority.admitSystemType((plan as WritePlan).of, viewer)
    const allowed = mapPlan(plan, {
      write: (write) => authority.write(write, viewer),
      read: (read) => authority.read(read),
      subscription: (subscribed) => authority.subscription(subscribed),
    })
    return allowed as AuthorizedPlan<P>
  }

  /** Whether the plan selects the history of rows: who may see the authors depends on the viewer in an open model too. */
  #showsAuthors(plan: Plan): boolean {
    const shape = plan.kind === 'write' ? plan.answer : plan.kind === 'batch' ? plan.writes[0]?.answer : plan
    if (shape === undefined) return false
    let is = this.#withHistory.get(shape)
    if (is === undefined) {
      is = rootSelections(plan).some((selections) => someSelection(selections, ({ kind }) => kind === 'changes'))
      this.#withHistory.set(shape, is)
    }
    return is
  }

  /** Throws if no rule could allow the write: to a viewer who is not authenticated, or, for a create, to this class of viewers. */
  admit(write: WriteKind, viewer: Viewer): void {
    if (viewer.acting !== undefined) requireActingWrite(write.of, viewer)
    if (isSystem(viewer)) return
    if (write.of.system !== undefined) this.#of(viewer).admitSystemType(write.of, viewer)
    else if (!this.#isOpen) this.#of(viewer).admit(write, viewer)
  }

  /** Throws if the viewer can see no row of a type of the server itself. Other types are empty to such a viewer. */
  admitRead(of: Resource | Abstract, viewer: Viewer): void {
    if (viewer.acting !== undefined) requireActingRead(of, viewer)
    if (of.kind === 'resource' && of.system !== undefined && !isSystem(viewer))
      this.#of(viewer).admitSystemType(of, viewer)
  }

  /** Throws if no rule lets the viewer call the custom operation. */
  admitCall(operation: CustomOperation, viewer: Viewer): void {
    if (viewer.acting !== undefined) requireActingCall(operation, viewer)
    if (this.mayCall(operation, viewer)) return
    throw viewer.authenticated
      ? new ApiError('FORBIDDEN', `You may not call ${operation.name}.`)
      : unauthenticated(`Nobody may call ${operation.name} without signing in.`)
  }

  mayCall(operation: CustomOperation, viewer: Viewer): boolean {
    return this.#isOpen || isSystem(viewer) || this.#of(viewer).mayCall(operation)
  }

  /** Allows an upload to viewers who could put a file into some row. */
  admitUpload(viewer: Viewer): void {
    if (viewer.acting?.readOnly === true) throw readOnlySession()
    if (!this.#isOpen && !isSystem(viewer)) this.#of(viewer).admitUpload(viewer)
  }

  /** Whether other roles, or a proven address, could show the viewer more rows of the type, or more of these lists of its rows. */
  couldSeeMore(of: Resource | Abstract, viewer: Viewer, list?: ListField): boolean {
    if (this.#isOpen || isSystem(viewer)) return false
    const [now, most] = [viewer, withAllRoles(viewer, this.#model)].map((one) => {
      const { rules } = this.#of(one)
      const seen = rules.rows(of, 'READ')
      return conditionKey(list === undefined ? seen : all([seen, rules.field(list, 'READ')]))
    })
    return now !== most
  }

  /** The rules for a viewer, for explanations of them. */
  rulesOf(viewer: Viewer): ViewerRules {
    return (this.#whileDeleting ?? this).#of(viewer).rules
  }

  /** Finds the row with the id of the only parameter if this condition of a viewer's rules holds on it. It reads nothing of the row. */
  judge(of: Resource, condition: Where): AuthorizedPlan<RowRead> {
    const key = `${of.name} ${conditionKey(condition)}`
    const known = this.#judging.get(key)
    if (known !== undefined) return known
    const id = { index: 0, accepts: { kind: 'type', type: { kind: 'scalar', name: 'ID' } } } as const
    const plan: RowRead = { kind: 'one', of, id, guard: condition, selections: [] }
    const made = plan as AuthorizedPlan<RowRead>
    this.#judging.set(key, made)
    return made
  }

  /** The accounts that the viewer may act as. */
  actAs(account: Resource, viewer: Viewer): Where {
    return this.#of(viewer).actAs(account)
  }

  visibility(viewer: Viewer): Visibility {
    if (isSystem(viewer)) return this.#systemVisibility
    return this.#of(viewer).visibility
  }

  #systemAuthorizer(): PlanAuthorizer {
    if (this.#pending === null) return systemAuthorizer
    const viewers = viewerClassOf(system, this.#model)
    const pending = this.#pending
    this.#system ??= new ClassAuthority(this.#model, viewers, { pending, isOpen: true })
    const authority = this.#system
    return { ...systemAuthorizer, read: (read) => authority.read(read) }
  }

  #of(viewer: Viewer): ClassAuthority {
    const cached = this.#byViewer.get(viewer)
    if (cached !== undefined) return cached
    const viewers = viewerClassOf(viewer, this.#model)
    const pending = this.#pending
    const isOpen = isUnrestricted(this.#model)
    const known = this.#classes.get(viewers) ?? new ClassAuthority(this.#model, viewers, { pending, isOpen })
    this.#classes.set(viewers, known)
    this.#byViewer.set(viewer, known)
    return known
  }
}

class ClassAuthority {
  readonly visibility: Visibility
  readonly #model: Model
  readonly #rules: ViewerRules
  readonly #reads = new WeakMap<ReadPlan, ReadPlan>()
  readonly #subscriptions = new WeakMap<SubscriptionPlan, SubscriptionPlan>()
  readonly #answers = new WeakMap<readonly Selection[], Selection[]>()
  /** Those that are kept. */
  readonly #writes = new WeakMap<WritePlan, WritePlan>()
  readonly #writeChecks = new Map<string, WriteChecks>()
  readonly #lists = new Map<ListField, ListChecks>()
  readonly #transitions = new Map<Resource, StateTransitions[]>()
  readonly #reversions = new WeakMap<Reversion['fields'], Pick<Reversion, 'fields' | 'guard'>>()
  #actAs: Where | null = null
  readonly #isOpen: boolean
  readonly #hasStates: boolean

  constructor(model: Model, viewers: ViewerClass, options: { pending: PendingDeletes | null; isOpen: boolean }) {
    const rules = new ViewerRules(model, viewers, options)
    this.#model = model
    this.#rules = rules
    this.#isOpen = options.isOpen && options.pending === null
    this.#hasStates = hasStateMachines(model)
    const account = model.account?.resource ?? null
    this.visibility = {
      key: isUnrestricted(model) ? '' : viewers.key,
      isHidden: (field) => rules.isHidden(field),
      maybeHidden: (field) => rules.maybeHidden(field),
      mayForbid: rules.mayForbid(),
      account,
    }
  }

  read(plan: ReadPlan): ReadPlan {
    const known = this.#reads.get(plan)
    if (known !== undefined) return known
    const guarded = guardRead(plan, this.#rules)
    this.#reads.set(plan, guarded)
    return guarded
  }

  subscription(plan: SubscriptionPlan): SubscriptionPlan {
    const known = this.#subscriptions.get(plan)
    if (known !== undefined) return known
    const guarded = guardSubscription(plan, this.#rules)
    this.#subscriptions.set(plan, guarded)
    return guarded
  }

  write(plan: WritePlan, viewer: Viewer): WritePlan {
    if (!this.#isOpen) this.admit(plan, viewer)
    const known = plan.isKept === true ? this.#writes.get(plan) : undefined
    const allowed = known ?? this.#restrictWrite(plan, viewer)
    if (plan.isKept === true && known === undefined) this.#writes.set(plan, allowed)
    if (!this.#isOpen && allowed.locked !== undefined && !viewer.roles.includes('admin')) throw lockForbidden()
    return allowed
  }

  #restrictWrite(plan: WritePlan, viewer: Viewer): WritePlan {
    const states = this.#statesOf(plan.of)
    if (this.#isOpen) return { ...plan, ...this.#sets(plan, viewer), answer: this.#answer(plan), ...states }
    const taken = takePasswords(plan)
    return {
      ...taken,
      ...this.#sets(taken, viewer),
      answer: this.#answer(plan),
      checks: this.#checksOf(plan.of, plan.action),
      ...(plan.revert && { revert: this.#reversion(plan.revert, plan.of) }),
      ...states,
    }
  }

  /** The same fields give the same array: the store's cache of compiled statements is keyed by it. */
  #reversion({ version, fields }: Reversion, of: Resource): Reversion {
    const known = this.#reversions.get(fields) ?? guardReversion(fields, of, this.#rules)
    this.#reversions.set(fields, known)
    return { version, ...known }
  }

  #statesOf(of: Resource): { states?: StateTransitions[] } {
    return this.#hasStates ? { states: this.#transitionsOf(of) } : {}
  }

  #transitionsOf(of: Resource): StateTransitions[] {
    const known = this.#transitions.get(of)
    if (known !== undefined) return known
    const made = stateFields(of).map((field) => ({ field, rules: transitionRules(field, this.#rules) }))
    this.#transitions.set(of, made)
    return made
  }

  #sets({ set, update }: WritePlan, viewer: Viewer): Pick<WritePlan, 'set' | 'update'> {
    const members = this.#members(set, viewer)
    return update === undefined ? { set: members } : { set: members, update: this.#members(update, viewer) }
  }

  /** Nested rows are checked like writes of their own. */
  #members(set: SetMember[], viewer: Viewer): SetMember[] {
    if (set.every(isSetField)) return set
    return set.map((member) => {
      if (isSetField(member)) return member
      if (isSetList(member)) return this.#list(member, viewer)
      const of = member.field.to
      const rows = member.rows.map((row) => this.#members(row, viewer))
      if (this.#isOpen) return { ...member, rows }
      this.admit({ of, action: 'create' }, viewer)
      return { ...member, rows, checks: this.#checksOf(of, 'create') }
    })
  }

  #list(member: SetList, viewer: Viewer): SetList {
    const of = member.field.to as Resource
    const list: SetList = {
      ...member,
      update: member.update.map(({ id, set }) => ({ id, set: this.#members(set, viewer) })),
      create: member.create.map((row) => this.#members(row, viewer)),
      ...this.#statesOf(of),
    }
    if (this.#isOpen) return list
    if (member.create.length > 0) this.admit({ of, action: 'create' }, viewer)
    if (member.delete !== null) this.admit({ of, action: 'delete' }, viewer)
    if (member.update.length > 0 || member.connect !== null || member.disconnect !== null)
      this.admit({ of, action: 'update' }, viewer)
    return { ...list, checks: this.#listChecks(member.field, of) }
  }

  #listChecks(field: ListField, of: Resource): ListChecks {
    const known = this.#lists.get(field)
    if (known !== undefined) return known
    const guard = all([this.#rules.field(field, 'READ'), this.#rules.field(field, 'UPDATE')])
    const made: ListChecks = {
      create: this.#checksOf(of, 'create'),
      update: this.#checksOf(of, 'update'),
      delete: this.#checksOf(of, 'delete'),
      ...(isAlways(guard) ? {} : { list: guard }),
    }
    this.#lists.set(field, made)
    return made
  }

  /** The same selections give the same array: the store's cache of compiled statements is keyed by it. */
  #answer({ answer, of }: WritePlan): Selection[] {
    const known = this.#answers.get(answer)
    if (known !== undefined) return known
    const guarded = guardSelections(answer, of, this.#rules, { isReadable: false, reachedBy: null })
    this.#answers.set(answer, guarded)
    return guarded
  }

  #checksOf(of: Resource, action: WritePlan['action']): WriteChecks {
    const key = `${of.name} ${action}`
    const known = this.#writeChecks.get(key)
    if (known !== undefined) return known
    const made = writeChecks(of, action, this.#rules)
    this.#writeChecks.set(key, made)
    return made
  }

  admit({ of, action }: WriteKind, viewer: Viewer): void {
    const actions = {
      create: ['CREATE'],
      update: ['UPDATE'],
      delete: ['DELETE'],
      restore: ['DELETE'],
      purge: ['DELETE'],
      replace: ['CREATE', 'UPDATE'],
      upsert: ['CREATE', 'UPDATE'],
    } as const
    if (actions[action].some((one) => this.#could(one, of))) return
    if (!viewer.authenticated) throw signInRequired(action, of.name)
    if (action === 'create') throw new ApiError('FORBIDDEN', `You may not create a ${of.name}.`)
  }

  /** Whoever may read rows of a type of the server itself, may use its operations. An authenticated viewer without an account
   *  has no rows of a type that accounts own, which is no reason to reject. */
  admitSystemType(of: Resource, viewer: Viewer): void {
    if (this.#rules.mayUse(of)) return
    const isOwned = of.rules.some(({ role }) => role === null)
    if (isOwned && viewer.authenticated) return
    if (isOwned) throw unauthenticated('Sign in first.', signInHint)
    const message = `${of.system!.plural} need the role admin.`
    if (viewer.authenticated) throw new ApiError('FORBIDDEN', message)
    throw unauthenticated(`${message} Sign in first.`, 'twain token --role admin prints a token for the operator.')
  }

  get rules(): ViewerRules {
    return this.#rules
  }

  /** The same object each time: the store remembers statements by it. */
  actAs(account: Resource): Where {
    this.#actAs ??= this.#rules.actAs(account)
    return this.#actAs
  }

  mayCall(operation: CustomOperation): boolean {
    return this.#rules.mayCall(operation)
  }

  admitUpload(viewer: Viewer): void {
    const holders = this.#model.file?.holders ?? []
    const actions = ['CREATE', 'UPDATE'] as const
    const could = holders.some(({ field }) =>
      actions.some((action) => this.#could(action, field.owner) && !isNever(this.#rules.field(field, action))),
    )
    if (could) return
    if (!viewer.authenticated) throw signInRequired('upload', 'file')
    throw new ApiError('FORBIDDEN', 'You may not upload a file: there is no field that you could put it into.')
  }

  /** Whether the action could be allowed on some row. To update or delete a row, the viewer must be able to read it. */
  #could(action: Action, of: Resource): boolean {
    if (action !== 'CREATE' && isNever(this.#rules.row(of, 'READ'))) return false
    return !isNever(this.#rules.row(of, action)) || (action === 'UPDATE' && this.#couldTransition(of))
  }

  /** Whether a `@next` could itself allow an update. */
  #couldTransition(of: Resource): boolean {
    return this.#transitionsOf(of).some(({ rules }) => rules.some(canTransition))
  }
}

interface PlanAuthorizer {
  write(plan: WritePlan): WritePlan
  read(plan: ReadPlan): ReadPlan
  subscription(plan: SubscriptionPlan): SubscriptionPlan
}

function mapPlan(
  plan: Plan | SubscriptionPlan,
  { write, read, subscription }: PlanAuthorizer,
): Plan | SubscriptionPlan {
  switch (plan.kind) {
    case 'write':
      return write(plan)
    case 'batch':
      return { ...plan, writes: plan.writes.map(write) }
    case 'bulk':
      return { ...plan, match: read(plan.match) as PageRead, write: write(plan.write) as BulkWrite['write'] }
    case 'subscription':
      return subscription(plan)
    case 'one':
    case 'many':
    case 'groups':
      return read(plan)
    default:
      return unreachable(plan)
  }
}

/** For the server itself: no rules apply. */
const systemAuthorizer: PlanAuthorizer = {
  write: takePasswords,
  read: (read) => read,
  subscription(subscribed) {
    const known = systemSubscriptions.get(subscribed) ?? { ...subscribed, audit: always }
    systemSubscriptions.set(subscribed, known)
    return known
  },
}

/** The store remembers plans by identity. */
const systemSubscriptions = new WeakMap<SubscriptionPlan, SubscriptionPlan>()

/** Takes the passwords out of the fields that are set: they are no fields. */
function takePasswords(plan: WritePlan): WritePlan {
  const password = plan.set.find(isPassword)
  const current = plan.set.find(isCurrentPassword)
  const captcha = plan.set.find(isCaptcha)
  const lock = plan.set.find(isLock)
  const taken = [password, current, captcha, lock].filter((one) => one !== undefined)
  if (taken.length === 0) return plan
  return {
    ...plan,
    set: plan.set.filter((set) => !taken.some((one) => one === set)),
    ...(lock && { locked: lock.parameter }),
    ...(password && { password: password.parameter }),
    ...(current && { currentPassword: current.parameter }),
  }
}

function lockForbidden(): ApiError {
  return new ApiError('FORBIDDEN', 'Only the role admin may lock an account, or unlock it.')
}

/** The error for a viewer who is not authenticated, where no rule could allow the write to one. */
export function signInRequired(action: WritePlan['action'] | 'upload', type: string): ApiError {
  const deniedRight = action === 'create' ? 'CREATE' : action === 'update' ? 'UPDATE' : undefined
  return unauthenticated(`Nobody may ${action} a ${type} without signing in.`, undefined, deniedRight)
}

const signInHint = 'Send authorization: Bearer <token>; POST /tokens (createToken) creates one.'

function unauthenticated(message: string, hint?: string, deniedRight?: DeniedRight): ApiError {
  const headers = { 'www-authenticate': 'Bearer' }
  return new ApiError('UNAUTHENTICATED', message, { hint, headers, deniedRight })
}

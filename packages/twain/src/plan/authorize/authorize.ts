// The second step of the corridor, and the only maker of an AuthorizedPlan: the stores take nothing else.
//
// 1. Rules become conditions of the plan, at each of its levels; nothing is read to be thrown away.
// 2. What comes out is kept for each plan and class of viewers, so that its statement is compiled once for all of them.
// 3. Who is unknown is told so before any row is looked at, where no line could give the write to someone unknown; and
//    before what they send is looked at, since a door asks `admit` first.

import { ApiError, system, type Viewer } from '#base'
import { type Action, hasStateMachines, type Model, type Resource, stateFields } from '#model'
import { isPassword } from '../build/input.ts'
import {
  isRows,
  type Selection as Picked,
  type Plan,
  type ReadPlan,
  type SetMember,
  type StateTransitions,
  type SubscriptionPlan,
  type WriteChecks,
  type WritePlan,
} from '../plan.ts'
import { fullVisibility, type Visibility } from '../visibility.ts'
import { isNever } from './conditions.ts'
import { guardRead, guardSelections } from './guard-read.ts'
import { guardSubscription } from './guard-subscription.ts'
import { canTransition, transitionRules } from './transition-rules.ts'
import { isUnrestricted, type ViewerClass, viewerClassOf } from './viewer-class.ts'
import { ViewerRules } from './viewer-rules.ts'
import { writeChecks } from './write-checks.ts'

declare const authorized: unique symbol

/** A plan with the rules of the contract put into it. */
export type AuthorizedPlan<P extends Plan | SubscriptionPlan = Plan> = P & { readonly [authorized]: true }

/** What is to be done with rows of which type. */
export interface WriteKind {
  of: Resource
  action: WritePlan['action']
}

/** The rules of one contract, and everything that was made of them so far. */
export class Authority {
  readonly #model: Model
  readonly #isOpen: boolean
  readonly #hasStates: boolean
  readonly #systemSight: Visibility
  readonly #classes = new Map<ViewerClass, ClassAuthority>()
  /** A viewer is one object for as long as it is believed, so that its class is found once. */
  readonly #standing = new WeakMap<Viewer, ClassAuthority>()

  constructor(model: Model) {
    this.#model = model
    this.#isOpen = isUnrestricted(model)
    this.#hasStates = hasStateMachines(model)
    const account = model.account?.resource ?? null
    this.#systemSight = { ...fullVisibility, key: 'system', account, isSystem: true }
  }

  authorize<P extends Plan | SubscriptionPlan>(plan: P, viewer: Viewer): AuthorizedPlan<P> {
    if (this.#isOpen && !this.#hasStates) return plan as AuthorizedPlan<P>
    if (viewer === system) return mapPlan(plan, systemAuthorizer) as AuthorizedPlan<P>
    const authority = this.#of(viewer)
    const allowed = mapPlan(plan, {
      write: (write) => authority.write(write, viewer),
      read: (read) => authority.read(read),
      subscription: (watch) => authority.subscription(watch),
    })
    return allowed as AuthorizedPlan<P>
  }

  /** Throws where no line could give the write to this viewer: to someone unknown, or, if it is a create, to anyone like them. */
  admit(write: WriteKind, viewer: Viewer): void {
    if (!this.#isOpen && viewer !== system) this.#of(viewer).admit(write, viewer)
  }

  /** Whoever could put a file into some row may bring one. */
  admitUpload(viewer: Viewer): void {
    if (!this.#isOpen && viewer !== system) this.#of(viewer).admitUpload(viewer)
  }

  visibility(viewer: Viewer): Visibility {
    if (viewer === system) return this.#systemSight
    return this.#of(viewer).visibility
  }

  #of(viewer: Viewer): ClassAuthority {
    const standing = this.#standing.get(viewer)
    if (standing !== undefined) return standing
    const viewers = viewerClassOf(viewer, this.#model)
    const known = this.#classes.get(viewers) ?? new ClassAuthority(this.#model, viewers)
    this.#classes.set(viewers, known)
    this.#standing.set(viewer, known)
    return known
  }
}

class ClassAuthority {
  readonly visibility: Visibility
  readonly #model: Model
  readonly #rules: ViewerRules
  readonly #reads = new WeakMap<ReadPlan, ReadPlan>()
  readonly #watches = new WeakMap<SubscriptionPlan, SubscriptionPlan>()
  readonly #answers = new WeakMap<readonly Picked[], Picked[]>()
  readonly #judges = new Map<string, WriteChecks>()
  readonly #moves = new Map<Resource, StateTransitions[]>()
  readonly #isOpen: boolean
  readonly #hasStates: boolean

  constructor(model: Model, viewers: ViewerClass) {
    const rules = new ViewerRules(model, viewers)
    this.#model = model
    this.#rules = rules
    this.#isOpen = isUnrestricted(model)
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
    const known = this.#watches.get(plan)
    if (known !== undefined) return known
    const guarded = guardSubscription(plan, this.#rules)
    this.#watches.set(plan, guarded)
    return guarded
  }

  write(plan: WritePlan, viewer: Viewer): WritePlan {
    const states = this.#hasStates ? { states: this.#movesOf(plan.of) } : {}
    if (this.#isOpen) return { ...plan, answer: this.#answer(plan), ...states }
    this.admit(plan, viewer)
    const taken = takePassword(plan)
    return {
      ...taken,
      set: this.#members(taken.set, viewer),
      answer: this.#answer(plan),
      checks: this.#judge(plan.of, plan.action),
      ...states,
    }
  }

  #movesOf(of: Resource): StateTransitions[] {
    const known = this.#moves.get(of)
    if (known !== undefined) return known
    const made = stateFields(of).map((field) => ({ field, rules: transitionRules(field, this.#rules) }))
    this.#moves.set(of, made)
    return made
  }

  /** Rows that are made along are judged as those of a create of their own. */
  #members(set: readonly SetMember[], viewer: Viewer): SetMember[] {
    return set.map((member) => {
      if (!isRows(member)) return member
      const of = member.field.to
      this.admit({ of, action: 'create' }, viewer)
      const rows = member.rows.map((row) => this.#members(row, viewer))
      return { ...member, rows, checks: this.#judge(of, 'create') }
    })
  }

  /** The same picks give the same array, by which the store knows what it has compiled. */
  #answer({ answer, of }: WritePlan): Picked[] {
    const known = this.#answers.get(answer)
    if (known !== undefined) return known
    const guarded = guardSelections(answer, of, this.#rules, { isReadable: false, reachedBy: null })
    this.#answers.set(answer, guarded)
    return guarded
  }

  #judge(of: Resource, action: WritePlan['action']): WriteChecks {
    const key = `${of.name} ${action}`
    const known = this.#judges.get(key)
    if (known !== undefined) return known
    const made = writeChecks(of, action, this.#rules)
    this.#judges.set(key, made)
    return made
  }

  admit({ of, action }: WriteKind, viewer: Viewer): void {
    const actions = {
      create: ['CREATE'],
      update: ['UPDATE'],
      delete: ['DELETE'],
      replace: ['CREATE', 'UPDATE'],
    } as const
    if (actions[action].some((one) => this.#could(one, of))) return
    if (!viewer.authenticated) throw signInRequired(action, of.name)
    if (action === 'create') throw new ApiError('FORBIDDEN', `You may not create a ${of.name}.`)
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

  /** Whether there could be a row. To update or delete it, it must be readable too. */
  #could(action: Action, of: Resource): boolean {
    if (action !== 'CREATE' && isNever(this.#rules.row(of, 'READ'))) return false
    return !isNever(this.#rules.row(of, action)) || (action === 'UPDATE' && this.#couldMove(of))
  }

  /** Whether a `@next` line could itself be the way in. */
  #couldMove(of: Resource): boolean {
    return this.#movesOf(of).some(({ rules: lines }) => lines.some(canTransition))
  }
}

interface PlanAuthorizer {
  write(plan: WritePlan): WritePlan
  read(plan: ReadPlan): ReadPlan
  subscription(plan: SubscriptionPlan): SubscriptionPlan
}

function mapPlan(
  plan: Plan | SubscriptionPlan,
  { write, read, subscription: watch }: PlanAuthorizer,
): Plan | SubscriptionPlan {
  switch (plan.kind) {
    case 'write':
      return write(plan)
    case 'batch':
      return { kind: 'batch', writes: plan.writes.map(write) }
    case 'subscription':
      return watch(plan)
    default:
      return read(plan)
  }
}

/** For ourselves. */
const systemAuthorizer: PlanAuthorizer = { write: takePassword, read: (read) => read, subscription: (watch) => watch }

/** Out of what is set: it is no field, and goes another way. */
function takePassword(plan: WritePlan): WritePlan {
  const password = plan.set.find(isPassword)
  if (password === undefined) return plan
  return { ...plan, set: plan.set.filter((set) => set !== password), password: password.parameter }
}

/** The error for a viewer who is not authenticated, where no rule could allow the write to one. */
export function signInRequired(action: WritePlan['action'] | 'upload', type: string): ApiError {
  return new ApiError('UNAUTHENTICATED', `Nobody may ${action} a ${type} without signing in.`, {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

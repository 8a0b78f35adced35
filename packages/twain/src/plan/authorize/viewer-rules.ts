// What the access rules (`@allow`) mean for a class of viewers, as conditions of the same kind as filters.
//
// 1. Each rule is sufficient; all of its conditions must hold. What no rule allows is denied.
// 2. In a model with an account type, only the role `admin` may access a type without rules.
// 3. Rules on a field narrow the actions that they name; the other actions follow the type.
// 4. A rule of a type with `fields` allows its actions on the row, but only on these fields of it.

import { type Problem, unreachable, validationError } from '#base'
import { anonymous } from '#base/http'
import {
  type Abstract,
  type Action,
  type AnyField,
  type CustomOperation,
  coversField,
  type FileType,
  isClaimJson,
  isFile,
  isNarrowed,
  type Json,
  jsonPath,
  type LinksField,
  type Model,
  mayBeAccount,
  type OperationRule,
  ownerPathsOf,
  type ReferenceField,
  type Resource,
  type Rule,
  type Transition,
  type Who,
} from '#model'
import { PlanBuilder } from '../build/plan-builder.ts'
import { planWhere } from '../build/where.ts'
import { checkParameter } from '../check/check-parameter.ts'
import { defaultLimits } from '../limit/limits.ts'
import type { ClaimValue, ParameterType, Where } from '../plan.ts'
import { fullVisibility } from '../visibility.ts'
import { withConditions } from '../visit-plan.ts'
import { all, always, any, isAlways, isNever, never, simplify } from './conditions.ts'
import type { PendingDeletes } from './pending-deletes.ts'
import { resolveClaims } from './resolve-claims.ts'
import { trustedLinks } from './rule-links.ts'
import { isUnrestricted, type ViewerClass, viewerClassOf } from './viewer-class.ts'

export class ViewerRules {
  readonly #model: Model
  readonly #viewers: ViewerClass
  readonly #isOpen: boolean
  readonly #rows = new Map<Resource, Map<Action, Where>>()
  readonly #fields = new Map<AnyField, Map<Action, Where>>()
  /** Null: no delete runs in the background. */
  readonly #pending: PendingDeletes | null
  /** The rules of viewers who are not authenticated. */
  #everyone: ViewerRules | null = null

  /** `isOpen`: every viewer may do everything. */
  constructor(
    model: Model,
    viewers: ViewerClass,
    { pending = null, isOpen = isUnrestricted(model) }: { pending?: PendingDeletes | null; isOpen?: boolean } = {},
  ) {
    this.#model = model
    this.#viewers = viewers
    this.#pending = pending
    this.#isOpen = isOpen
  }

  /** The account type. */
  get account(): Resource | null {
    return this.#model.account?.resource ?? null
  }

  get resources(): readonly Resource[] {
    return this.#model.resources
  }

  /** The rows of the type on which the action is allowed. */
  row(resource: Resource, action: Action): Where {
    return remember(this.#rows, resource, action, () => {
      const { file } = this.#model
      const rule = resource === file?.resource ? this.#fileRule(file, action) : this.#typeRules(resource, action)
      return action === 'READ' && this.#pending !== null ? all([this.#pending.live(resource), rule]) : rule
    })
  }

  /** Whether the rules of a type of the server itself let the viewer use it. Those of files are about the list of all files. */
  mayUse(resource: Resource): boolean {
    if (this.#isOpen && isFile(resource)) return true
    return !isNever(this.#typeRules(resource, 'READ'))
  }

  /** The rows of whose changes the viewer may see who made them. */
  audit(resource: Resource): Where {
    const { auditRules } = resource
    if (auditRules.length === 0) return this.#viewers.roles.has('admin') ? always : never
    return any(auditRules.map((rule) => this.byRule(rule, resource, 'AUDIT')))
  }

  /** The accounts that the viewer may act as. */
  actAs(account: Resource): Where {
    return any(account.actRules.map((rule) => this.byRule(rule, account, 'ACT_AS')))
  }

  /** The readable rows that the field leads to, if the viewer may read its row and the field, or has just written them. */
  referencedRows({ to }: { to: Resource | Abstract }): Where {
    return to === this.#model.file?.resource ? always : this.rows(to, 'READ')
  }

  /** Whether everyone, authenticated or not, may read the files of this field; null: every file. */
  isFilePublic(holder: AnyField | null): boolean {
    this.#everyone ??= new ViewerRules(this.#model, viewerClassOf(anonymous, this.#model))
    const { file } = this.#model
    if (holder === null) return file !== null && isAlways(this.#everyone.row(file.resource, 'READ'))
    return isAlways(this.#everyone.row(holder.owner, 'READ')) && isAlways(this.#everyone.field(holder, 'READ'))
  }

  /** The rows that rules of the type give to the viewer. Other conditions of these rules do not count here. */
  owned(of: Resource | Abstract): Where {
    return ofEachType(of, (member) =>
      any(ownerPathsOf(member, this.#model).map((path) => simplify(this.#who(path, 'READ'), this.#viewers.signedIn))),
    )
  }

  /** Over an abstract, the rules of each type apply to its rows. */
  rows(of: Resource | Abstract, action: Action): Where {
    return ofEachType(of, (member) => this.row(member, action))
  }

  /** The rows on which the action is allowed on the field, of those on which it is allowed on the row. */
  field(field: AnyField, action: Action): Where {
    if (this.#isOpen) return always
    return remember(this.#fields, field, action, () =>
      all([this.#grantedField(field, action), this.ownRules(field, action)]),
    )
  }

  /** The rows on which the rules of the field itself allow the action. */
  ownRules(field: AnyField, action: Action): Where {
    const rules = field.rules.filter(({ to }) => to.includes(action))
    if (rules.length > 0) return any(rules.map((rule) => this.byRule(rule, field.owner, action)))
    // No viewer makes themselves an admin: only an admin writes roles, unless a rule allows it.
    const isRoles = field === this.#model.account?.roles && action !== 'READ'
    return isRoles && !this.#viewers.roles.has('admin') ? never : always
  }

  /** The rows on which a rule of the type grants the action on this field. `always` if each rule that grants the viewer the row
   *  grants the field too: then the rule of the row is enough. */
  #grantedField(field: AnyField, action: Action): Where {
    const { owner } = field
    if (field.name === 'id' || !isNarrowed(owner, action)) return always
    const granting = owner.rules
      .filter(({ to }) => to.includes(action))
      .map((rule) => ({ covers: coversField(rule, field), where: this.byRule(rule, owner, action) }))
      .filter(({ where }) => !isNever(where))
    return granting.every(({ covers }) => covers)
      ? always
      : any(granting.flatMap(({ covers, where }) => (covers ? [where] : [])))
  }

  /** Whether viewers may have rights because they are in the list. */
  isTrusted(field: LinksField): boolean {
    return trustedLinks(this.#model).has(field)
  }

  /** The accounts whose password the viewer may change: their own; an admin changes that of each account of which they may
   *  update the whole row. */
  passwordChange(): Where {
    const { account } = this
    const isAdmin = account !== null && this.#viewers.roles.has('admin')
    if (isAdmin && !isNarrowed(account, 'UPDATE')) return always
    const own: Where = this.#viewers.signedIn ? { kind: 'viewer' } : never
    return isAdmin ? any([own, this.#followed(account, 'UPDATE', null)]) : own
  }

  /** Whether the viewer can read the field on no row. */
  isHidden(field: AnyField): boolean {
    return isNever(this.field(field, 'READ'))
  }

  /** Whether the viewer can't read the field, or the row that it refers to, on some rows. */
  maybeHidden(field: AnyField): boolean {
    if (!isAlways(this.field(field, 'READ'))) return true
    return field.kind === 'reference' && !isAlways(this.referencedRows(field))
  }

  /** Whether some field may be forbidden on a readable row. */
  mayForbid(): boolean {
    return [...this.#model.resources, ...this.#model.views].some((resource) =>
      [...resource.fields.values(), ...resource.computed.values()].some(
        (field) => !isAlways(this.field(field, 'READ')),
      ),
    )
  }

  /** A file is readable through a readable row and field that holds it, and by its uploader. A file that was uploaded without an
   *  account is readable by everyone until a row first holds it: only its uploader knows its id. */
  #fileRule({ holders, uploader, fresh }: FileType, action: Action): Where {
    if (this.#isOpen) return always
    if (action !== 'READ') return never
    const held = holders.map(({ field, back }): Where => {
      const where = all([this.row(field.owner, 'READ'), this.field(field, 'READ')])
      if (isNever(where)) return never
      return { kind: 'some', field: back, where: isAlways(where) ? null : where }
    })
    const isFresh: Where = {
      kind: 'compare',
      target: { kind: 'target', field: fresh, inside: [] },
      op: 'eq',
      parameter: { constant: true },
    }
    if (uploader === null) return any([...held, isFresh])
    const hasNoUploader: Where = { kind: 'null', target: uploader, is: true }
    const isUploader: Where = this.#viewers.signedIn
      ? { kind: 'through', field: uploader, where: { kind: 'viewer' } }
      : never
    return any([isUploader, ...held, all([isFresh, hasNoUploader])])
  }

  #typeRules(resource: Resource, action: Action): Where {
    if (this.#isOpen && resource.system === undefined) return always
    if (resource.rules.length === 0) {
      return this.#model.account === null || this.#viewers.roles.has('admin') ? always : never
    }
    const rules = resource.rules.filter(({ to }) => to.includes(action))
    return any(rules.map((rule) => this.byRule(rule, resource, action)))
  }

  /** The rows on which this rule alone allows the action. */
  byRule({ who, role, verified, where }: Rule, of: Resource, action: Action): Where {
    if (verified && !this.#viewers.verified) return never
    if (role !== null && !this.#viewers.roles.has(role)) return never
    const filter = where === null ? always : this.filter(where, of)
    return all([this.#who(who, action), filter])
  }

  /** Whether a rule of the custom operation lets the viewer call it. Without rules it is closed, as a type is. */
  mayCall({ rules }: CustomOperation): boolean {
    if (rules.length > 0) return rules.some((rule) => this.mayCallBy(rule))
    return this.#model.account === null || this.#viewers.roles.has('admin')
  }

  /** Whether this rule alone lets the viewer call the operation. */
  mayCallBy({ who, role, verified }: OperationRule): boolean {
    if (verified && !this.#viewers.verified) return false
    return (role === null || this.#viewers.roles.has(role)) && (who.kind === 'anyone' || this.#viewers.signedIn)
  }

  /** The rows, before the write, on which a `@next` itself allows the transition; undefined: it names no viewers. */
  transitionActor({ who, role }: Transition): Where | undefined {
    if (who === null && role === null) return undefined
    if (role !== null && !this.#viewers.roles.has(role)) return never
    return who === null ? always : this.#who(who, 'UPDATE')
  }

  /** A filter of the schema file, as a condition. */
  filter(where: Json, of: Resource): Where {
    return simplify(resolveClaims(planFilter(where, of, this.#model), this.#viewers), this.#viewers.signedIn)
  }

  #who(who: Who, action: Action): Where {
    switch (who.kind) {
      case 'anyone':
        return always
      case 'signedIn':
        return this.#viewers.signedIn ? always : never
      case 'self':
        return this.#viewers.signedIn ? { kind: 'viewer' } : never
      case 'path':
        return this.#path(who.path, action)
      default:
        return unreachable(who)
    }
  }

  /** The path leads to the account of the viewer, or to a row that the viewer may read (to read) or update (to write). */
  #path(path: (Who & { kind: 'path' })['path'], action: Action): Where {
    let where = this.#end(path, action)
    if (isNever(where)) return never
    for (const field of path.toReversed()) {
      if (field.kind === 'reference' || field.kind === 'inverse') where = { kind: 'through', field, where }
      else where = { kind: 'some', field, where }
    }
    return where
  }

  #end(path: (Who & { kind: 'path' })['path'], action: Action): Where {
    const last = path.at(-1)!
    if (mayBeAccount(last.to, this.#model)) return this.#viewers.signedIn ? { kind: 'viewer' } : never
    const needed = action === 'READ' ? 'READ' : 'UPDATE'
    const via = path.length === 1 && last.kind === 'reference' ? last : null
    return ofEachType(last.to, (member) => this.#followed(member, needed, via))
  }

  /** The rows whose rules the rows that refer to them by `via` follow. A rule for some fields counts only if it names the list
   *  of these rows: whoever may change the title of an order may not therefore change its lines. */
  #followed(of: Resource, action: Action, via: ReferenceField | null): Where {
    if (!isNarrowed(of, action)) return this.row(of, action)
    const isTheirs = (field: AnyField) => (field.kind === 'many' || field.kind === 'inverse') && field.via === via
    const rules = of.rules.filter(({ to, fields }) => to.includes(action) && (fields === null || fields.some(isTheirs)))
    return any(rules.map((rule) => this.byRule(rule, of, action)))
  }
}

/** The condition of each type, on its own rows. */
function ofEachType(of: Resource | Abstract, condition: (member: Resource) => Where): Where {
  if (of.kind === 'resource') return condition(of)
  const members = of.members.map((member): [Resource, Where] => [member, condition(member)])
  if (members.every(([, where]) => isAlways(where))) return always
  return any(members.map(([member, where]) => all([{ kind: 'type', of: member }, where])))
}

const plannedFilters = new WeakMap<object, Where>()

/** A filter of the schema file, its values as constants. The file was checked when it was loaded, so it has no mistakes. */
function planFilter(where: Json, of: Resource, model: Model): Where {
  const known = plannedFilters.get(where as object)
  if (known !== undefined) return known
  const account = model.account?.resource ?? null
  const builder = new PlanBuilder({ ...fullVisibility, account })
  const plan = planWhere(where, of, builder, 'where') ?? always
  builder.finish(defaultLimits)
  const made = withConstants(plan, builder)
  plannedFilters.set(where as object, made)
  return made
}

function withConstants(whole: Where, builder: PlanBuilder): Where {
  const where = withConstantPath(whole, builder)
  if (where.kind !== 'compare') return withConditions(where, (inner) => withConstants(inner, builder))
  const { parameter } = where
  if (!('index' in parameter)) return where
  const problems: Problem[] = []
  const value = builder.requestValues[parameter.index]
  const claim = claimValue(value, parameter.accepts)
  if (claim !== null) return { ...where, parameter: claim }
  const constant = checkParameter(parameter.accepts, value, 'where', defaultLimits, problems)
  if (problems.length > 0) throw validationError(problems)
  return { ...where, parameter: { constant } }
}

/** The path of a value inside JSON was checked with the file. */
function withConstantPath(where: Where, builder: PlanBuilder): Where {
  if ((where.kind !== 'compare' && where.kind !== 'null') || where.target.kind !== 'target') return where
  const { json } = where.target
  if (json === undefined || !('index' in json.path)) return where
  const constant = jsonPath(builder.requestValues[json.path.index])
  return { ...where, target: { ...where.target, json: { ...json, path: { constant } } } }
}

/** Null: the value is no claim. Values of custom scalars may look like one. */
function claimValue(value: unknown, accepts: ParameterType): ClaimValue | null {
  if (!isClaimJson(value) || (accepts.kind !== 'type' && accepts.kind !== 'types')) return null
  const { type, kind } = accepts
  return type.kind === 'custom' ? null : { claim: value.claim, type, isList: kind === 'types' }
}

function remember<Key>(known: Map<Key, Map<Action, Where>>, key: Key, action: Action, make: () => Where): Where {
  const actions = known.get(key) ?? new Map<Action, Where>()
  known.set(key, actions)
  const found = actions.get(action)
  if (found !== undefined) return found
  const made = make()
  actions.set(action, made)
  return made
}

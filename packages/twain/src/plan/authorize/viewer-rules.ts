// What the `@allow` lines of the contract mean for a class of viewers, as conditions of the same kind as filters.
//
// 1. Each line is one way in; all that it says must hold. What no line allows is refused.
// 2. A type without a line is, in a contract with an account type, for the role `admin` alone.
// 3. Lines on a field narrow the actions that they name; the others follow the type.

import { anonymous, type Problem, unreachable, validationError } from '#base'
import type {
  Abstract,
  Action,
  AnyField,
  FileType,
  Json,
  LinksField,
  Model,
  Resource,
  Rule,
  Transition,
  Who,
} from '#model'
import { PlanBuilder } from '../build/plan-builder.ts'
import { planWhere } from '../build/where.ts'
import { checkParameter } from '../check/check-parameter.ts'
import { defaultLimits } from '../limit/limits.ts'
import type { Where } from '../plan.ts'
import { fullVisibility } from '../visibility.ts'
import { all, always, any, isAlways, isNever, never, simplify } from './conditions.ts'
import { trustedLinks } from './rule-links.ts'
import { isUnrestricted, type ViewerClass, viewerClassOf } from './viewer-class.ts'

export class ViewerRules {
  readonly #model: Model
  readonly #viewers: ViewerClass
  readonly #isOpen: boolean
  readonly #rows = new Map<Resource, Map<Action, Where>>()
  readonly #fields = new Map<AnyField, Map<Action, Where>>()
  /** What someone unknown may do. */
  #everyone: ViewerRules | null = null

  constructor(model: Model, viewers: ViewerClass) {
    this.#model = model
    this.#viewers = viewers
    this.#isOpen = isUnrestricted(model)
  }

  /** The type whose rows sign in. */
  get account(): Resource | null {
    return this.#model.account?.resource ?? null
  }

  get resources(): readonly Resource[] {
    return this.#model.resources
  }

  /** Which rows of the type the action is allowed on. */
  row(resource: Resource, action: Action): Where {
    return remember(this.#rows, resource, action, () => {
      const { file } = this.#model
      return resource === file?.resource ? this.#fileRule(file, action) : this.#readLines(resource, action)
    })
  }

  /** Which of the rows that the field leads to may be read, given that its own row and the field may be; or that the viewer
   *  has just written them. */
  referencedRows({ to }: { to: Resource | Abstract }): Where {
    return to === this.#model.file?.resource ? always : this.rows(to, 'READ')
  }

  /** Whether everyone, known or not, may read the files that this field holds; of null: every file. */
  isFilePublic(holder: AnyField | null): boolean {
    this.#everyone ??= new ViewerRules(this.#model, viewerClassOf(anonymous, this.#model))
    const { file } = this.#model
    if (holder === null) return file !== null && isAlways(this.#everyone.row(file.resource, 'READ'))
    return isAlways(this.#everyone.row(holder.owner, 'READ')) && isAlways(this.#everyone.field(holder, 'READ'))
  }

  /** Over an abstract, each type by its own rules. */
  rows(of: Resource | Abstract, action: Action): Where {
    if (of.kind === 'resource') return this.row(of, action)
    const members = of.members.map((member): [Resource, Where] => [member, this.row(member, action)])
    if (members.every(([, rule]) => isAlways(rule))) return always
    return any(members.map(([member, rule]) => all([{ kind: 'type', of: member }, rule])))
  }

  /** On which rows of its type the action is allowed on the field, beyond what the type says. */
  field(field: AnyField, action: Action): Where {
    return remember(this.#fields, field, action, () => {
      const lines = field.rules.filter(({ to }) => to.includes(action))
      if (lines.length > 0) return any(lines.map((line) => this.byRule(line, field.owner, action)))
      // Nobody makes themselves an admin: the roles are for who is one, unless a line says otherwise.
      const isRoles = field === this.#model.account?.roles && action !== 'READ'
      return isRoles && !this.#viewers.roles.has('admin') ? never : always
    })
  }

  /** Whether who stands in the list may have rights by it. */
  isTrusted(field: LinksField): boolean {
    return trustedLinks(this.#model).has(field)
  }

  /** Whose password may be changed: one's own, and an admin's are all. */
  passwordChange(): Where {
    if (this.#viewers.roles.has('admin')) return always
    return this.#viewers.signedIn ? { kind: 'viewer' } : never
  }

  /** Whether no row's value can ever be read. */
  isHidden(field: AnyField): boolean {
    return isNever(this.field(field, 'READ'))
  }

  /** Whether some row's value can't be read, or the row that it refers to can't. */
  maybeHidden(field: AnyField): boolean {
    if (!isAlways(this.field(field, 'READ'))) return true
    return field.kind === 'reference' && !isAlways(this.referencedRows(field))
  }

  /** Whether a field of some type may be refused on a row that can be read. */
  mayForbid(): boolean {
    return this.#model.resources.some((resource) =>
      [...resource.fields.values(), ...resource.computed.values()].some(
        (field) => !isAlways(this.field(field, 'READ')),
      ),
    )
  }

  /** A file is readable through a readable row and field that holds it, and by its uploader. What someone without an account
   *  brought is, until a row first holds it, for who knows its id: nobody else has heard of it. */
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
    const isNobodys: Where = { kind: 'null', target: uploader, is: true }
    const own: Where = this.#viewers.signedIn ? { kind: 'through', field: uploader, where: { kind: 'viewer' } } : never
    return any([own, ...held, all([isFresh, isNobodys])])
  }

  #readLines(resource: Resource, action: Action): Where {
    if (this.#isOpen) return always
    if (resource.rules.length === 0) {
      return this.#model.account === null || this.#viewers.roles.has('admin') ? always : never
    }
    const lines = resource.rules.filter(({ to }) => to.includes(action))
    return any(lines.map((line) => this.byRule(line, resource, action)))
  }

  /** On which rows one line alone allows the action. */
  byRule({ who, role, where }: Rule, of: Resource, action: Action): Where {
    if (role !== null && !this.#viewers.roles.has(role)) return never
    const filter = where === null ? always : this.filter(where, of)
    return all([this.#who(who, action), filter])
  }

  /** On which rows, as they were, a `@next` line is itself the way in; undefined for one that names nobody. */
  transitionActor({ who, role }: Transition): Where | undefined {
    if (who === null && role === null) return undefined
    if (role !== null && !this.#viewers.roles.has(role)) return never
    return who === null ? always : this.#who(who, 'UPDATE')
  }

  /** A filter of the file. */
  filter(where: Json, of: Resource): Where {
    return simplify(planFilter(where, of, this.#model), this.#viewers.signedIn)
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

  /** The viewer stands at the end of the path, or may read (to read) or update (to write) the row that is there. */
  #path(path: (Who & { kind: 'path' })['path'], action: Action): Where {
    const end = path.at(-1)!.to
    let where = this.#end(end, action)
    if (isNever(where)) return never
    for (const field of path.toReversed()) {
      if (field.kind === 'reference' || field.kind === 'inverse') where = { kind: 'through', field, where }
      else where = { kind: 'some', field, where }
    }
    return where
  }

  #end(end: Resource | Abstract, action: Action): Where {
    const { account } = this.#model
    const isAccount = end === account?.resource || (end.kind === 'abstract' && account !== null)
    if (isAccount) return this.#viewers.signedIn ? { kind: 'viewer' } : never
    return this.rows(end, action === 'READ' ? 'READ' : 'UPDATE')
  }
}

const plannedFilters = new WeakMap<object, Where>()

/** A line's filter, its values as constants. The file was checked when it was loaded, so nothing can be wrong here. */
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

function withConstants(where: Where, builder: PlanBuilder): Where {
  switch (where.kind) {
    case 'and':
    case 'or':
      return { ...where, of: where.of.map((part) => withConstants(part, builder)) }
    case 'not':
      return { ...where, of: withConstants(where.of, builder) }
    case 'through':
      return { ...where, where: withConstants(where.where, builder) }
    case 'some':
    case 'none':
      return { ...where, where: where.where === null ? null : withConstants(where.where, builder) }
    case 'compare': {
      const { parameter } = where
      if (!('index' in parameter)) return where
      const problems: Problem[] = []
      const constant = checkParameter(
        parameter.accepts,
        builder.requestValues[parameter.index],
        'where',
        defaultLimits,
        problems,
      )
      if (problems.length > 0) throw validationError(problems)
      return { ...where, parameter: { constant } }
    }
    default:
      return where
  }
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

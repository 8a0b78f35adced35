// Viewers whom the same access rules apply to are one class. They share every plan and every statement, and differ only in the
// account that is bound.

import type { Viewer } from '#base/http'
import {
  type CustomOperation,
  type EnumType,
  isAccountTime,
  isSameClaim,
  type Model,
  type NamedClaim,
  type Rule,
  type SourceLocation,
  stateFields,
  type Transition,
} from '#model'
import { type ClaimShape, claimShape } from '../check/claim-values.ts'
import type { ClaimValue } from '../plan.ts'

export interface ViewerClass {
  readonly key: string
  /** Whether the viewer has an account: then paths, `signedIn` and `self` can hold. */
  readonly signedIn: boolean
  readonly roles: ReadonlySet<string>
  /** Whether the viewer is an account whose address is proven; false if no rule asks for it. */
  readonly verified: boolean
  /** The same for all viewers of the class. */
  claimShape(use: Pick<NamedClaim, 'name' | 'type'> | ClaimValue): ClaimShape
}

export function viewerClassOf(viewer: Viewer, model: Model): ViewerClass {
  const { named, asksForProof, classes } = classesOf(model)
  const roles = viewer.roles.filter((role) => named.has(role)).sort()
  const shapes = model.claims.map(({ name, type }) => claimShape(name, type, viewer.claims))
  const claimKey = shapes.some((shape) => shape !== 'none') ? ` ${shapes.join(' ')}` : ''
  const verified = asksForProof && viewer.verified === true
  const key = `${viewer.account === null ? '-' : verified ? '*' : '+'}${JSON.stringify(roles)}${claimKey}`
  const found = classes.get(key)
  if (found !== undefined) return found
  const made: ViewerClass = {
    key,
    signedIn: viewer.account !== null,
    roles: new Set(roles),
    verified,
    claimShape(use) {
      const name = 'claim' in use ? use.claim : use.name
      return shapes[model.claims.findIndex((one) => isSameClaim(one, { name, type: use.type }))] ?? 'none'
    },
  }
  classes.set(key, made)
  return made
}

/** The same viewer with each role that a rule names, and with a proven address. */
export function withAllRoles(viewer: Viewer, model: Model): Viewer {
  return { ...viewer, roles: [...classesOf(model).named], verified: true }
}

interface ModelClasses {
  /** The roles that rules name: others make no difference. */
  named: ReadonlySet<string>
  /** Whether a rule has `verified: true`. */
  asksForProof: boolean
  classes: Map<string, ViewerClass>
}

const classesByModel = new WeakMap<Model, ModelClasses>()

function classesOf(model: Model): ModelClasses {
  const found = classesByModel.get(model)
  if (found !== undefined) return found
  const named = namedRoles(model)
  named.add('admin') // may access types without rules, write the roles of accounts, and see who made a change
  const made: ModelClasses = { named, asksForProof: asksForProof(model), classes: new Map() }
  classesByModel.set(model, made)
  return made
}

/** In the order of the schema file. */
export function namedRoles(model: Model): Set<string> {
  return new Set(rolesByName(model).keys())
}

/** The roles of rules, each with the first rule that names it. */
export function rolesByName(model: Model): Map<string, SourceLocation> {
  const calls = model.operations.flatMap((operation) => operation.rules)
  const places = new Map<string, SourceLocation>()
  for (const { role, place } of [...rulesOf(model), ...transitionsOf(model), ...calls])
    if (role !== null && !places.has(role)) places.set(role, place)
  return places
}

/** The enum of the account's roles; null: they are texts, or there are none. */
export function enumOfRoles({ account }: Model): EnumType | null {
  const type = account?.roles?.type
  const item = type?.kind === 'list' ? type.of : type
  return item?.kind === 'enum' ? item.enum : null
}

/** The roles that somebody could act as: those of rules, and the values of an enum of roles. */
export function actingRoles(model: Model): Set<string> {
  const values = enumOfRoles(model)?.values.map(({ name }) => name) ?? []
  return new Set([...namedRoles(model), ...values, 'admin'])
}

/** Whether a rule has `verified: true`. */
export function asksForProof(model: Model): boolean {
  const calls = model.operations.flatMap((operation) => operation.rules)
  return [...rulesOf(model), ...calls].some(({ verified }) => verified)
}

/** Those of the file: a field that the server adds has a rule for the role admin. */
function rulesOf(model: Model): Rule[] {
  return [...model.resources, ...model.views].flatMap((resource) => [
    ...resource.rules,
    ...resource.auditRules,
    ...resource.actRules,
    ...[...resource.fields.values(), ...resource.computed.values()].flatMap((field) =>
      field.kind === 'stored' && isAccountTime(field.auto) ? [] : field.rules,
    ),
  ])
}

function transitionsOf(model: Model): readonly Transition[] {
  return model.resources.flatMap((resource) =>
    stateFields(resource).flatMap(({ stateMachine }) => stateMachine.transitions),
  )
}

/** Whether the model has no access rules: then every viewer may do everything. */
export function isUnrestricted(model: Model): boolean {
  if (model.account !== null) return false
  return rulesOf(model).every(({ to }) => to.includes('AUDIT')) && model.operations.every((one) => isForAll(one, model))
}

/** Whether every viewer may call the custom operation. */
export function isForAll({ rules }: CustomOperation, { account }: Model): boolean {
  if (rules.length === 0) return account === null
  return rules.some(({ who, role, verified }) => who.kind === 'anyone' && role === null && !verified)
}

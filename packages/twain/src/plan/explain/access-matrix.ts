// Who may do what, as a table: each type, and each field with lines of its own × action × kind of viewer, with the lines
// that decide. It asks the same `Rules` as requests do, so that it can't say anything else than what happens.

import type { Action, Field, Model, Resource, Rule } from '#model'
import { isAlways, isNever } from '../authorize/conditions.ts'
import { isUnrestricted, namedRoles, viewerClassOf } from '../authorize/viewer-class.ts'
import { ViewerRules } from '../authorize/viewer-rules.ts'

/** A kind of viewer that the table has a column for. */
export interface ViewerKind {
  /** `nobody`, `signedIn`, `role:editor`, `operator`. */
  name: string
  signedIn: boolean
  roles: readonly string[]
}

export interface AccessRow {
  of: Resource
  /** Null: the rows of the type. */
  field: Field | null
  action: Action
  cells: { kind: ViewerKind; verdict: AccessVerdict }[]
}

/** `always`: by the first of the lines, or by none where nothing is said; `where`: by any of them, under its condition. */
export interface AccessVerdict {
  is: 'always' | 'never' | 'where'
  rules: Rule[]
  /** Said by no line: `open`, `closed` (only admin, since the type has none), `roles` (only admin sets them). */
  reason: 'rules' | 'open' | 'closed' | 'roles'
}

export function accessMatrix(model: Model, kinds: readonly ViewerKind[] = viewerKinds(model)): AccessRow[] {
  const asked = kinds.map((kind) => ({ kind, rules: rulesFor(kind, model) }))
  return model.resources.flatMap((of) => [
    ...actions.map((action) => ({
      of,
      field: null,
      action,
      cells: asked.map(({ kind, rules }) => ({ kind, verdict: typeVerdict(of, action, kind, rules, model) })),
    })),
    ...[...of.fields.values()].flatMap((field) =>
      actionsOf(field, model).map((action) => ({
        of,
        field,
        action,
        cells: asked.map(({ kind, rules }) => ({ kind, verdict: fieldVerdict(field, action, rules) })),
      })),
    ),
  ])
}

/** Those who can be told apart by the contract. */
export function viewerKinds(model: Model): ViewerKind[] {
  const signedIn = model.account !== null
  return [
    { name: 'nobody', signedIn: false, roles: [] },
    ...(signedIn ? [{ name: 'signedIn', signedIn, roles: [] }] : []),
    ...[...namedRoles(model)].map((role) => ({ name: `role:${role}`, signedIn, roles: [role] })),
    { name: 'operator', signedIn: false, roles: ['admin'] },
  ]
}

const actions: readonly Action[] = ['READ', 'CREATE', 'UPDATE', 'DELETE']

export function rulesFor({ signedIn, roles }: ViewerKind, model: Model): ViewerRules {
  const viewer = { account: signedIn ? 'someone' : null, roles, authenticated: true, token: null }
  return new ViewerRules(model, viewerClassOf(viewer, model))
}

function typeVerdict(of: Resource, action: Action, kind: ViewerKind, rules: ViewerRules, model: Model): AccessVerdict {
  if (isUnrestricted(model) || (of.rules.length === 0 && model.account === null)) {
    return { is: 'always', rules: [], reason: 'open' }
  }
  if (of.rules.length === 0) {
    return { is: kind.roles.includes('admin') ? 'always' : 'never', rules: [], reason: 'closed' }
  }
  return rulesVerdict(of.rules, of, action, rules)
}

/** What the lines of the field say; those of its type hold as well. */
function fieldVerdict(field: Field, action: Action, rules: ViewerRules): AccessVerdict {
  if (field.rules.some(({ to }) => to.includes(action))) {
    return rulesVerdict(field.rules, field.owner, action, rules)
  }
  return { is: isAlways(rules.field(field, action)) ? 'always' : 'never', rules: [], reason: 'roles' }
}

function rulesVerdict(lines: readonly Rule[], of: Resource, action: Action, rules: ViewerRules): AccessVerdict {
  const open = lines
    .filter(({ to }) => to.includes(action))
    .map((line) => ({ line, where: rules.byRule(line, of, action) }))
    .filter(({ where }) => !isNever(where))
  const always = open.find(({ where }) => isAlways(where))
  if (always !== undefined) return { is: 'always', rules: [always.line], reason: 'rules' }
  return { is: open.length === 0 ? 'never' : 'where', rules: open.map(({ line }) => line), reason: 'rules' }
}

/** The actions that its lines name; and the field of the roles has two rules of its own. */
function actionsOf(field: Field, model: Model): Action[] {
  const isRoles = field === model.account?.roles
  return actions.filter(
    (action) =>
      field.rules.some(({ to }) => to.includes(action)) || (isRoles && (action === 'CREATE' || action === 'UPDATE')),
  )
}

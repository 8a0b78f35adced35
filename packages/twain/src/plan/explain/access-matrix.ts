// The access matrix: each type, each field with rules of its own, and each custom operation × action × kind of viewer, with
// the rules that decide. It uses the same ViewerRules as requests, so that it always matches what happens.

import {
  type Action,
  type CustomOperation,
  type Field,
  isFile,
  type Model,
  type OperationRule,
  type Resource,
  type Rule,
  type StateField,
  stateFields,
  type Transition,
} from '#model'
import { transitionCondition, updaterOf } from '../authorize/allowed-transitions.ts'
import { all, isAlways, isNever } from '../authorize/conditions.ts'
import { transitionRules } from '../authorize/transition-rules.ts'
import { asksForProof, isUnrestricted, namedRoles, type ViewerClass, viewerClassOf } from '../authorize/viewer-class.ts'
import { ViewerRules } from '../authorize/viewer-rules.ts'
import { isOfFile } from './field-dependencies.ts'

/** A column of the matrix. */
export interface ViewerKind {
  /** `nobody`, `signedIn`, `verified`, `role:editor`, `claim:org_id`, `operator`. */
  name: string
  signedIn: boolean
  roles: readonly string[]
  /** Whether its address is proven. */
  verified?: boolean
  /** The claims of its token; null: a value that fits each use. */
  claims?: Readonly<Record<string, unknown>>
}

export interface AccessRow {
  of: Resource
  /** Null: the row is about the rows of the type. */
  field: Field | null
  action: Action
  cells: AccessCell[]
}

/** Who may call a custom operation. */
export interface CallRow {
  operation: CustomOperation
  cells: AccessCell[]
}

/** Who may change a state to the next one. */
export interface TransitionRow {
  field: StateField
  from: string
  to: string
  /** The `@next` directives about it. */
  candidates: Transition[]
  /** `transitions`: those of them that allow it to this kind of viewer. `readsAll`: it reads every row, which a transition needs. */
  cells: { kind: ViewerKind; is: AccessVerdict['is']; transitions: Transition[]; readsAll: boolean }[]
}

interface AccessCell {
  kind: ViewerKind
  verdict: AccessVerdict
}

/** `always`: the first of `rules` allows it, or no rule is needed; `where`: each of `rules` allows it under its condition, or on
 *  some fields. */
export interface AccessVerdict {
  is: 'always' | 'never' | 'where'
  rules: (Rule | OperationRule)[]
  /** What decides: rules; `open`: there are none; `closed`: the type or operation has none, so only admin may; `roles`: only admin
   *  sets roles; `rows`: of a file, the rules of the rows that refer to it. */
  reason: 'rules' | 'open' | 'closed' | 'roles' | 'rows'
}

export function accessMatrix(
  model: Model,
  kinds: readonly ViewerKind[] = viewerKinds(model),
  resources: readonly Resource[] = [...model.resources, ...model.views],
): AccessRow[] {
  const columns = kinds.map((kind) => ({ kind, rules: rulesFor(kind, model) }))
  return resources.flatMap((of) => [
    ...actionsOn(of).map((action) => ({
      of,
      field: null,
      action,
      cells: columns.map(({ kind, rules }) => ({ kind, verdict: typeVerdict(of, action, kind, rules, model) })),
    })),
    ...(of.auditRules.length === 0 ? [] : [namedRow(of, of.auditRules, 'AUDIT', columns)]),
    ...(of.actRules.length === 0 ? [] : [namedRow(of, of.actRules, 'ACT_AS', columns)]),
    ...[...of.fields.values()].filter(isOfFile).flatMap((field) =>
      actionsOf(field, model).map((action) => ({
        of,
        field,
        action,
        cells: columns.map(({ kind, rules }) => ({ kind, verdict: fieldVerdict(field, action, rules) })),
      })),
    ),
  ])
}

/** The same for the custom operations. A call has no row, so a rule allows it always or never. */
export function callMatrix(model: Model, kinds: readonly ViewerKind[] = viewerKinds(model)): CallRow[] {
  const columns = kinds.map((kind) => ({ kind, rules: rulesFor(kind, model) }))
  return model.operations.map((operation) => ({
    operation,
    cells: columns.map(({ kind, rules }) => ({ kind, verdict: callVerdict(operation, rules, model) })),
  }))
}

/** The same for transitions, by the rules that writes are checked by. */
export function transitionMatrix(
  model: Model,
  kinds: readonly ViewerKind[],
  resources: readonly Resource[],
): TransitionRow[] {
  const columns = kinds.map((kind) => ({ kind, rules: rulesFor(kind, model) }))
  return resources.flatMap(stateFields).flatMap((field) =>
    stepsOf(field).map(({ from, to, candidates }) => ({
      ...{ field, from, to, candidates },
      cells: columns.map(({ kind, rules }) => ({ kind, ...transitionVerdict(field, to, candidates, rules) })),
    })),
  )
}

function stepsOf({ stateMachine: { transitions } }: StateField): Pick<TransitionRow, 'from' | 'to' | 'candidates'>[] {
  const steps = transitions.flatMap(({ from, to }) => to.map((next) => ({ from, to: next })))
  const unique = new Map(steps.map((step) => [`${step.from} ${step.to}`, step]))
  return [...unique.values()].map(({ from, to }) => ({
    ...{ from, to },
    candidates: transitions.filter((one) => one.from === from && one.to.includes(to)),
  }))
}

function transitionVerdict(
  field: StateField,
  to: string,
  candidates: readonly Transition[],
  rules: ViewerRules,
): Omit<TransitionRow['cells'][number], 'kind'> {
  const { transitions } = field.stateMachine
  const readable = rules.row(field.owner, 'READ')
  const judged = transitionRules(field, rules)
  const open = candidates.filter((one) => {
    const condition = transitionCondition(field, judged[transitions.indexOf(one)]!, to, rules)
    return !isNever(all([readable, condition]))
  })
  const isAlwaysOpen = open.some((one) => {
    const { who, requirements } = judged[transitions.indexOf(one)]!
    return requirements.length === 0 && isAlways(all([readable, who ?? updaterOf(field, rules)]))
  })
  const is = open.length === 0 ? 'never' : isAlwaysOpen ? 'always' : 'where'
  return { is, transitions: open, readsAll: isAlways(readable) }
}

function callVerdict(operation: CustomOperation, rules: ViewerRules, { account }: Model): AccessVerdict {
  const is = rules.mayCall(operation) ? 'always' : 'never'
  if (operation.rules.length === 0) return { is, rules: [], reason: account === null ? 'open' : 'closed' }
  return { is, rules: operation.rules.filter((rule) => rules.mayCallBy(rule)).slice(0, 1), reason: 'rules' }
}

/** Of types that name the action: AUDIT, which the role admin may on all others, or ACT_AS, which nobody may. */
function namedRow(
  of: Resource,
  named: readonly Rule[],
  action: Action,
  columns: { kind: ViewerKind; rules: ViewerRules }[],
): AccessRow {
  const cells = columns.map(({ kind, rules }) => ({ kind, verdict: rulesVerdict(named, of, action, rules) }))
  return { of, field: null, action, cells }
}

/** The kinds of viewers that the model distinguishes. */
export function viewerKinds(model: Model): ViewerKind[] {
  const signedIn = model.account !== null
  return [
    { name: 'nobody', signedIn: false, roles: [] },
    ...(signedIn ? [{ name: 'signedIn', signedIn, roles: [] }] : []),
    ...(asksForProof(model) ? [{ name: 'verified', signedIn, roles: [], verified: true }] : []),
    ...[...namedRoles(model)].map((role) => ({ name: `role:${role}`, signedIn, roles: [role] })),
    ...[...new Set(model.claims.map(({ name }) => name))].map((claim) => ({
      name: `claim:${claim}`,
      signedIn,
      roles: [],
      claims: { [claim]: null },
    })),
    { name: 'operator', signedIn: false, roles: ['admin'] },
  ]
}

const actions: readonly Action[] = ['READ', 'CREATE', 'UPDATE', 'DELETE']

/** A type of the server itself has the actions that its rules name. */
function actionsOn({ system, view, rules }: Resource): readonly Action[] {
  if (view !== undefined) return ['READ']
  return system === undefined ? actions : actions.filter((action) => rules.some(({ to }) => to.includes(action)))
}

export function rulesFor({ signedIn, roles, verified = false, claims = {} }: ViewerKind, model: Model): ViewerRules {
  const viewer = { account: signedIn ? 'someone' : null, roles, authenticated: true, token: null, verified }
  const values = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null))
  const viewers = viewerClassOf({ ...viewer, claims: { values, key: '' } }, model)
  const fitting = Object.keys(claims).filter((name) => claims[name] === null)
  if (fitting.length === 0) return new ViewerRules(model, viewers)
  const claimShape: ViewerClass['claimShape'] = (use) =>
    fitting.includes('claim' in use ? use.claim : use.name) ? 'one' : viewers.claimShape(use)
  return new ViewerRules(model, { ...viewers, claimShape })
}

function typeVerdict(of: Resource, action: Action, kind: ViewerKind, rules: ViewerRules, model: Model): AccessVerdict {
  const isOpen = isUnrestricted(model) || (of.rules.length === 0 && model.account === null)
  if (isOpen && (of.system === undefined || isFile(of))) return { is: 'always', rules: [], reason: 'open' }
  if (isFile(of)) return { is: isNever(rules.row(of, action)) ? 'never' : 'where', rules: [], reason: 'rows' }
  if (of.rules.length === 0) {
    return { is: kind.roles.includes('admin') ? 'always' : 'never', rules: [], reason: 'closed' }
  }
  return rulesVerdict(of.rules, of, action, rules)
}

/** The verdict of the field's rules; those of its type apply as well. */
function fieldVerdict(field: Field, action: Action, rules: ViewerRules): AccessVerdict {
  if (field.rules.some(({ to }) => to.includes(action))) {
    return rulesVerdict(field.rules, field.owner, action, rules)
  }
  return { is: isAlways(rules.ownRules(field, action)) ? 'always' : 'never', rules: [], reason: 'roles' }
}

function rulesVerdict(candidates: readonly Rule[], of: Resource, action: Action, rules: ViewerRules): AccessVerdict {
  const open = candidates
    .filter(({ to }) => to.includes(action))
    .map((rule) => ({ rule, where: rules.byRule(rule, of, action) }))
    .filter(({ where }) => !isNever(where))
  const always = open.find(({ where, rule }) => isAlways(where) && rule.fields === null)
  if (always !== undefined) return { is: 'always', rules: [always.rule], reason: 'rules' }
  return { is: open.length === 0 ? 'never' : 'where', rules: open.map(({ rule }) => rule), reason: 'rules' }
}

/** The actions that its rules name. The roles of accounts have implied rules for two actions. */
function actionsOf(field: Field, model: Model): Action[] {
  const isRoles = field === model.account?.roles
  return actions.filter(
    (action) =>
      field.rules.some(({ to }) => to.includes(action)) || (isRoles && (action === 'CREATE' || action === 'UPDATE')),
  )
}

/** A unique field that some viewers may write but not read. A conflict (409) reveals that a value is taken, so they can guess
 *  values. Uniqueness can't be enforced otherwise, so the start warns the author of the schema file. */
export interface GuessableField {
  field: Field
  /** Who may write it, or a field that it is unique together with, and can't read it on every row. */
  by: ViewerKind[]
}

/** Without the login: sign-up must reveal that it is taken. */
export function guessableFields(model: Model): GuessableField[] {
  const columns = viewerKinds(model).map((kind) => ({ kind, rules: rulesFor(kind, model) }))
  return model.resources.flatMap((of) => {
    const fields = [...of.fields.values()].filter((field) => field !== model.account?.login)
    return fields.flatMap((field) => {
      const groups = of.indexes.filter((index) => index.unique && index.fields.some((one) => one === field))
      const by = columns.filter(
        ({ rules }) =>
          !isAlways(rules.field(field, 'READ')) && groups.some((group) => mayWrite(of, group.fields, rules)),
      )
      return by.length === 0 ? [] : [{ field, by: by.map(({ kind }) => kind) }]
    })
  })
}

function mayWrite(of: Resource, fields: readonly Field[], rules: ViewerRules): boolean {
  return (['CREATE', 'UPDATE'] as const).some(
    (action) => !isNever(rules.row(of, action)) && fields.some((field) => !isNever(rules.field(field, action))),
  )
}

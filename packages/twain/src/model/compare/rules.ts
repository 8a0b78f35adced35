// Compares permissions: for each action that an `@allow` rule granted, a rule that is equal or wider must grant it now.
// Types and fields without rules have the implied ones (docs/reference/schema.md#rules, last paragraph).

import type { Action, AnyField, Model, Resource, Rule, Verification } from '../model.ts'
import type { Differences } from './differences.ts'
import { covers, printRule } from './rule-coverage.ts'

export function compareRules(before: Model, after: Model, found: Differences): void {
  for (const resource of [...before.resources, ...before.views]) {
    const now = after.types.get(resource.name)
    if (now?.kind !== 'resource' || (now.view === undefined) !== (resource.view === undefined)) continue
    const compare = (was: readonly Rule[], is: readonly Rule[], path: string, actions: readonly Action[]) =>
      compareRuleLists(was, is, { path, actions, before, after, found })
    compare(rulesOf(resource, before), rulesOf(now, after), resource.name, ['READ', 'CREATE', 'UPDATE', 'DELETE'])
    compare(auditRulesOf(resource), auditRulesOf(now), resource.name, ['AUDIT'])
    compare(resource.actRules, now.actRules, resource.name, ['ACT_AS'])
    for (const field of anyFields(resource)) {
      const same = now.fields.get(field.name) ?? now.computed.get(field.name)
      if (same === undefined || field.rules.length + same.rules.length === 0) continue
      compare(field.rules, same.rules, `${resource.name}.${field.name}`, ['READ', 'CREATE', 'UPDATE'])
    }
  }
}

interface Comparison {
  path: string
  actions: readonly Action[]
  before: Model
  after: Model
  found: Differences
}

function compareRuleLists(
  was: readonly Rule[],
  is: readonly Rule[],
  { path, actions, before, after, found }: Comparison,
): void {
  for (const [rule, lost] of uncoveredRules(was, is, actions, after)) {
    const message = `${printRule(rule)} could ${printActions(lost)} ${printFields(rule, path)}, and no rule allows it now`
    found.breaking(path, message, { affects: 'viewers' }, 'Put the rule back, or write a wider one.')
  }
  for (const [rule, gained] of uncoveredRules(is, was, actions, before)) {
    found.additive(path, `${printRule(rule)} may ${printActions(gained)} ${printFields(rule, path)} now`)
  }
}

/** Lists the rules, each with those of its actions that no rule of `others` grants to the same viewers. */
function* uncoveredRules(
  ownRules: readonly Rule[],
  others: readonly Rule[],
  actions: readonly Action[],
  { account }: Model,
): Generator<[Rule, Action[]]> {
  // Rules on a field narrow only the actions that they name; the type's rules govern the others.
  const rulesFor = (rules: readonly Rule[], action: Action): readonly Rule[] => {
    const named = rules.filter(({ to }) => to.includes(action))
    return named.length > 0 || actions.includes('DELETE') || action === 'AUDIT' || action === 'ACT_AS' ? named : [free]
  }
  const lost = new Map<Rule, Action[]>()
  for (const action of actions) {
    const candidates = rulesFor(others, action)
    for (const rule of rulesFor(ownRules, action).flatMap(ofEachField)) {
      if (candidates.some((other) => covers(other, rule, account?.resource ?? null))) continue
      lost.set(rule, [...(lost.get(rule) ?? []), action])
    }
  }
  yield* lost
}

const singleFieldRules = new WeakMap<Rule, Rule[]>()

/** Several rules may together grant the fields of one. */
function ofEachField(rule: Rule): Rule[] {
  if (rule.fields === null) return [rule]
  const known = singleFieldRules.get(rule) ?? rule.fields.map((field) => ({ ...rule, fields: [field] }))
  singleFieldRules.set(rule, known)
  return known
}

const everything: readonly Action[] = ['READ', 'CREATE', 'UPDATE', 'DELETE']
const free: Rule = {
  who: { kind: 'anyone' },
  role: null,
  verified: false,
  to: everything,
  where: null,
  fields: null,
  place: { file: '', line: 0, column: 0 },
}
const admin: Rule = { ...free, role: 'admin' }

function rulesOf({ rules }: Resource, { account }: Model): readonly Rule[] {
  if (rules.length > 0) return rules
  return [account === null ? free : admin]
}

function auditRulesOf({ auditRules }: Resource): readonly Rule[] {
  return auditRules.length > 0 ? auditRules : [{ ...admin, to: ['AUDIT'] }]
}

function anyFields({ fields, computed }: Resource): AnyField[] {
  return [...fields.values(), ...computed.values()]
}

/** What the rule is about: the type or field, or some fields of the type. */
function printFields({ fields }: Rule, path: string): string {
  return fields === null ? path : fields.map(({ name }) => `${path}.${name}`).join(', ')
}

function printActions(actions: readonly Action[]): string {
  return actions.join(', ')
}

/** Compares which accounts can sign in, and how. */
export function compareAccounts(before: Model, after: Model, found: Differences): void {
  const breaking = (path: string, message: string) =>
    found.breaking(path, message, { affects: 'viewers' }, 'Put it back.')
  const was = before.account
  const is = after.account
  if (!is) {
    if (was) breaking(was.resource.name, `rows of ${was.resource.name} can't sign in any more`)
    return
  }
  const { name } = is.resource
  if (!was) {
    if (before.types.has(name)) breaking(name, `rows of ${name} sign in now, and creating one takes a password`)
    else found.additive(name, `rows of ${name} can sign in`)
  } else if (was.resource.name !== name) {
    breaking(name, `rows of ${was.resource.name} could sign in, and those of ${name} can now`)
  } else {
    if (was.login.name !== is.login.name) {
      breaking(name, `${name} signed in with ${was.login.name}, and does with ${is.login.name} now`)
    }
    if (was.roles && was.roles.name !== is.roles?.name) {
      const present = is.roles?.name ?? 'no field'
      breaking(name, `the roles of ${name} were in ${was.roles.name}, and are in ${present} now`)
    }
    if (was.login.name === is.login.name) compareVerification(name, was.verification, is.verification, found)
  }
}

/** Clients that sign up, or that verify an address, depend on it. */
function compareVerification(name: string, was: Verification, is: Verification, found: Differences): void {
  const change = `the verification of ${name} was ${was} and is ${is} now`
  if (was === 'OFF' && is === 'OPTIONAL') found.additive(name, change)
  else if (was !== is) found.breaking(name, change, { affects: 'clients' }, `Write @account(verification: ${was}).`)
}

// Reads `@allow`: the rules of each resource and of its fields. The planner evaluates them; this stage checks that each rule
// is meaningful.

import { Kind } from 'graphql/language'
import { placeOf } from '../mistakes.ts'
import type { Account, Action, ComputedField, Field, OperationRule, Resource, Rule } from '../model.ts'
import { accountType } from '../parse/account-type.ts'
import type { DeclaredModel } from '../parse/declare-types.ts'
import { findUse, wordArgument, wordsArgument } from '../parse/directive-arguments.ts'
import { type DeclaredField, type DeclaredType, isRoot } from '../parse/outline.ts'
import type { DirectiveUse } from '../parse/read-directives.ts'
import { readNarrowedFields } from './narrowed-fields.ts'
import { ableWith, everyAction, fieldActions, namedActions, ofRowsOnly } from './possible-actions.ts'
import { verifiedAtName } from './read-account.ts'
import { readFilter } from './read-filter.ts'
import { readCaller, readWho } from './read-who.ts'
import { checkCircle } from './rule-cycles.ts'

export function readRules(declarations: DeclaredModel, account: Account | null): void {
  const found: { rule: Rule; use: DirectiveUse; of: Resource }[] = []
  for (const declared of declarations.outline.types.values()) {
    const type = declarations.types.get(declared.name)
    if (type?.kind !== 'resource') {
      checkNoRules(declared, declarations)
      continue
    }
    for (const use of allowUses(declared, declarations)) {
      const rule = use.args.has('fields')
        ? readNarrowRule(use, type, account, declarations)
        : readRule(use, type, declared.uses.some(isView) ? ['READ'] : everyAction, declarations)
      if (!rule) continue
      if (declared.uses.some(isView)) checkReadsOnly(use, declared, declarations)
      const to = rule.to.filter((action) => action !== 'AUDIT' && action !== 'ACT_AS')
      if (to.length > 0 || rule.to.length === 0) type.rules.push({ ...rule, to })
      if (rule.to.includes('AUDIT')) type.auditRules.push({ ...rule, to: ['AUDIT'] })
      if (rule.to.includes('ACT_AS') && isActRule(rule, use, type, declarations)) {
        type.actRules.push({ ...rule, to: ['ACT_AS'] })
      }
      found.push({ rule, use, of: type })
    }
    for (const field of [...type.fields.values(), ...type.computed.values()]) {
      const inFile = declared.fields.get(field.name)
      for (const use of inFile === undefined ? [] : allowUses(inFile, declarations)) {
        const rule = readFieldRule(use, field, declarations)
        if (rule) field.rules.push(rule)
      }
    }
  }
  // A rule on a field never depends on other rules on fields, so only rules on types can form a cycle.
  for (const { rule, use, of } of found) checkCircle(rule, use, of, declarations)
}

/** A directive that does not fit its place has been reported already. */
function allowUses({ uses }: { uses: DirectiveUse[] }, { report }: DeclaredModel): DirectiveUse[] {
  return uses.filter(({ name, node }) => name === 'allow' && !report.isWrong(node))
}

function checkNoRules(declared: DeclaredType, declarations: DeclaredModel): void {
  if (isRoot(declared.name)) return
  for (const use of allowUses(declared, declarations)) {
    const hint = 'Write it on the resources that contain it.'
    declarations.report.at(use.node, `${declared.name} has no rows of its own, so there is nothing to allow.`, hint)
  }
}

function isView({ name }: DirectiveUse): boolean {
  return name === 'view'
}

function checkReadsOnly(use: DirectiveUse, { name }: DeclaredType, { report }: DeclaredModel): void {
  for (const { text, node } of wordsArgument(use, 'to')) {
    if (text === 'READ') continue
    report.at(node, `${name} is a view, which nothing writes: ${text} has no meaning.`, 'It can be: to: [READ].')
  }
}

/** ACT_AS is about accounts, and for some viewers only. False after a mistake. */
function isActRule({ who, role }: Rule, use: DirectiveUse, of: Resource, declarations: DeclaredModel): boolean {
  const { report } = declarations
  const account = accountType(declarations)
  const { node } = wordsArgument(use, 'to').find(({ text }) => text === 'ACT_AS')!
  if (account?.name !== of.name) {
    const message = `ACT_AS has no meaning on ${of.name}: only accounts have rights that somebody can act with.`
    report.at(
      node,
      message,
      account === null ? 'Write @account on the type whose rows sign in.' : `Write it on ${account.name}.`,
    )
    return false
  }
  if (role !== null || who.kind === 'path') return true
  const message =
    who.kind === 'self'
      ? 'ACT_AS with who: "self" would allow nothing: everybody acts as themselves.'
      : 'Everybody could act as everybody.'
  report.at(
    node,
    message,
    'Name a role: @allow(role: "support", to: [ACT_AS]). Or a path to the viewer: who: "manager".',
  )
  return false
}

/** `able` lists the possible actions, which are also the actions of a rule without `to`. Null after a mistake. */
function readRule(use: DirectiveUse, of: Resource, able: readonly Action[], declarations: DeclaredModel): Rule | null {
  const { report } = declarations
  const whoArgument = wordArgument(use, 'who')
  const who = whoArgument ? readWho(whoArgument, of, declarations) : ({ kind: 'anyone' } as const)
  const role = readRole(use, declarations)
  const to = use.args.get('to')
  if (to?.kind === Kind.LIST && to.values.length === 0) {
    report.at(to, 'This rule allows nothing.', 'Name what it allows: to: [READ], or leave it out for all.')
  }
  const where = use.args.get('where')
  const filter = where ? readFilter(where, of, declarations) : null
  const actions = to
    ? namedActions.filter((action) => wordsArgument(use, 'to').some(({ text }) => text === action))
    : able
  const verified = readVerified(use, declarations)
  return who && { who, role, verified, to: actions, where: filter, fields: null, place: placeOf(use.node) }
}

/** A rule for some fields of the row. Null after a mistake. */
function readNarrowRule(
  use: DirectiveUse,
  of: Resource,
  account: Account | null,
  declarations: DeclaredModel,
): Rule | null {
  for (const { text, node } of wordsArgument(use, 'to')) {
    const reason = ofRowsOnly.get(text)
    if (reason) declarations.report.at(node, `${text} has no meaning with fields: ${reason}.`, forFields)
  }
  const rule = readRule(use, of, fieldActions, declarations)
  if (rule === null) return null
  const fields = readNarrowedFields(use, rule, of, account, declarations)
  return { ...rule, to: rule.to.filter((action) => fieldActions.includes(action)), fields }
}

const forFields = 'It can be: to: [READ, CREATE, UPDATE]. Write another @allow for the rest.'

function readRole(use: DirectiveUse, { report }: DeclaredModel): string | null {
  const role = wordArgument(use, 'role')
  if (role && role.text.trim() === '') report.at(role.node, "A role can't be empty.", 'Write: role: "admin".')
  return role?.text ?? null
}

/** It needs accounts that can prove their address. */
function readVerified(use: DirectiveUse, declarations: DeclaredModel): boolean {
  const value = use.args.get('verified')
  if (value?.kind !== Kind.BOOLEAN) return false
  const { report } = declarations
  if (!value.value) {
    report.at(value, 'verified: false has no meaning: no rule is for unproven accounts alone.', 'Leave it out.')
    return false
  }
  const account = accountType(declarations)
  if (account === null) {
    report.at(value, 'verified: true needs accounts.', 'Write @account on the type whose rows sign in.')
    return true
  }
  const resource = declarations.types.get(account.name)
  const word = wordArgument(findUse(account.uses, 'account'), 'verification')
  const isProvable = resource?.kind === 'resource' && resource.fields.has(verifiedAtName) && word?.text !== 'OFF'
  if (!isProvable && report.mistakes.length === 0) {
    const message = `verified: true would never hold: no ${account.name} can prove its address.`
    report.at(value, message, 'Give @account a login that is an address, and leave verification: OFF out.')
  }
  return true
}

/** The rules of a custom operation: who may call it. */
export function readOperationRules(
  { uses }: DeclaredField,
  what: string,
  declarations: DeclaredModel,
): OperationRule[] {
  return allowUses({ uses }, declarations).flatMap((use) => {
    for (const name of ['to', 'where', 'fields']) {
      const argument = use.args.get(name)
      if (argument === undefined) continue
      const reason = `${what} is called, and a call has no row`
      declarations.report.at(
        argument,
        `"${name}" has no meaning here: ${reason}.`,
        'Write who, role and verified only.',
      )
    }
    const whoArgument = wordArgument(use, 'who')
    const who = whoArgument ? readCaller(whoArgument, declarations) : ({ kind: 'anyone' } as const)
    const role = readRole(use, declarations)
    const verified = readVerified(use, declarations)
    return who === null ? [] : [{ who, role, verified, place: placeOf(use.node) }]
  })
}

function readFieldRule(use: DirectiveUse, field: Field | ComputedField, declarations: DeclaredModel): Rule | null {
  const { report } = declarations
  const what = `${field.owner.name}.${field.name}`
  if (field.name === 'id') {
    const hint = `Write it on the type ${field.owner.name}.`
    report.at(use.node, `Viewers who may read a row know its id, so ${what} can't have a rule of its own.`, hint)
    return null
  }
  const fields = use.args.get('fields')
  if (fields) report.at(fields, `This rule is for ${what} alone.`, `Write it on the type ${field.owner.name}.`)
  const { able, why } = ableWith(field)
  for (const { text, node } of wordsArgument(use, 'to')) {
    if (able.includes(text as Action)) continue
    const reason = ofRowsOnly.get(text) ?? why
    report.at(node, `${text} has no meaning on ${what}: ${reason}.`, `It can be: to: [${able.join(', ')}].`)
  }
  return readRule(use, field.owner, able, declarations)
}

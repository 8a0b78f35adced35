// The access matrix as flat entries, for people and programs: each type, field, transition and custom operation × action × kind of viewer,
// with the rules of the schema file that are about it, and which of them decide. `GET /docs/access`, `accessMatrix` in GraphQL.

import { unreachable } from '#base'
import type { Model, OperationRule, Resource, Rule, SourceLocation, Transition } from '#model'
import {
  type AccessRow,
  type AccessVerdict,
  accessMatrix,
  type CallRow,
  callMatrix,
  type TransitionRow,
  transitionMatrix,
  type ViewerKind,
} from './access-matrix.ts'
import { describePlace } from './describe-place.ts'
import { describeGrant, describeRule, describeTransition, describeTransitionActor } from './describe-rule.ts'

export interface AccessEntry {
  /** `Post`; of a custom operation `Query` or `Mutation`. */
  type: string
  /** The field, or the name of a custom operation. Null: the rows of the type. */
  field: string | null
  action: EntryAction
  /** Of a transition. */
  from: string | null
  to: string | null
  /** The kind of viewer: `nobody`, `role:editor`. */
  viewer: string
  allowed: 'ALWAYS' | 'WHERE' | 'NEVER'
  /** In a few words: `always`, `never`, `where author`. */
  when: string
  /** All rules about this action. */
  rules: EntryRule[]
}

interface EntryRule {
  rule: string
  place: string
  /** Whether it allows the action to this kind of viewer, always or on some rows. */
  decides: boolean
}

export const entryActions = ['READ', 'CREATE', 'UPDATE', 'DELETE', 'AUDIT', 'ACT_AS', 'TRANSITION', 'CALL'] as const

export type EntryAction = (typeof entryActions)[number]

export function accessEntries(
  model: Model,
  kinds: readonly ViewerKind[],
  resources: readonly Resource[],
): AccessEntry[] {
  return [
    ...accessMatrix(model, kinds, resources).flatMap(rowEntries),
    ...transitionMatrix(model, kinds, resources).flatMap(transitionEntries),
  ]
}

export function callEntries(model: Model, kinds: readonly ViewerKind[]): AccessEntry[] {
  return callMatrix(model, kinds).flatMap(({ operation, cells }: CallRow) => {
    const subject = { type: operation.root, field: operation.name, action: 'CALL' as const, from: null, to: null }
    return cells.map(({ kind, verdict }) => ({
      ...subject,
      viewer: kind.name,
      ...judged(verdict),
      rules: operation.rules.map((rule) => entryRule(rule, verdict.rules, false)),
    }))
  })
}

function rowEntries({ of, field, action, cells }: AccessRow): AccessEntry[] {
  const candidates = field === null ? rulesAbout(of, action) : field.rules.filter(({ to }) => to.includes(action))
  const isBuiltIn = of.system !== undefined
  return cells.map(({ kind, verdict }) => ({
    ...{ type: of.name, field: field?.name ?? null, action: action as EntryAction, from: null, to: null },
    viewer: kind.name,
    ...judged(verdict),
    ...(verdict.reason === 'rules' && candidates.length === 0 && { when: withoutRule(of, action) }),
    rules: candidates.map((rule) => entryRule(rule, verdict.rules, isBuiltIn)),
  }))
}

/** Its rules are for other actions. */
function withoutRule(of: Resource, action: string): string {
  return `never: ${describePlace(of)} has no @allow to ${action}`
}

function rulesAbout({ rules, auditRules, actRules }: Resource, action: Rule['to'][number]): readonly Rule[] {
  if (action === 'AUDIT') return auditRules
  if (action === 'ACT_AS') return actRules
  return rules.filter(({ to }) => to.includes(action))
}

function transitionEntries({ field, from, to, candidates, cells }: TransitionRow): AccessEntry[] {
  return cells.map(({ kind, is, transitions, readsAll }) => ({
    ...{ type: field.owner.name, field: field.name, action: 'TRANSITION' as const, from, to },
    viewer: kind.name,
    allowed: allowedWords[is],
    when: is === 'where' ? transitionsWords(transitions, readsAll) : is,
    rules: candidates.map((one) => ({
      rule: describeTransition(one),
      place: describePlace(one),
      decides: transitions.includes(one),
    })),
  }))
}

/** A `@next` without conditions of its own is for those who may update the row. */
function transitionsWords(transitions: readonly Transition[], readsAll: boolean): string {
  const words = transitions.map((one) => describeTransitionActor(one) || 'where the row may be updated')
  return `${[...new Set(words)].join('; or ')}${readsAll ? '' : ', on rows that they may read'}`
}

const allowedWords = { always: 'ALWAYS', where: 'WHERE', never: 'NEVER' } as const

function judged(verdict: AccessVerdict): Pick<AccessEntry, 'allowed' | 'when'> {
  return { allowed: allowedWords[verdict.is], when: wordsOf(verdict) }
}

function wordsOf({ is, reason, rules }: AccessVerdict): string {
  switch (reason) {
    case 'open':
      return 'always: the schema has no rules for it and no account type'
    case 'closed':
      return `${is}: it has no @allow, so only the role admin may`
    case 'roles':
      return `${is}: only the role admin sets roles`
    case 'rows':
      return `${is === 'where' ? '' : `${is}: `}as the rows that refer to it; the uploader too`
    case 'rules':
      return is === 'where' ? [...new Set(rules.map(describeGrant))].join('; or ') : is
    default:
      return unreachable(reason)
  }
}

/** A type of the server itself stands in no file. */
function entryRule(
  rule: (Rule | OperationRule) & { place: SourceLocation },
  deciding: readonly (Rule | OperationRule)[],
  isBuiltIn: boolean,
): EntryRule {
  const place = isBuiltIn ? 'built in' : describePlace(rule)
  return { rule: describeRule(rule), place, decides: deciding.includes(rule) }
}

// Explains what one viewer may do with one row: for reading, updating and deleting it, for each field and for each transition, whether
// the rules allow it, and which of them decide.
//
// 1. The conditions are those of ViewerRules, as requests use them, and RowJudge judges them on the row with the same SQL.
// 2. The sentences of denials are those of the hints in errors (explain-denial.ts).
// 3. It answers for the row as it is now. An update is also judged by the row after it, which only the write knows.
// 4. It says nothing about fields that the asker may not read on this row, and no judgement that depends on them.

import type { Viewer } from '#base/http'
import {
  type Action,
  type AnyField,
  coversField,
  isNarrowed,
  type Model,
  type Resource,
  type Rule,
  type StateField,
  stateFields,
  type Transition,
  writesOf,
} from '#model'
import { allowedTransitions, isState, transitionCondition, updaterOf } from '../authorize/allowed-transitions.ts'
import { transitionRules } from '../authorize/transition-rules.ts'
import { isUnrestricted } from '../authorize/viewer-class.ts'
import type { ViewerRules } from '../authorize/viewer-rules.ts'
import type { TransitionRule } from '../plan.ts'
import { describePlace } from './describe-place.ts'
import { describeRule, describeTransition } from './describe-rule.ts'
import { explainSubject, explainTransition } from './explain-denial.ts'
import { allOf, type Judgement, type RowJudge } from './row-judge.ts'

/** One action on the row, on one of its fields, or one transition from the state that it has. */
export interface AccessAnswer {
  action: Action
  /** Null: the row itself. */
  field: string | null
  /** Of a transition: the state that the row has, and the next one. Null: it is none. */
  from: string | null
  to: string | null
  /** Null: it depends on values that the asker may not read. */
  allowed: Judgement
  /** A sentence with the rule that decides, and its place. */
  because: string
  /** All rules that could allow it. */
  rules: AccessRule[]
}

export interface AccessRule {
  /** As SDL, with its filter in words. */
  rule: string
  /** `schema.graphql:12`. */
  place: string
  /** Whether it allows the action to this viewer on this row. Null: it depends on values that the asker may not read. */
  holds: Judgement
}

export interface AccessQuestion {
  of: Resource
  model: Model
  viewer: Viewer
  rules: ViewerRules
  judge: RowJudge
}

export async function explainAccess(question: AccessQuestion): Promise<AccessAnswer[]> {
  const { of, judge } = question
  const read = await answerRow(question, 'READ', null)
  const writes = writesOf(of)
  const update = writes.includes('update') ? await answerRow(question, 'UPDATE', read) : null
  const remove = writes.includes('delete') ? await answerRow(question, 'DELETE', read) : null
  const named = [...of.fields.values(), ...of.computed.values()].filter(({ name }) => name !== 'id')
  const areShown = await Promise.all(named.map((field) => judge.isShown(field)))
  const fields = named.filter((_, at) => areShown[at])
  const ofFields = await Promise.all(fields.map((field) => answerField(question, field, read, update)))
  const states = stateFields(of).filter((field) => fields.includes(field))
  const ofStates = await Promise.all(states.map((field) => answerTransitions(question, field, read)))
  return [...[read, update, remove].filter((one) => one !== null), ...ofFields.flat(), ...ofStates.flat()]
}

/** `read`: what is not readable can't be written. Null: the action is READ. */
async function answerRow(question: AccessQuestion, action: Action, read: AccessAnswer | null): Promise<AccessAnswer> {
  const { of, rules, judge } = question
  const judged = await judgeRules(
    question,
    of.rules.filter(({ to }) => to.includes(action)),
    action,
  )
  const asked = { action, field: null, from: null, to: null }
  if (read?.allowed === false) return { ...asked, allowed: false, because: unreadable(of, read), rules: judged }
  const own = await judge.allows(rules.row(of, action))
  return { ...asked, ...conclude(question, of, action, { own, below: read, judged }), rules: judged }
}

function unreadable({ name }: Resource, { because }: AccessAnswer): string {
  return `Nobody changes a ${name} without being able to read it. ${because}`
}

async function answerField(
  question: AccessQuestion,
  field: AnyField,
  read: AccessAnswer,
  update: AccessAnswer | null,
): Promise<AccessAnswer[]> {
  const answers = [await answerFieldAction(question, field, read)]
  if (update !== null && isUpdated(field)) answers.push(await answerFieldAction(question, field, update))
  return answers
}

/** The state of a row changes by transitions. */
function isUpdated(field: AnyField): boolean {
  if (field.kind === 'stored') return field.stateMachine === null || field.stateMachine === undefined
  return field.kind === 'reference' || field.kind === 'links'
}

async function answerFieldAction(
  question: AccessQuestion,
  field: AnyField,
  ofRow: AccessAnswer,
): Promise<AccessAnswer> {
  const { rules, judge } = question
  const { action } = ofRow
  const judged = await judgeRules(question, decidingRules(field, action), action)
  const asked = { action, field: field.name, from: null, to: null }
  const fixed = action === 'UPDATE' ? fixedBy(field) : null
  if (fixed !== null) return { ...asked, allowed: false, because: fixed, rules: judged }
  if (ofRow.allowed === false) return { ...asked, allowed: false, because: ofRow.because, rules: judged }
  const own = await judge.allows(rules.field(field, action))
  return { ...asked, ...conclude(question, field, action, { own, below: ofRow, judged }), rules: judged }
}

/** `own`: whether the rules of the subject allow the action. `below`: what must be allowed too, and is not denied. */
function conclude(
  question: AccessQuestion,
  subject: Resource | AnyField,
  action: Action,
  { own, below, judged }: { own: Judgement; below: AccessAnswer | null; judged: readonly AccessRule[] },
): Pick<AccessAnswer, 'allowed' | 'because'> {
  const allowed = allOf([own, below === null ? true : below.allowed])
  if (allowed === null && own !== null) return { allowed, because: below!.because }
  return { allowed, because: becauseOf(question, subject, action, allowed, judged) }
}

/** The rules of the field itself, and those of its type that say which fields they are for. */
function decidingRules(field: AnyField, action: Action): Rule[] {
  const allows = ({ to }: Rule) => to.includes(action)
  const covering = isNarrowed(field.owner, action)
    ? field.owner.rules.filter((rule) => allows(rule) && coversField(rule, field))
    : []
  return [...covering, ...field.rules.filter(allows)]
}

/** Why no rule can let anybody update the field; null: rules decide. */
function fixedBy(field: AnyField): string | null {
  if (field.kind !== 'stored' && field.kind !== 'reference') return null
  const name = `${field.owner.name}.${field.name}: ${describePlace(field)}`
  if (field.auto !== null) return `${name} has @auto, so the server sets it.`
  return field.immutable ? `${name} has @immutable, so only a create sets it.` : null
}

function becauseOf(
  { model, viewer }: AccessQuestion,
  subject: Resource | AnyField,
  action: Action,
  allowed: Judgement,
  judged: readonly AccessRule[],
): string {
  if (allowed === false) return explainSubject(subject, [action], model, viewer)
  const name = subject.kind === 'resource' ? subject.name : `${subject.owner.name}.${subject.name}`
  if (allowed === null) return unknown(name, judged)
  const granting = judged.find(({ holds }) => holds)
  if (granting !== undefined) return `${name}: ${granting.place} ${granting.rule} allows it.`
  const possible = judged.filter(({ holds }) => holds === null)
  if (possible.length > 0) return `${name}: ${list(possible)} allows it.`
  if (isUnrestricted(model)) return `${name}: the schema file has no rules, so everyone may.`
  if (subject.kind !== 'resource') return `${name} follows the rules of ${subject.owner.name}.`
  const who = model.account === null ? 'everyone' : 'the role admin'
  return `${name}: ${describePlace(subject)} has no @allow, so ${who} may.`
}

function unknown(name: string, judged: readonly AccessRule[]): string {
  const hidden = list(judged.filter(({ holds }) => holds === null)) || 'A rule'
  return `${name}: ${hidden} depends on values of this row, or of rows that it refers to, that you may not read.`
}

function list(some: readonly AccessRule[]): string {
  return some.map(({ place, rule }) => `${place} ${rule}`).join(' or ')
}

function judgeRules(
  { of, rules, judge }: AccessQuestion,
  some: readonly Rule[],
  action: Action,
): Promise<AccessRule[]> {
  return Promise.all(
    some.map(async (rule) => ({
      rule: describeRule(rule),
      place: describePlace(rule),
      holds: await judge.holds(rules.byRule(rule, of, action)),
    })),
  )
}

async function answerTransitions(
  question: AccessQuestion,
  field: StateField,
  read: AccessAnswer,
): Promise<AccessAnswer[]> {
  const { rules, judge, model, viewer } = question
  const { transitions } = field.stateMachine
  const allowed = new Map(allowedTransitions(field, rules.row(field.owner, 'READ'), rules).map((one) => [one.to, one]))
  const judged = transitionRules(field, rules)
  const froms = [...new Set(transitions.map(({ from }) => from))]
  const answers: AccessAnswer[] = []
  for (const from of froms) {
    if ((await judge.holds(isState(field, from))) !== true) continue
    const targets = new Set(transitions.filter((one) => one.from === from).flatMap(({ to }) => to))
    for (const to of targets) {
      const found = await Promise.all(
        transitions.flatMap((one, at) =>
          one.from === from && one.to.includes(to) ? [judgeTransition(question, field, judged[at]!, one, to)] : [],
        ),
      )
      const when = allowed.get(to)
      const isAllowed = when === undefined ? false : await judge.allows(when.when)
      answers.push({
        action: 'UPDATE',
        field: field.name,
        from,
        to,
        allowed: isAllowed,
        because: becauseOfTransition(isAllowed, found, { from, to }),
        rules: found.map(({ isFor: _, ...rule }) => rule),
      })
    }
  }
  return answers

  function becauseOfTransition(
    isAllowed: Judgement,
    found: readonly JudgedTransition[],
    step: { from: string; to: string },
  ): string {
    const name = `${field.owner.name}.${field.name}`
    if (isAllowed === null) return read.allowed === null ? read.because : unknown(name, found)
    if (isAllowed) {
      const granting = found.filter((one) => one.holds)
      const possible = granting.length > 0 ? granting.slice(0, 1) : found.filter((one) => one.holds === null)
      return `${name}: ${list(possible)} allows it.`
    }
    if (read.allowed === false) return unreadable(field.owner, read)
    const unmet = found.find((one) => one.isFor === true && one.holds === false)
    if (unmet !== undefined) return `${name}: ${unmet.place} ${unmet.rule} does not match this row.`
    return explainTransition(field, step, (subject) => explainSubject(subject, ['UPDATE'], model, viewer))
  }
}

/** `isFor`: whether it is for this viewer; its filter may still fail. */
type JudgedTransition = AccessRule & { isFor: Judgement }

async function judgeTransition(
  { rules, judge }: AccessQuestion,
  field: StateField,
  rule: TransitionRule,
  transition: Transition,
  to: string,
): Promise<JudgedTransition> {
  return {
    rule: describeTransition(transition),
    place: describePlace(transition),
    isFor: await judge.holds(rule.who ?? updaterOf(field, rules)),
    holds: await judge.holds(transitionCondition(field, rule, to, rules)),
  }
}

// Explains what one viewer may do with one row: for reading, updating and deleting it, for each field and for each transition, whether
// the rules allow it, and which of them decide.
//
// 1. The conditions are those of ViewerRules, as requests use them, and `holds` judges them on the row with the same SQL.
// 2. The sentences of denials are those of the hints in errors (explain-denial.ts).
// 3. It answers for the row as it is now. An update is also judged by the row after it, which only the write knows.

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
import type { TransitionRule, Where } from '../plan.ts'
import { describePlace } from './describe-place.ts'
import { describeRule, describeTransition } from './describe-rule.ts'
import { explainSubject, explainTransition } from './explain-denial.ts'

/** One action on the row, on one of its fields, or one transition from the state that it has. */
export interface AccessAnswer {
  action: Action
  /** Null: the row itself. */
  field: string | null
  /** Of a transition: the state that the row has, and the next one. Null: it is none. */
  from: string | null
  to: string | null
  allowed: boolean
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
  /** Whether it allows the action to this viewer on this row. */
  holds: boolean
}

/** Whether the condition holds on the row, for the viewer. */
type Holds = (where: Where) => Promise<boolean>

export interface AccessQuestion {
  of: Resource
  model: Model
  viewer: Viewer
  rules: ViewerRules
  holds: Holds
  /** Whether the answer may name the field. */
  isShown(field: AnyField): boolean
}

export async function explainAccess(question: AccessQuestion): Promise<AccessAnswer[]> {
  const { of, isShown } = question
  const read = await answerRow(question, 'READ', null)
  const writes = writesOf(of)
  const update = writes.includes('update') ? await answerRow(question, 'UPDATE', read) : null
  const remove = writes.includes('delete') ? await answerRow(question, 'DELETE', read) : null
  const fields = [...of.fields.values(), ...of.computed.values()].filter(
    (field) => field.name !== 'id' && isShown(field),
  )
  const ofFields = await Promise.all(fields.map((field) => answerField(question, field, read, update)))
  const states = stateFields(of).filter(isShown)
  const ofStates = await Promise.all(states.map((field) => answerTransitions(question, field, read)))
  return [...[read, update, remove].filter((one) => one !== null), ...ofFields.flat(), ...ofStates.flat()]
}

/** `read`: what is not readable can't be written. Null: the action is READ. */
async function answerRow(question: AccessQuestion, action: Action, read: AccessAnswer | null): Promise<AccessAnswer> {
  const { of, rules, holds } = question
  const judged = await judgeRules(
    question,
    of.rules.filter(({ to }) => to.includes(action)),
    action,
  )
  const asked = { action, field: null, from: null, to: null }
  if (read?.allowed === false) return { ...asked, allowed: false, because: unreadable(of, read), rules: judged }
  const allowed = await holds(rules.row(of, action))
  return { ...asked, allowed, because: becauseOf(question, of, action, allowed, judged), rules: judged }
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
  const { rules, holds } = question
  const { action } = ofRow
  const judged = await judgeRules(question, decidingRules(field, action), action)
  const asked = { action, field: field.name, from: null, to: null }
  const fixed = action === 'UPDATE' ? fixedBy(field) : null
  if (fixed !== null) return { ...asked, allowed: false, because: fixed, rules: judged }
  if (!ofRow.allowed) return { ...asked, allowed: false, because: ofRow.because, rules: judged }
  const allowed = await holds(rules.field(field, action))
  return { ...asked, allowed, because: becauseOf(question, field, action, allowed, judged), rules: judged }
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
  allowed: boolean,
  judged: readonly AccessRule[],
): string {
  if (!allowed) return explainSubject(subject, [action], model, viewer)
  const name = subject.kind === 'resource' ? subject.name : `${subject.owner.name}.${subject.name}`
  const granting = judged.find(({ holds }) => holds)
  if (granting !== undefined) return `${name}: ${granting.place} ${granting.rule} allows it.`
  if (isUnrestricted(model)) return `${name}: the schema file has no rules, so everyone may.`
  if (subject.kind !== 'resource') return `${name} follows the rules of ${subject.owner.name}.`
  const who = model.account === null ? 'everyone' : 'the role admin'
  return `${name}: ${describePlace(subject)} has no @allow, so ${who} may.`
}

function judgeRules(
  { of, rules, holds }: AccessQuestion,
  some: readonly Rule[],
  action: Action,
): Promise<AccessRule[]> {
  return Promise.all(
    some.map(async (rule) => ({
      rule: describeRule(rule),
      place: describePlace(rule),
      holds: await holds(rules.byRule(rule, of, action)),
    })),
  )
}

async function answerTransitions(
  question: AccessQuestion,
  field: StateField,
  read: AccessAnswer,
): Promise<AccessAnswer[]> {
  const { rules, holds, model, viewer } = question
  const { transitions } = field.stateMachine
  const allowed = new Map(allowedTransitions(field, rules.row(field.owner, 'READ'), rules).map((one) => [one.to, one]))
  const judged = transitionRules(field, rules)
  const froms = [...new Set(transitions.map(({ from }) => from))]
  const answers: AccessAnswer[] = []
  for (const from of froms) {
    if (!(await holds(isState(field, from)))) continue
    const targets = new Set(transitions.filter((one) => one.from === from).flatMap(({ to }) => to))
    for (const to of targets) {
      const found = await Promise.all(
        transitions.flatMap((one, at) =>
          one.from === from && one.to.includes(to) ? [judgeTransition(question, field, judged[at]!, one, to)] : [],
        ),
      )
      const when = allowed.get(to)
      const isAllowed = when !== undefined && (await holds(when.when))
      const unmet = found.find(({ isFor, holds: itHolds }) => isFor && !itHolds)
      const granting = found.find((one) => one.holds)
      const name = `${field.owner.name}.${field.name}`
      answers.push({
        action: 'UPDATE',
        field: field.name,
        from,
        to,
        allowed: isAllowed,
        because: isAllowed
          ? `${name}: ${granting?.place} ${granting?.rule} allows it.`
          : !read.allowed
            ? unreadable(field.owner, read)
            : unmet !== undefined
              ? `${name}: ${unmet.place} ${unmet.rule} does not match this row.`
              : explainTransition(field, { from, to }, (subject) => explainSubject(subject, ['UPDATE'], model, viewer)),
        rules: found.map(({ isFor: _, ...rule }) => rule),
      })
    }
  }
  return answers
}

/** `isFor`: whether it is for this viewer; its filter may still fail. */
async function judgeTransition(
  { rules, holds }: AccessQuestion,
  field: StateField,
  rule: TransitionRule,
  transition: Transition,
  to: string,
): Promise<AccessRule & { isFor: boolean }> {
  return {
    rule: describeTransition(transition),
    place: describePlace(transition),
    isFor: await holds(rule.who ?? updaterOf(field, rules)),
    holds: await holds(transitionCondition(field, rule, to, rules)),
  }
}

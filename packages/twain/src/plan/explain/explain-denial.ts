// Explains a denial: which access rules the request did not pass. For hints in `twain dev`, and for the log.

import type { ApiError } from '#base'
import type { Viewer } from '#base/http'
import {
  type Action,
  type AnyField,
  type CustomOperation,
  coversField,
  isNarrowed,
  isReadRestricted,
  type Model,
  type OperationRule,
  type Resource,
  type Rule,
} from '#model'
import type { WritePlan } from '../plan.ts'
import { describeRule, describeTransition } from './describe-rule.ts'

/** A sentence for each denied type or field. It has names and line numbers of the schema file, and no values of rows. */
export function explainDenial(
  { of, action }: Pick<WritePlan, 'of' | 'action'>,
  error: ApiError,
  viewer: Viewer,
  model: Model,
  file: string,
): string {
  const actions = actionsOf[action]
  const found = new Set(error.problems.flatMap(({ path }) => subjectAt(stepsOf(path), of) ?? []))
  const subjects = found.size > 0 ? [...found] : [of]
  return subjects.map((subject) => explainSubject(subject, actions, model, file, viewer)).join(' ')
}

/** Without the number of the write in a batch. */
function stepsOf(path: string): string[] {
  return path.replace(/^\d+(\.|$)/, '').split('.')
}

/** The field that a path names, or the type of a nested row: `comments.0`, `comments.0.body`. */
function subjectAt([name, index, ...rest]: string[], of: Resource): Resource | AnyField | undefined {
  const field = of.fields.get(name ?? '')
  if (field?.kind !== 'many' || index === undefined) return field
  return rest.length === 0 ? field.to : subjectAt(rest, field.to)
}

/** The same for fields that the viewer may not read. */
export function explainReadDenial(fields: Iterable<AnyField>, model: Model, file: string): string {
  const withRules = [...fields].filter(isReadRestricted)
  return withRules.map((field) => explainSubject(field, ['READ'], model, file)).join(' ')
}

const actionsOf: Record<WritePlan['action'], readonly Action[]> = {
  create: ['CREATE'],
  replace: ['CREATE', 'UPDATE'],
  update: ['UPDATE'],
  delete: ['DELETE'],
}

/** Rules of a type that apply to the viewer, but whose filter does not match the row, come first, and the sentence says so: it must
 *  not suggest a rule that already applies. */
function explainSubject(
  subject: Resource | AnyField,
  actions: readonly Action[],
  model: Model,
  file: string,
  viewer?: Viewer,
): string {
  const name = subject.kind === 'resource' ? subject.name : `${subject.owner.name}.${subject.name}`
  const transitions =
    subject.kind === 'stored' && actions.includes('UPDATE') ? (subject.stateMachine?.transitions ?? []) : []
  if (transitions.length > 0) {
    return `${name}: ${transitions.map((one) => `${file}:${one.place.line} ${describeTransition(one)}`).join(' or ')} would allow it.`
  }
  const rules = grantingRules(subject, actions, viewer)
  if (rules.length > 0) {
    const applies = (rule: Rule) => subject.kind === 'resource' && rule.where !== null && isFor(viewer, rule)
    const failed = rules.filter(applies).map((rule) => describeAt(rule, file))
    const others = rules.filter((rule) => !applies(rule)).map((rule) => describeAt(rule, file))
    const parts = [
      ...(failed.length > 0 ? [`${failed.join(' and ')} ${failed.length > 1 ? 'do' : 'does'} not match this row`] : []),
      ...(others.length > 0 ? [`${others.join(' or ')} would allow it`] : []),
    ]
    return `${name}: ${parts.join('; ')}.`
  }
  if (subject.kind !== 'resource' && actions.some((action) => isNarrowed(subject.owner, action)))
    return `${name}: no @allow of ${subject.owner.name} to ${actions.join(' or ')} covers it.`
  const isClosed = subject.kind === 'resource' ? subject.rules.length === 0 : subject === model.account?.roles
  const { line } = subject.place
  if (isClosed) return `${name}: ${file}:${line} has no @allow, so only the role admin may.`
  return `${name}: ${file}:${line} has no @allow to ${actions.join(' or ')}.`
}

/** The rules that could allow one of the actions. For a field these are its own, unless no rule of its type grants the viewer
 *  the field. */
function grantingRules(subject: Resource | AnyField, actions: readonly Action[], viewer: Viewer | undefined): Rule[] {
  const allows = ({ to }: Rule) => actions.some((action) => to.includes(action))
  const own = subject.rules.filter(allows)
  if (subject.kind === 'resource' || !actions.some((action) => isNarrowed(subject.owner, action))) return own
  const covering = subject.owner.rules.filter((rule) => allows(rule) && coversField(rule, subject))
  return own.length > 0 && covering.some((rule) => isFor(viewer, rule)) ? own : covering
}

/** The same for a call of a custom operation. */
export function explainCallDenial({ root, name, rules, place }: CustomOperation, file: string): string {
  const what = `${root}.${name}`
  if (rules.length === 0) return `${what}: ${file}:${place.line} has no @allow, so only the role admin may.`
  return `${what}: ${rules.map((rule) => describeAt(rule, file)).join(' or ')} would allow it.`
}

/** Whether the rule applies to the viewer by role and sign-in, whatever the row. */
function isFor(viewer: Viewer | undefined, { who, role }: Rule): boolean {
  if (viewer === undefined) return false
  return (role === null || viewer.roles.includes(role)) && (who.kind === 'anyone' || viewer.account !== null)
}

function describeAt(rule: Rule | OperationRule, file: string): string {
  return `${file}:${rule.place.line} ${describeRule(rule)}`
}

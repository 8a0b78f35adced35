// Explains a denial: which access rules the request did not pass. For hints in `twain dev`, and for the log.

import type { ApiError, Problem } from '#base'
import type { Viewer } from '#base/http'
import {
  type Action,
  type AnyField,
  type CustomOperation,
  coversField,
  isClaimJson,
  isNarrowed,
  isReadRestricted,
  type Json,
  type Model,
  type OperationRule,
  type Resource,
  type Rule,
  type StoredField,
  type Transition,
} from '#model'
import type { WritePlan } from '../plan.ts'
import { describePlace } from './describe-place.ts'
import { describeRule, describeTransition } from './describe-rule.ts'

/** A sentence for each denied type or field. It has names and places of the schema, and no values of rows. */
export function explainDenial(
  { of, action }: Pick<WritePlan, 'of' | 'action'>,
  error: ApiError,
  viewer: Viewer,
  model: Model,
): string {
  const possible = actionsOf[action]
  const denied = possible.filter((one) => one === error.deniedRight)
  const actions = denied.length > 0 ? denied : possible
  const explain = (subject: Resource | AnyField) => explainSubject(subject, actions, model, viewer)
  const sentences = error.problems.flatMap(({ path, transition }) => {
    const subject = subjectAt(stepsOf(path), of)
    if (subject === undefined) return []
    return transition !== undefined && subject.kind === 'stored'
      ? explainTransition(subject, transition, explain)
      : explain(subject)
  })
  return sentences.length > 0 ? [...new Set(sentences)].join(' ') : explain(of)
}

/** Names only the `@next` of this transition. One without `who` and `role` is for viewers who may update the row and the field:
 *  the rules for that are named too. */
export function explainTransition(
  field: StoredField,
  { from, to }: NonNullable<Problem['transition']>,
  explain: (subject: Resource | AnyField) => string,
): string {
  const all = field.stateMachine?.transitions ?? []
  const matching = all.filter((one) => one.from === from && one.to.includes(to))
  if (matching.length === 0) return explain(field.owner) // a row that has no state yet
  const print = (some: readonly Transition[]) =>
    some.map((one) => `${describePlace(one)} ${describeTransition(one)}`).join(' or ')
  const [withActor, forEditors] = [matching.filter(hasActor), matching.filter((one) => !hasActor(one))]
  const parts = [
    ...(withActor.length > 0 ? [`${print(withActor)} would allow it`] : []),
    ...(forEditors.length > 0 ? [`${print(forEditors)} allows it to viewers who may update the row`] : []),
  ]
  const updates =
    forEditors.length === 0 ? [] : [explain(field.owner), ...(field.rules.length > 0 ? [explain(field)] : [])]
  return [`${field.owner.name}.${field.name}: ${parts.join('; ')}.`, ...updates].join(' ')
}

function hasActor({ who, role }: Transition): boolean {
  return who !== null || role !== null
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
export function explainReadDenial(fields: Iterable<AnyField>, model: Model): string {
  const withRules = [...fields].filter(isReadRestricted)
  return withRules.map((field) => explainSubject(field, ['READ'], model)).join(' ')
}

const actionsOf: Record<WritePlan['action'], readonly Action[]> = {
  create: ['CREATE'],
  replace: ['CREATE', 'UPDATE'],
  upsert: ['CREATE', 'UPDATE'],
  update: ['UPDATE'],
  delete: ['DELETE'],
  restore: ['DELETE'],
  purge: ['DELETE'],
}

/** Rules of a type that apply to the viewer, but whose filter does not match the row, come first, and the sentence says so: it must
 *  not suggest a rule that already applies. */
export function explainSubject(
  subject: Resource | AnyField,
  actions: readonly Action[],
  model: Model,
  viewer?: Viewer,
): string {
  const name = subject.kind === 'resource' ? subject.name : `${subject.owner.name}.${subject.name}`
  const rules = grantingRules(subject, actions, viewer)
  if (rules.length > 0) {
    const applies = (rule: Rule) => subject.kind === 'resource' && rule.where !== null && isFor(viewer, rule)
    const lacking = (rule: Rule) => (applies(rule) ? missingClaims(rule.where!, viewer) : [])
    const failed = rules.filter((rule) => applies(rule) && lacking(rule).length === 0).map(describeAt)
    const unclaimed = rules.flatMap((rule) => {
      const claims = lacking(rule).map((claim) => `"${claim}"`)
      return claims.length === 0 ? [] : [`${describeAt(rule)} needs the claim ${claims.join(' and ')} of a token`]
    })
    const others = rules.filter((rule) => !applies(rule)).map(describeAt)
    const parts = [
      ...(failed.length > 0 ? [`${failed.join(' and ')} ${failed.length > 1 ? 'do' : 'does'} not match this row`] : []),
      ...unclaimed,
      ...(others.length > 0 ? [`${others.join(' or ')} would allow it`] : []),
    ]
    return `${name}: ${parts.join('; ')}.`
  }
  if (subject.kind !== 'resource' && actions.some((action) => isNarrowed(subject.owner, action)))
    return `${name}: no @allow of ${subject.owner.name} to ${actions.join(' or ')} covers it.`
  const isClosed = subject.kind === 'resource' ? subject.rules.length === 0 : subject === model.account?.roles
  const place = describePlace(subject)
  if (isClosed) return `${name}: ${place} has no @allow, so only the role admin may.`
  return `${name}: ${place} has no @allow to ${actions.join(' or ')}.`
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
export function explainCallDenial(operation: CustomOperation): string {
  const { root, name, rules } = operation
  const what = `${root}.${name}`
  if (rules.length === 0) return `${what}: ${describePlace(operation)} has no @allow, so only the role admin may.`
  return `${what}: ${rules.map(describeAt).join(' or ')} would allow it.`
}

/** Whether the rule applies to the viewer by role and sign-in, whatever the row. */
function isFor(viewer: Viewer | undefined, { who, role, verified }: Rule): boolean {
  if (viewer === undefined) return false
  if (verified && viewer.verified !== true) return false
  return (role === null || viewer.roles.includes(role)) && (who.kind === 'anyone' || viewer.account !== null)
}

/** The claims that the filter names and the viewer's token does not have. Names only: no value leaves the token. */
function missingClaims(where: Json, viewer: Viewer | undefined): string[] {
  const has = (name: string) => viewer?.claims !== undefined && Object.hasOwn(viewer.claims.values, name)
  return [...new Set(claimsIn(where))].filter((name) => !has(name))
}

function claimsIn(json: Json): string[] {
  if (isClaimJson(json)) return [json.claim]
  return typeof json === 'object' && json !== null ? Object.values(json).flatMap(claimsIn) : []
}

function describeAt(rule: Rule | OperationRule): string {
  return `${describePlace(rule)} ${describeRule(rule)}`
}

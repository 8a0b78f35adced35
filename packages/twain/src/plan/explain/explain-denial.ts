// Which lines of the contract a refused request did not pass: what a refusal names in `twain dev`, and in the log.

import type { ApiError, Viewer } from '#base'
import type { Action, AnyField, Model, Resource, Rule } from '#model'
import type { WritePlan } from '../plan.ts'
import { describeRule, describeTransition } from './describe-rule.ts'

/** A sentence for each thing that was refused. It has names of the contract and places in its file, no values of rows. */
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

/** Without the number of the write that it is of, where there are several. */
function stepsOf(path: string): string[] {
  return path.replace(/^\d+(\.|$)/, '').split('.')
}

/** The field that a path names, or the type of a row that was to be made along: `comments.0`, `comments.0.body`. */
function subjectAt([name, index, ...rest]: string[], of: Resource): Resource | AnyField | undefined {
  const field = of.fields.get(name ?? '')
  if (field?.kind !== 'many' || index === undefined) return field
  return rest.length === 0 ? field.to : subjectAt(rest, field.to)
}

/** The same for fields that may not be read. */
export function explainReadDenial(fields: Iterable<AnyField>, model: Model, file: string): string {
  const lined = [...fields].filter(({ rules }) => rules.some(({ to }) => to.includes('READ')))
  return lined.map((field) => explainSubject(field, ['READ'], model, file)).join(' ')
}

const actionsOf: Record<WritePlan['action'], readonly Action[]> = {
  create: ['CREATE'],
  replace: ['CREATE', 'UPDATE'],
  update: ['UPDATE'],
  delete: ['DELETE'],
}

/** `viewer`: whose write it was. Lines of a type that are the viewer's, and that a filter keeps from holding for the row, come
 *  first and are told so: nobody who falls under a line should read that it would help. */
function explainSubject(
  subject: Resource | AnyField,
  actions: readonly Action[],
  model: Model,
  file: string,
  viewer?: Viewer,
): string {
  const name = subject.kind === 'resource' ? subject.name : `${subject.owner.name}.${subject.name}`
  const moves = subject.kind === 'stored' && actions.includes('UPDATE') ? (subject.stateMachine?.transitions ?? []) : []
  if (moves.length > 0) {
    return `${name}: ${moves.map((move) => `${file}:${move.place.line} ${describeTransition(move)}`).join(' or ')} would allow it.`
  }
  const lines = subject.rules.filter(({ to }) => actions.some((action) => to.includes(action)))
  if (lines.length > 0) {
    const isOwn = (line: Rule) => subject.kind === 'resource' && line.where !== null && isFor(viewer, line)
    const own = lines.filter(isOwn).map((line) => describeAt(line, file))
    const others = lines.filter((line) => !isOwn(line)).map((line) => describeAt(line, file))
    const parts = [
      ...(own.length > 0 ? [`${own.join(' and ')} ${own.length > 1 ? 'do' : 'does'} not hold here`] : []),
      ...(others.length > 0 ? [`${others.join(' or ')} would allow it`] : []),
    ]
    return `${name}: ${parts.join('; ')}.`
  }
  const isClosed = subject.kind === 'resource' ? subject.rules.length === 0 : subject === model.account?.roles
  const { line } = subject.place
  if (isClosed) return `${name}: ${file}:${line} has no @allow, so only the role admin may.`
  return `${name}: ${file}:${line} has no @allow to ${actions.join(' or ')}.`
}

/** By role and sign-in, whatever the row. */
function isFor(viewer: Viewer | undefined, { who, role }: Rule): boolean {
  if (viewer === undefined) return false
  return (role === null || viewer.roles.includes(role)) && (who.kind === 'anyone' || viewer.account !== null)
}

function describeAt(rule: Rule, file: string): string {
  return `${file}:${rule.place.line} ${describeRule(rule)}`
}

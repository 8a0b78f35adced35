// Which lines of the contract a refused request did not pass: what a refusal names in `twain dev`, and in the log.

import type { Fault } from '#base'
import type { Action, Field, Model, Resource, Rule } from '#model'
import type { Write } from './plan.ts'
import { spellRule } from './spell-rule.ts'

/** A sentence for each thing that was refused. It has names of the contract and places in its file, no values of rows. */
export function waysIn({ of, action }: Pick<Write, 'of' | 'action'>, fault: Fault, model: Model, file: string): string {
  const actions = actionsOf[action]
  const fields = fault.problems.flatMap(({ path }) => of.fields.get(path) ?? [])
  const subjects = fields.length > 0 ? fields : [of]
  return subjects.map((subject) => sentence(subject, actions, model, file)).join(' ')
}

/** The same for fields that may not be read. */
export function waysToRead(fields: Iterable<Field>, model: Model, file: string): string {
  const lined = [...fields].filter(({ rules }) => rules.some(({ to }) => to.includes('READ')))
  return lined.map((field) => sentence(field, ['READ'], model, file)).join(' ')
}

const actionsOf: Record<Write['action'], readonly Action[]> = {
  create: ['CREATE'],
  replace: ['CREATE', 'UPDATE'],
  update: ['UPDATE'],
  delete: ['DELETE'],
}

function sentence(subject: Resource | Field, actions: readonly Action[], model: Model, file: string): string {
  const name = subject.kind === 'resource' ? subject.name : `${subject.owner.name}.${subject.name}`
  const lines = subject.rules.filter(({ to }) => actions.some((action) => to.includes(action)))
  if (lines.length > 0) return `${name}: ${lines.map((line) => spellAt(line, file)).join(' or ')} would allow it.`
  const isClosed = subject.kind === 'resource' ? subject.rules.length === 0 : subject === model.account?.roles
  const { line } = subject.place
  if (isClosed) return `${name}: ${file}:${line} has no @allow, so only the role admin may.`
  return `${name}: ${file}:${line} has no @allow to ${actions.join(' or ')}.`
}

function spellAt(rule: Rule, file: string): string {
  return `${file}:${rule.place.line} ${spellRule(rule)}`
}

// Reads `@next`: the transitions between the values of an enum, for every field of that enum. Paths and filters start from
// the row, so the rules are read once for each resource that has such a field.

import { Kind } from 'graphql/language'
import { didYouMean } from '#base'
import { placeOf } from '../mistakes.ts'
import type { EnumType, Resource, StoredField, Transition } from '../model.ts'
import { type DeclaredModel, enumsOf, resourcesOf } from '../parse/declare-types.ts'
import { findUse, wordArgument, wordsArgument } from '../parse/directive-arguments.ts'
import type { DeclaredType } from '../parse/outline.ts'
import type { DirectiveUse } from '../parse/read-directives.ts'
import { readFilter } from './read-filter.ts'
import { readWho } from './read-who.ts'

/** A rule, and the value that it stands on. */
interface TransitionUse {
  from: string
  use: DirectiveUse
}

export function readStateMachines(declarations: DeclaredModel): void {
  const uses = Map.groupBy(enumFields(declarations), ({ type }) => type)
  for (const type of enumsOf(declarations)) {
    const declared = declarations.declared(type)
    const nextRules = nextUses(declared, declarations)
    if (nextRules.length === 0) continue
    for (const nextRule of nextRules) checkTransition(nextRule, declared, declarations)
    const owners = Map.groupBy(uses.get(type) ?? [], ({ owner }) => owner)
    if (owners.size === 0) reportUnused(nextRules, declared, declarations)
    for (const [owner, fields] of owners) {
      const transitions = nextRules.flatMap((nextRule) => readTransition(nextRule, owner, declarations) ?? [])
      for (const { field } of fields) setMachine(field, transitions, type.values[0]!.name, declarations)
    }
  }
}

interface EnumField {
  owner: Resource
  field: StoredField
  type: EnumType
}

function enumFields(declarations: DeclaredModel): EnumField[] {
  return resourcesOf(declarations).flatMap((owner) =>
    [...owner.fields.values()].flatMap((field) =>
      field.kind === 'stored' && field.type.kind === 'enum' ? [{ owner, field, type: field.type.enum }] : [],
    ),
  )
}

/** A directive that does not fit its place has been reported already. */
function nextUses({ values }: DeclaredType, { report }: DeclaredModel): TransitionUse[] {
  return [...values.values()].flatMap(({ name, uses }) =>
    uses.filter((use) => use.name === 'next' && !report.isWrong(use.node)).map((use) => ({ from: name, use })),
  )
}

/** The parts of a rule that do not depend on the resource. */
function checkTransition({ from, use }: TransitionUse, type: DeclaredType, { report }: DeclaredModel): void {
  const targets = wordsArgument(use, 'to')
  if (targets.length === 0 && use.args.get('to')?.kind === Kind.LIST) {
    report.at(use.node, 'This rule has no transition.', `Name what follows ${from}: @next(to: [OTHER]).`)
  }
  const names = [...type.values.keys()]
  const seen = new Set<string>()
  for (const { text, node } of targets) {
    if (seen.has(text)) report.at(node, `${text} is listed twice here.`, 'Keep one of them.')
    else if (text === from)
      report.at(node, `${text} can't follow itself.`, 'Writing the present state again is not a transition.')
    else if (!type.values.has(text)) {
      const hint = didYouMean(text, names).trim() || `It has ${names.join(', ')}.`
      report.at(node, `${type.name} has no value ${text}.`, hint)
    }
    seen.add(text)
  }
  const role = wordArgument(use, 'role')
  if (role && role.text.trim() === '') report.at(role.node, "A role can't be empty.", 'Write: role: "admin".')
}

function reportUnused(nextRules: readonly TransitionUse[], { name }: DeclaredType, { report }: DeclaredModel): void {
  for (const { use } of nextRules) {
    report.at(
      use.node,
      `No resource has a field of the type ${name}, so there is no state machine.`,
      'Use it, or remove @next.',
    )
  }
}

/** Null after a mistake. */
function readTransition({ from, use }: TransitionUse, of: Resource, declarations: DeclaredModel): Transition | null {
  const whoArgument = wordArgument(use, 'who')
  const who = whoArgument ? readWho(whoArgument, of, declarations) : null
  if (whoArgument && !who) return null
  const where = use.args.get('where')
  return {
    from,
    to: wordsArgument(use, 'to').map(({ text }) => text),
    who,
    role: wordArgument(use, 'role')?.text ?? null,
    where: where ? readFilter(where, of, declarations) : null,
    place: placeOf(use.node),
  }
}

/** A create starts in the field's default, or else in the first value. */
function setMachine(
  field: StoredField,
  transitions: readonly Transition[],
  first: string,
  declarations: DeclaredModel,
): void {
  const { report } = declarations
  const what = `${field.owner.name}.${field.name}`
  const declared = declarations.declared(field.owner).fields.get(field.name)!
  const immutable = findUse(declared.uses, 'immutable')
  if (immutable) {
    report.at(immutable.node, `${what} is a state machine (@next), so it can't be @immutable.`, 'Remove it.')
  }
  if (field.default === null) {
    const node = findUse(declared.uses, 'default')!.args.get('value')!
    report.at(node, `${what} starts in a state, so its default can't be null.`, `Leave it out to start as ${first}.`)
  }
  field.default = typeof field.default === 'string' ? field.default : first
  field.stateMachine = { start: field.default, transitions }
}

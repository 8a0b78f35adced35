// Reads `fields` of `@allow` on a type: the fields to which the rule is limited.

import { Kind } from 'graphql/language'
import { didYouMean } from '#base'
import type { Account, Action, AnyField, Resource, Rule } from '../model.ts'
import type { DeclaredModel } from '../parse/declare-types.ts'
import { type WordArgument, wordArgument, wordsArgument } from '../parse/directive-arguments.ts'
import type { DirectiveUse } from '../parse/read-directives.ts'
import { ableWith } from './possible-actions.ts'

export function readNarrowedFields(
  use: DirectiveUse,
  rule: Rule,
  of: Resource,
  account: Account | null,
  declarations: DeclaredModel,
): AnyField[] {
  const { report } = declarations
  const argument = use.args.get('fields')!
  if (argument.kind === Kind.LIST && argument.values.length === 0)
    report.at(argument, 'This rule allows nothing.', 'Name the fields, or leave fields out for the whole row.')
  const found: AnyField[] = []
  for (const word of wordsArgument(use, 'fields')) {
    const field = findField(word, of, declarations)
    if (field === null) continue
    if (found.includes(field)) report.at(word.node, `${word.text} is listed twice here.`, 'Keep one of them.')
    found.push(field)
    checkActions(field, word, rule.to, declarations)
    if (field === account?.roles) checkRoles(field, word, rule, declarations)
  }
  return found
}

/** Null after a mistake. */
function findField({ text, node }: WordArgument, of: Resource, declarations: DeclaredModel): AnyField | null {
  const { report } = declarations
  if (text === 'id') {
    report.at(node, 'Viewers who may read a row know its id, and nobody can change it.', 'Leave it out.')
    return null
  }
  const field = of.fields.get(text) ?? of.computed.get(text)
  if (field) return field
  // A field with a mistake of its own was reported already.
  if (declarations.declared(of).fields.has(text)) return null
  const names = [...of.fields.keys(), ...of.computed.keys()].filter((name) => name !== 'id')
  report.at(node, `${of.name} has no field ${text}.`, didYouMean(text, names).trim() || `It has ${names.join(', ')}.`)
  return null
}

/** One action of the rule is enough: a rule may allow to read more fields than to write. */
function checkActions(
  field: AnyField,
  { node }: WordArgument,
  to: readonly Action[],
  declarations: DeclaredModel,
): void {
  const { able, why } = ableWith(field)
  if (to.length === 0 || to.some((action) => able.includes(action))) return
  if (to.includes('UPDATE') && isFollowed(field, declarations)) return
  const what = `${field.owner.name}.${field.name}`
  declarations.report.at(node, `${to.join(' and ')} has no meaning on ${what}: ${why}.`, 'Leave it out.')
}

/** Whether the rows of the list follow the rules of this row, as with `@allow(who: "order")` on its lines. Then UPDATE of the
 *  list is the right to write its rows. */
function isFollowed(field: AnyField, declarations: DeclaredModel): boolean {
  if (field.kind !== 'many' && field.kind !== 'inverse') return false
  const { uses } = declarations.declared(field.to)
  return uses.some((use) => use.name === 'allow' && wordArgument(use, 'who')?.text === field.via.name)
}

/** Otherwise the rule would allow nothing: only the role admin writes roles. */
function checkRoles(field: AnyField, { node }: WordArgument, rule: Rule, declarations: DeclaredModel): void {
  const own = declarations.declared(field.owner).fields.get(field.name)!.uses
  const isWritten = rule.to.some((action) => action !== 'READ')
  if (!isWritten || rule.role === 'admin' || own.some(({ name }) => name === 'allow')) return
  const what = `${field.owner.name}.${field.name}`
  declarations.report.at(
    node,
    `Only the role admin writes ${what}, unless a rule on the field itself allows it.`,
    `Write @allow on ${what} too.`,
  )
}

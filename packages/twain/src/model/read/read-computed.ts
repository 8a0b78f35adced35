// Reads `@computed`: fields that custom code resolves, with their arguments and the row fields that the code needs. Runs
// when all stored fields are known, since it refers to them.

import { didYouMean } from '#base'
import { checkFits } from '../directives/directive-targets.ts'
import type { ComputedField, CustomResultType, Resource } from '../model.ts'
import { type DeclaredModel, openComputed, resourcesOf, rowFieldBase } from '../parse/declare-types.ts'
import { findUse, wordsArgument } from '../parse/directive-arguments.ts'
import type { DeclaredField } from '../parse/outline.ts'
import type { DirectiveUse } from '../parse/read-directives.ts'
import { readArguments } from './read-arguments.ts'
import { resolveType, wrapLists } from './resolve-type.ts'

export function readComputed(declarations: DeclaredModel): void {
  for (const owner of resourcesOf(declarations)) {
    for (const declared of declarations.declared(owner).fields.values()) {
      const use = findUse(declared.uses, 'computed')
      if (use === undefined) continue
      const field = readField(owner, declared, use, declarations)
      if (field !== null) openComputed(owner).set(field.name, field)
    }
  }
}

function readField(
  owner: Resource,
  declared: DeclaredField,
  use: DirectiveUse,
  declarations: DeclaredModel,
): ComputedField | null {
  checkFits(owner.name, declared, 'computed', declarations.report)
  const from = readFrom(owner, declared, use, declarations)
  const args = readArguments(declared, declarations)
  if (declared.name === 'id') {
    declarations.report.at(use.node, `The id of ${owner.name} is made by the server.`, 'Take the @computed away.')
  }
  const type = readResultType(declared, `${owner.name}.${declared.name}`, declarations)
  return type && { kind: 'computed', ...rowFieldBase(owner, declared), from, args, type }
}

/** The result type of custom code. Null after a mistake. */
export function readResultType(
  { shape, node }: DeclaredField,
  what: string,
  declarations: DeclaredModel,
): CustomResultType | null {
  const meaning = resolveType(shape.named, declarations)
  if (!meaning) return null
  if (meaning.kind === 'stored') return { kind: 'stored', type: wrapLists(meaning.type, shape) }
  const { of } = meaning
  const [list, more] = shape.lists
  if (of.kind === 'abstract') {
    const members = of.members.map(({ name }) => name).join(' or ')
    declarations.report.at(
      node.type,
      `${what} can't be ${of.name}: custom code returns rows of one type.`,
      `Write: ${members}.`,
    )
    return null
  }
  if (more !== undefined) {
    declarations.report.at(node.type, `${what} can't be a list of lists of ${of.name}.`, `Write: [${of.name}!]!.`)
    return null
  }
  return list === undefined ? { kind: 'row', of } : { kind: 'rows', of, itemRequired: list.itemRequired }
}

function readFrom(
  owner: Resource,
  declared: DeclaredField,
  use: DirectiveUse,
  declarations: DeclaredModel,
): ComputedField['from'] {
  const stored = [...owner.fields.values()].filter((field) => field.kind === 'stored' || field.kind === 'reference')
  const names = stored.map(({ name }) => name)
  const { fields } = declarations.declared(owner)
  return wordsArgument(use, 'from').flatMap(({ text, node }) => {
    const source = stored.find(({ name }) => name === text)
    if (source !== undefined) return [source]
    if (owner.fields.has(text) || (text !== declared.name && fields.has(text))) {
      declarations.report.at(node, `${owner.name}.${text} is not stored in the row.`, 'Name stored fields.')
    } else {
      const hint = didYouMean(text, names).trim() || `It has ${names.join(', ')}.`
      declarations.report.at(node, `${owner.name} has no stored field ${text}.`, hint)
    }
    return []
  })
}

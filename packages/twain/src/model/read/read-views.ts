// Reads `@view`: a read-only resource whose rows a SELECT of the operator returns. The SELECT itself is checked at the start, on
// the database that serves it (`store/views`).

import { didYouMean } from '#base'
import { placeOf } from '../mistakes.ts'
import type { Resource, StoredField, View } from '../model.ts'
import { type DeclaredModel, resourcesOf } from '../parse/declare-types.ts'
import { findUse, type WordArgument, wordArgument, wordsArgument } from '../parse/directive-arguments.ts'
import type { DeclaredType } from '../parse/outline.ts'
import type { DirectiveUse } from '../parse/read-directives.ts'
import { isSortable } from '../values/operators.ts'
import { selectMistake } from './select-text.ts'

export function readViews(declarations: DeclaredModel): void {
  for (const resource of resourcesOf(declarations)) {
    const declared = declarations.declared(resource)
    const use = findUse(declared.uses, 'view')
    if (!use) continue
    checkDirectives(declared, declarations)
    checkFields(resource, declarations)
    const [union] = resource.memberOf.filter(({ form }) => form === 'union')
    if (union) {
      const message = `${resource.name} is a view, which can't be a member of ${union.name}.`
      declarations.report.at(declared.node, message, 'Remove it from the union.')
    }
    resource.view = readView(use, resource, declarations)
    const { key } = resource.view
    if (key.length > 0) resource.indexes.push({ unique: true, fields: key })
  }
}

function readView(use: DirectiveUse, of: Resource, declarations: DeclaredModel): View {
  const { report } = declarations
  const [sqlite, postgres] = [readSelect('sqlite', use, declarations), readSelect('postgres', use, declarations)]
  if (sqlite === null && postgres === null)
    report.at(use.node, `${of.name} has no SELECT.`, 'Write it: @view(sqlite: "SELECT …", key: ["…"]).')
  const words = wordsArgument(use, 'key')
  if (words.length === 0) report.at(use.node, 'A view needs a key.', 'Name the fields that identify a row.')
  const key = words.flatMap((word) => keyField(word, of, declarations) ?? [])
  return { sqlite, postgres, key, hasOwnId: isDeclared(of, declarations), place: placeOf(use.node) }
}

/** Whether the file itself declares the id. */
function isDeclared(of: Resource, declarations: DeclaredModel): boolean {
  return declarations.declared(of).fields.get('id')?.isImplied !== true
}

function readSelect(store: 'sqlite' | 'postgres', use: DirectiveUse, { report }: DeclaredModel): string | null {
  const word = wordArgument(use, store)
  if (word === null) return null
  const mistake = selectMistake(word.text)
  if (mistake !== null) report.at(word.node, `The view is not one SELECT: ${mistake}.`, 'Write: "SELECT … FROM …".')
  return word.text.trim().replace(/;$/, '')
}

function keyField({ text, node }: WordArgument, of: Resource, declarations: DeclaredModel): StoredField | null {
  const { report } = declarations
  const field = of.fields.get(text)
  if (field?.kind === 'stored' && field.required && isSortable(field)) return field
  if (field === undefined) {
    if (declarations.declared(of).fields.has(text)) return null
    const names = [...of.fields.keys()].filter((name) => name !== 'id')
    report.at(node, `${of.name} has no field ${text}.`, didYouMean(text, names).trim() || `It has ${names.join(', ')}.`)
  } else {
    const hint = 'A key has required scalars and enums.'
    report.at(node, `${of.name}.${text} can't be part of the key.`, hint)
  }
  return null
}

/** What a type that nothing writes may have. */
const typeDirectives = ['view', 'allow', 'resource', 'cacheControl']
const fieldDirectives = ['allow', 'deprecated', 'was', 'cost', 'cacheControl', 'collation']

function checkDirectives(declared: DeclaredType, { report }: DeclaredModel): void {
  const { name, fields, interfaces, uses } = declared
  for (const use of uses) {
    if (typeDirectives.includes(use.name)) continue
    report.at(use.node, `${name} is a view, and @${use.name} has no meaning on one.`, 'Remove it.')
  }
  if (interfaces.length > 0)
    report.at(declared.node, `${name} is a view, which can't implement an interface.`, 'Remove "implements".')
  for (const field of fields.values()) {
    for (const use of field.uses) {
      if (fieldDirectives.includes(use.name) || report.isWrong(use.node)) continue
      const message = `${name} is a view, which nothing writes or computes: @${use.name} has no meaning on ${field.name}.`
      report.at(use.node, message, 'Remove it, and let the SELECT return the value.')
    }
  }
}

/** Scalars, enums, and references to types with rows of their own. */
function checkFields(of: Resource, { report, declared }: DeclaredModel): void {
  for (const field of of.fields.values()) {
    const isScalar = field.kind === 'stored' && (field.type.kind === 'scalar' || field.type.kind === 'enum')
    const isReference = field.kind === 'reference' && field.to.kind === 'resource' && field.to.system === undefined
    if (isScalar || isReference) continue
    const { node } = declared(of).fields.get(field.name)!
    const hint = 'A field of a view is a scalar, an enum, or a reference to a type with an id.'
    report.at(node.name, `${of.name} is a view, and a SELECT can't return ${field.name}.`, hint)
  }
}

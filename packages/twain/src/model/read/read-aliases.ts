// Reads `@was`: previous names continue to work. Runs last, since the rest of the file uses present names only.

import { NamedFields } from '../aliases.ts'
import type { Abstract, AnyField, CustomOperation, Resource, ValueField, ValueType } from '../model.ts'
import { aggregateFields } from '../names/aggregates.ts'
import { kebabCase } from '../names/case.ts'
import { plural } from '../names/plural.ts'
import { abstractsOf, type DeclaredModel, enumsOf, resourcesOf, scalarsOf, valuesOf } from '../parse/declare-types.ts'
import { findUse, wordArgument } from '../parse/directive-arguments.ts'
import type { DirectiveUse } from '../parse/read-directives.ts'
import { transitionsName } from '../state-machines.ts'

export function readAliases(
  declarations: DeclaredModel,
  operations: readonly CustomOperation[],
  takenPaths: readonly string[],
): void {
  const collections = [...resourcesOf(declarations), ...abstractsOf(declarations)]
  for (const type of [...collections, ...valuesOf(declarations)]) readFields(type, declarations)
  for (const type of collections)
    if (type.kind === 'abstract' && type.form === 'interface') checkMembers(type, declarations)
  for (const type of enumsOf(declarations)) {
    const { values } = declarations.declared(type)
    checkOnce(type.values, (name) => values.get(name)?.uses ?? [], `${type.name} has`, declarations)
  }
  const types = [...collections, ...valuesOf(declarations), ...enumsOf(declarations), ...scalarsOf(declarations)]
  const named = types.flatMap(({ name, alias }) => (alias === undefined ? [] : [{ name, alias: alias }]))
  checkOnce(named, (name) => declarations.outline.types.get(name)?.uses ?? [], 'The file has', declarations)
  readPaths(collections, [...takenPaths, ...operations.map(({ path }) => path)])
}

type AliasOwner = Resource | Abstract | ValueType

function readFields(type: AliasOwner, declarations: DeclaredModel): void {
  const { fields: declared } = declarations.declared(type)
  const usesOf = (name: string) => declared.get(name)?.uses ?? []
  const fields: (AnyField | ValueField)[] = [...type.fields.values()]
  if (type.kind !== 'value') fields.push(...type.computed.values())
  checkOnce(fields, usesOf, `${type.name} has`, declarations)
  const taken = new Set(fields.flatMap((field) => namesOf(field, field.name)))
  for (const field of fields) {
    if (field.alias === undefined) continue
    const clash = namesOf(field, field.alias).find(
      (name) => taken.has(name) || neverNames.test(name.replace(/^_.*Transitions$/, '')),
    )
    const node = wordArgument(findUse(usesOf(field.name), 'was'), 'name')?.node
    if (clash !== undefined && node !== undefined && !declarations.report.isWrong(node)) {
      declarations.report.at(
        node,
        `${type.name}.${clash} is something else, so it can't be a previous name.`,
        'Remove it.',
      )
    }
  }
  alsoKnown(type.fields)
  if (type.kind !== 'value') alsoKnown(type.computed)
}

/** The names that a field of this name adds to GraphQL responses. */
function namesOf(field: AnyField | ValueField, name: string): string[] {
  if (!('kind' in field)) return [name]
  if (field.kind === 'many' || field.kind === 'links') {
    const { one, groups } = aggregateFields(name)
    return [name, `${name}Connection`, one, groups]
  }
  return field.kind === 'stored' && field.stateMachine !== undefined ? [name, transitionsName({ name })] : [name]
}

/** Names that no field can have (check/check-names.ts). */
const neverNames = /^(?:_.*|and|or|not|isNull|isViewer)$/

function alsoKnown(fields: ReadonlyMap<string, AnyField | ValueField>): void {
  if (!(fields instanceof NamedFields)) return
  for (const field of fields.values()) if (field.alias !== undefined) fields.alsoKnownAs(field.alias, field)
}

/** If an interface has a field with a previous name, each type that implements it must have the same previous name. */
function checkMembers(type: Abstract, declarations: DeclaredModel): void {
  for (const { name, alias } of [...type.fields.values(), ...type.computed.values()]) {
    if (alias === undefined) continue
    for (const member of [...type.members, ...abstractsOf(declarations).filter((one) => one.memberOf.includes(type))]) {
      const own = member.fields.get(name) ?? member.computed.get(name)
      const node = declarations.declared(member).fields.get(name)?.node.name
      if (own === undefined || own.alias === alias || node === undefined) continue
      const message = `${member.name}.${name} does not have the previous name ${alias}, which ${type.name} declares.`
      declarations.report.at(node, message, `Write @was(name: "${alias}") here too.`)
    }
  }
}

function checkOnce(
  items: Iterable<{ name: string; alias?: string }>,
  usesOf: (name: string) => readonly DirectiveUse[],
  who: string,
  { report }: DeclaredModel,
): void {
  const claims = new Map<string, string>()
  for (const { name, alias } of items) {
    if (alias === undefined) continue
    const rival = claims.get(alias)
    const node = wordArgument(findUse(usesOf(name), 'was'), 'name')?.node
    if (rival !== undefined && node !== undefined) {
      report.at(node, `${who} two that were called ${alias}: ${rival} and ${name}.`, 'Keep one of them.')
    }
    claims.set(alias, name)
  }
}

/** The path that follows from the previous name, unless the file set another one or a different type uses the path now. */
function readPaths(collections: readonly (Resource | Abstract)[], others: readonly string[]): void {
  const taken = new Set([...others, ...collections.flatMap(({ path, previousPaths }) => [path, ...previousPaths])])
  for (const type of collections) {
    if (type.alias === undefined) continue
    const path = plural(kebabCase(type.alias))
    if (!taken.has(path)) type.previousPaths = [...type.previousPaths, path]
    taken.add(path)
  }
}

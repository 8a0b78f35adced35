// Finds the member resources of each interface and union, and the interfaces that each type implements.

import type { NamedTypeNode } from 'graphql/language'
import { didYouMean } from '#base'
import type { Abstract } from '../model.ts'
import { abstractsOf, type DeclaredModel } from '../parse/declare-types.ts'
import type { DeclaredType } from '../parse/outline.ts'

export function readMembers(declarations: DeclaredModel): void {
  for (const declared of declarations.outline.types.values()) {
    for (const named of declared.interfaces) readImplements(declared, named, declarations)
  }
  for (const abstract of abstractsOf(declarations)) {
    if (abstract.form === 'union') readUnion(abstract, declarations)
    checkNotTooMany(abstract, declarations)
  }
}

/** Members are read in one statement, and SQLite joins at most 500 SELECTs. */
const maxMembers = 400

function checkNotTooMany(abstract: Abstract, declarations: DeclaredModel): void {
  const { form, name, members } = abstract
  if (members.length <= maxMembers) return
  const message = `The ${form} ${name} stands for ${members.length} types; at most ${maxMembers} can be read together.`
  declarations.report.at(declarations.declared(abstract).node, message, 'Split it into several.')
}

function readImplements(declared: DeclaredType, named: NamedTypeNode, declarations: DeclaredModel): void {
  const implemented = declarations.types.get(named.name.value)
  if (implemented?.kind !== 'abstract' || implemented.form !== 'interface') {
    reportNoInterface(named, declarations)
    return
  }
  if (implemented.name === declared.name) {
    declarations.report.at(named, `${declared.name} can't implement itself.`, 'Remove it.')
    return
  }
  checkInherited(declared, named, declarations)
  const type = declarations.types.get(declared.name)
  if (type?.kind === 'resource') {
    type.memberOf.push(implemented)
    implemented.members.push(type)
  }
  if (type?.kind === 'abstract') type.memberOf.push(implemented)
}

function reportNoInterface(named: NamedTypeNode, declarations: DeclaredModel): void {
  const name = named.name.value
  const interfaces = abstractsOf(declarations).filter(({ form }) => form === 'interface')
  const message = declarations.types.has(name) ? `${name} is not an interface.` : `There is no interface ${name}.`
  const near = didYouMean(
    name,
    interfaces.map((candidate) => candidate.name).filter((candidate) => candidate !== name),
  ).trim()
  declarations.report.at(named, message, near || `Write: interface ${name} { … }.`)
}

/** A type that implements an interface also implements that one's interfaces (GraphQL specification, 3.6 and 3.7). */
function checkInherited(declared: DeclaredType, named: NamedTypeNode, declarations: DeclaredModel): void {
  const has = declared.interfaces.map(({ name }) => name.value)
  for (const { name } of declarations.outline.types.get(named.name.value)!.interfaces) {
    if (name.value === declared.name) {
      declarations.report.at(
        named,
        `${declared.name} and ${named.name.value} implement each other.`,
        'Remove one of the two.',
      )
    } else if (!has.includes(name.value)) {
      declarations.report.at(
        named,
        `${declared.name} must implement ${name.value} too, since ${named.name.value} does.`,
        `Write: implements ${[...has, name.value].join(' & ')}.`,
      )
    }
  }
}

function readUnion(union: Abstract, declarations: DeclaredModel): void {
  for (const named of declarations.declared(union).members) {
    const name = named.name.value
    const member = declarations.types.get(name)
    if (member?.kind === 'resource') {
      member.memberOf.push(union)
      union.members.push(member)
    } else if (member?.kind === 'value') {
      declarations.report.at(
        named,
        `${name} has no rows, so it can't be in a union.`,
        `Give it an id: type ${name} { id: ID! … }.`,
      )
    } else if (member) {
      declarations.report.at(named, `${name} can't be in a union.`, 'Only types with an id can.')
    } else {
      const names = [...declarations.types.values()].filter(({ kind }) => kind === 'resource').map((type) => type.name)
      const hint = didYouMean(name, names).trim() || `Write: type ${name} { id: ID! … }.`
      declarations.report.at(named, `There is no type ${name}.`, hint)
    }
  }
}

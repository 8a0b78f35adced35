// `@account`: one type whose rows sign in, by a text that no two of them share, with roles that can be read.

import { didYouMean } from '#base'
import { findUse, wordArgument } from '../directives/arguments.ts'
import type { DirectiveUse } from '../directives/read-directives.ts'
import type { Field, Resource } from '../model.ts'
import type { DeclaredType } from '../reading/outline.ts'
import type { Sketch } from '../reading/sketch.ts'
import type { Standing } from './standing.ts'

export function accountOf({ outline }: Sketch): DeclaredType | null {
  for (const type of outline.types.values()) if (findUse(type.uses, 'account')) return type
  return null
}

export function checkAccount(use: DirectiveUse, { type: declared }: Standing, sketch: Sketch): void {
  const { report } = sketch
  const type = sketch.types.get(declared.name)
  const first = accountOf(sketch)
  if (type?.kind !== 'resource') {
    report.at(use.node, `${declared.name} has no id, so it has no rows that could sign in.`, 'Add: id: ID!.')
  } else if (first && first !== declared) {
    report.at(use.node, `${first.name} is the account type already.`, 'Only one type can have @account.')
  } else {
    checkLogin(use, type, sketch)
    checkRoles(use, type, sketch)
  }
}

function checkLogin(use: DirectiveUse, type: Resource, { report, declared }: Sketch): void {
  const word = wordArgument(use, 'login')
  const name = word?.text ?? 'email'
  const field = type.fields.get(name)
  const node = word?.node ?? use.node
  const unique = [...type.fields.values()].filter((other) => isText(other) && isUnique(type, other)).map(nameOf)
  const hint = didYouMean(name, unique).trim() || `Write: ${name}: String! @unique.`
  if (!field && declared(type).fields.has(name)) return
  if (!field) report.at(node, `${type.name} has no field ${name} to sign in with.`, hint)
  else if (!isText(field)) report.at(node, `${type.name}.${name} is not a text, so nobody can sign in with it.`, hint)
  else if (!isUnique(type, field)) {
    report.at(node, `${type.name}.${name} is not unique, so it does not name one account.`, hint)
  }
}

function checkRoles(use: DirectiveUse, type: Resource, { report, declared }: Sketch): void {
  const word = wordArgument(use, 'roles')
  if (!word) return
  const field = type.fields.get(word.text)
  const fitting = [...type.fields.values()].filter(isRoles).map(nameOf)
  if (!field && declared(type).fields.has(word.text)) return
  if (!field) {
    const hint = didYouMean(word.text, fitting).trim() || `Write: ${word.text}: [String!]!.`
    report.at(word.node, `${type.name} has no field ${word.text}.`, hint)
  } else if (!isRoles(field)) {
    report.at(
      word.node,
      `${type.name}.${word.text} can't hold roles.`,
      'Roles are a String, an enum, or a list of these.',
    )
  }
}

function isText(field: Field): boolean {
  return field.kind === 'stored' && field.type.kind === 'scalar' && field.type.name === 'String'
}

function isRoles(field: Field): boolean {
  if (field.kind !== 'stored') return false
  const type = field.type.kind === 'list' ? field.type.of : field.type
  return type.kind === 'enum' || (type.kind === 'scalar' && type.name === 'String')
}

function isUnique(type: Resource, field: Field): boolean {
  return type.indexes.some(({ unique, fields }) => unique && fields.length === 1 && fields[0] === field)
}

function nameOf({ name }: Field): string {
  return name
}

// What a new contract changes against the one that was served. Breaking is what a client could notice or what the rows
// that are there might not satisfy; additive is what the database must add, or what a reader wants to know.

import { unreachable } from '#base'
import { compareAccounts } from './comparing/accounts.ts'
import { compareComputed, compareOperations } from './comparing/computed.ts'
import { compareConstraints } from './comparing/constraints.ts'
import { type Difference, Differences } from './comparing/differences.ts'
import { compareIndexes } from './comparing/indexes.ts'
import { compareSearches } from './comparing/searches.ts'
import type {
  Abstract,
  EnumType,
  Field,
  LinksField,
  Model,
  ModelType,
  ReferenceField,
  Resource,
  StoredField,
  ValueField,
  ValueType,
} from './model.ts'
import { spellType } from './spell-type.ts'

type Column = StoredField | ReferenceField

export function compareModels(before: Model, after: Model): Difference[] {
  const found = new Differences()
  for (const type of before.types.values()) {
    const now = after.types.get(type.name)
    if (!now) found.breaking(type.name, `${words[type.kind]} ${type.name} is gone`)
    else compareType(type, now, found)
  }
  for (const type of after.types.values()) {
    if (!before.types.has(type.name)) found.additive(type.name, `${words[type.kind]} ${type.name} is new`)
  }
  compareAccounts(before, after, found)
  compareOperations(before, after, found)
  return found.all
}

const words: Readonly<Record<ModelType['kind'], string>> = {
  resource: 'type',
  value: 'type',
  abstract: 'collection',
  enum: 'enum',
  custom: 'scalar',
}

function compareType(before: ModelType, after: ModelType, found: Differences): void {
  if (before.kind === 'resource' && after.kind === 'resource') compareResource(before, after, found)
  else if (before.kind === 'value' && after.kind === 'value') compareValue(before, after, found)
  else if (before.kind === 'enum' && after.kind === 'enum') compareEnum(before, after, found)
  else if (before.kind === 'abstract' && after.kind === 'abstract') compareAbstract(before, after, found)
  else if (before.kind !== after.kind)
    found.breaking(before.name, `${before.name} was ${kinds[before.kind]} and is ${kinds[after.kind]} now`, otherName)
}

const otherName = 'Make it what it was, and give the new one another name.'
const optionalOrDefault = 'Make it optional, or give it a @default.'

const kinds: Readonly<Record<ModelType['kind'], string>> = {
  resource: 'a resource',
  value: 'a value type',
  abstract: 'an interface or union',
  enum: 'an enum',
  custom: 'a scalar',
}

function compareResource(before: Resource, after: Resource, found: Differences): void {
  comparePath(before, after, found)
  for (const field of before.fields.values()) {
    const path = `${before.name}.${field.name}`
    const now = after.fields.get(field.name)
    if (!now) found.breaking(path, `field ${path} is gone`)
    else compareField(field, now, path, found)
  }
  for (const field of after.fields.values()) {
    if (!before.fields.has(field.name)) compareNewField(field, `${after.name}.${field.name}`, found)
  }
  compareComputed(before, after, found)
  compareIndexes(before, after, found)
  compareSearches(before, after, found)
  const left = before.memberOf.filter(({ name }) => !after.memberOf.some((now) => now.name === name))
  for (const { name } of left) found.breaking(before.name, `${before.name} is no longer a ${name}`)
}

function comparePath(before: Resource | Abstract, after: Resource | Abstract, found: Differences): void {
  const { name } = before
  const lost = before.was.find((path) => path !== after.path && !after.was.includes(path))
  if (lost !== undefined) found.breaking(name, `/${lost} leads to ${name} no more`, `Say @resource(was: ["${lost}"]).`)
  if (before.path === after.path) return
  const change = `the path of ${name} was /${before.path} and is /${after.path} now`
  if (after.was.includes(before.path)) found.additive(name, `${change}; the former one leads there`)
  else found.breaking(name, change, `Say @resource(was: ["${before.path}"]).`)
}

function compareField(before: Field, after: Field, path: string, found: Differences): void {
  const was = shapeOf(before)
  const is = shapeOf(after)
  if (was !== is) {
    found.breaking(path, `${path} was ${was} and is ${is} now`, otherName)
    return
  }
  if (!before.required && after.required && !isWithoutColumn(after)) {
    found.breaking(path, `${path} was optional and is required now`, 'Make it optional again.')
  } else if (before.required && !after.required && !isWithoutColumn(after)) {
    found.additive(path, `${path} is optional now`)
  }
  if (before.kind === 'stored' && after.kind === 'stored') {
    compareConstraints(before.constraint, after.constraint, path, found)
  }
  if (before.kind === 'reference' && after.kind === 'reference' && before.onDelete !== after.onDelete) {
    found.breaking(path, `${path} did ${before.onDelete} on delete and does ${after.onDelete} now`, 'Set it back.')
  }
  if ('immutable' in before && 'immutable' in after) compareWriting(before, after, path, found)
}

function compareWriting(before: Column, after: Column, path: string, found: Differences): void {
  if (!before.auto && after.auto) {
    found.breaking(path, `${path} is set by the server now, and can't be written any more`, 'Take the @auto away.')
  }
  if (before.auto && !after.auto) {
    const change = `${path} was set by the server, and every create must give it now`
    if (mustBeGiven(after)) found.breaking(path, change, optionalOrDefault)
    else found.additive(path, `${path} can be written now`)
  }
  if (!before.immutable && after.immutable) {
    found.breaking(path, `${path} can only be written on create now`, 'Take the @immutable away.')
  }
  if (before.immutable && !after.immutable) found.additive(path, `${path} can be written after create now`)
  if (hasDefault(before) && mustBeGiven(after)) {
    found.breaking(path, `${path} has no default any more, so every create must give it now`, optionalOrDefault)
  }
}

function mustBeGiven(field: Column): boolean {
  return field.required && field.auto === null && !hasDefault(field)
}

function hasDefault(field: Column): boolean {
  return field.default !== undefined || (field.kind === 'reference' && field.defaultsToViewer)
}

/** Neither the database nor a client is bound by a `!` on what has no column: a list is always there, an inverse never sure. */
function isWithoutColumn({ kind }: Field): boolean {
  return kind === 'inverse' || kind === 'many' || kind === 'links'
}

function compareNewField(field: Field, path: string, found: Differences): void {
  if (isMissedByOldRows(field)) {
    const cure = field.kind === 'stored' ? optionalOrDefault : 'Make it optional.'
    found.breaking(path, `${path} is new and required, and the rows that are there have no value for it`, cure)
  } else {
    found.additive(path, `field ${path} is new`)
  }
}

/** Rows that are there get a default and the times that the server sets; whom they should refer to nobody knows. */
function isMissedByOldRows(field: Field): boolean {
  if (!field.required || isWithoutColumn(field)) return false
  return field.kind !== 'stored' || (field.auto === null && field.default === undefined)
}

/** The field in one phrase, without what is required: two fields with the same phrase hold the same. */
function shapeOf(field: Field): string {
  switch (field.kind) {
    case 'stored':
      return spellType(field.type)
    case 'reference':
      return `a reference to ${field.to.name}`
    case 'inverse':
    case 'many':
      return `the other side of ${field.via.owner.name}.${field.via.name}`
    case 'links':
      return `many-to-many with ${otherSide(field)}`
    default:
      return unreachable(field)
  }
}

/** Which of the two sides comes first in the file does not matter. */
function otherSide({ to, link, side }: LinksField): string {
  const other = side === 'left' ? link.right : link.left
  return other ? `${to.name}.${other.name}` : to.name
}

function compareValue(before: ValueType, after: ValueType, found: Differences): void {
  for (const field of before.fields.values()) {
    const path = `${before.name}.${field.name}`
    const now = after.fields.get(field.name)
    if (!now) found.breaking(path, `field ${path} is gone`)
    else compareValueField(field, now, path, found)
  }
  for (const field of after.fields.values()) {
    if (before.fields.has(field.name)) continue
    const path = `${after.name}.${field.name}`
    // A value is stored whole, so a default of the field does not reach the values that are there.
    if (field.required)
      found.breaking(path, `${path} is new and required, and the values that are stored lack it`, 'Make it optional.')
    else found.additive(path, `field ${path} is new`)
  }
}

function compareValueField(before: ValueField, after: ValueField, path: string, found: Differences): void {
  const was = spellType(before.type)
  const is = spellType(after.type)
  if (was !== is) found.breaking(path, `${path} was ${was} and is ${is} now`, otherName)
  else if (!before.required && after.required)
    found.breaking(path, `${path} was optional and is required now`, 'Make it optional again.')
  else if (before.required && !after.required) found.additive(path, `${path} is optional now`)
  compareConstraints(before.constraint, after.constraint, path, found)
}

function compareEnum(before: EnumType, after: EnumType, found: Differences): void {
  const was = before.values.map(({ name }) => name)
  const is = after.values.map(({ name }) => name)
  for (const name of was) {
    if (!is.includes(name)) found.breaking(`${before.name}.${name}`, `the value ${name} of ${before.name} is gone`)
  }
  for (const name of is) {
    if (!was.includes(name)) found.additive(`${after.name}.${name}`, `the value ${name} of ${after.name} is new`)
  }
}

function compareAbstract(before: Abstract, after: Abstract, found: Differences): void {
  comparePath(before, after, found)
  if (before.form !== after.form) {
    found.breaking(before.name, `${before.name} was a ${before.form} and is a ${after.form} now`)
  }
  for (const { name } of before.fields.values()) {
    const gone = !after.fields.has(name) && before.form === 'interface'
    if (gone) found.breaking(`${before.name}.${name}`, `field ${before.name}.${name} is gone`)
  }
  for (const { name } of after.members) {
    const isNew = !before.members.some((member) => member.name === name)
    if (isNew) found.additive(after.name, `${name} is a ${after.name} now`)
  }
}

// The fields that an interface or a union offers for all of its members. The fields are copies without rules: each member's
// own rules apply to its rows.

import { print } from 'graphql/language'
import type { Abstract, AnyField, ComputedField, Field, StoredType } from '../model.ts'
import {
  abstractsOf,
  type DeclaredModel,
  deprecation,
  fieldBase,
  openComputed,
  openFields,
  readCost,
} from '../parse/declare-types.ts'
import type { DeclaredField } from '../parse/outline.ts'
import { printCustomType, printType } from '../print-type.ts'

export function readAbstracts(declarations: DeclaredModel): void {
  for (const abstract of abstractsOf(declarations)) {
    if (abstract.members.length === 0) continue
    if (abstract.form === 'union') readShared(abstract)
    else
      for (const declared of declarations.declared(abstract).fields.values())
        readDeclared(abstract, declared, declarations)
  }
}

/** A union declares no fields: it has the columns that all members share. */
function readShared(union: Abstract): void {
  const [first, ...others] = union.members
  for (const field of first!.fields.values()) {
    if (field.kind !== 'stored' && field.kind !== 'reference') continue
    const same = others.map((member) => member.fields.get(field.name))
    if (!same.every((other) => other && isAlike(field, other))) continue
    const required = field.required && same.every((other) => other?.required)
    const { alias, ...rest } = field
    const isFormer = alias !== undefined && same.every((other) => other?.alias === alias)
    openFields(union).set(field.name, { ...rest, ...(isFormer ? { alias: alias } : {}), required, rules: [] } as Field)
  }
}

/** The field of an interface is the first member's, with the description and directives of the interface. */
function readDeclared(abstract: Abstract, declared: DeclaredField, declarations: DeclaredModel): void {
  const fields = abstract.members.map((member) => member.fields.get(declared.name))
  const computed = abstract.members.map((member) => member.computed.get(declared.name))
  if (computed.some((field) => field !== undefined)) {
    readComputed(abstract, declared, computed, declarations)
    return
  }
  const [first, ...others] = fields
  // A field that a member lacks, or that could not be read, has been reported already.
  if (!first || others.includes(undefined)) return
  const odd = others.find((other) => !isAlike(first, other!))
  if (odd) {
    const { name } = declared
    declarations.report.at(
      declared.node.name,
      `${first.owner.name}.${name} is ${describe(first)} and ${odd.owner.name}.${name} is ${describe(odd)}, so ${abstract.name}.${name} can't be read in the same way from all.`,
      `Give both the same type, or remove ${name} from ${abstract.name}.`,
    )
    return
  }
  const { required, description, place, alias } = fieldBase(declared)
  const declaredParts = {
    required,
    description: description ?? first.description,
    deprecated: deprecation(declared.uses),
    place,
    rules: [],
    ...shareCost(declared, fields),
  }
  const { alias: _own, ...rest } = first
  openFields(abstract).set(declared.name, {
    ...rest,
    ...declaredParts,
    ...(alias === undefined ? {} : { alias }),
  } as Field)
}

/** The cost that an interface declares applies to all members without a cost of their own. A request on the interface
 *  costs as much as the most expensive member. */
function shareCost(declared: DeclaredField, fields: readonly (AnyField | undefined)[]): { cost?: number } {
  const { cost } = readCost(declared.uses)
  for (const field of fields) if (cost !== undefined && field !== undefined) field.cost ??= cost
  const costs = fields.flatMap((field) => field?.cost ?? [])
  return costs.length === 0 ? {} : { cost: Math.max(...costs) }
}

/** A computed field must be computed in each member, with the same type and arguments. */
function readComputed(
  abstract: Abstract,
  declared: DeclaredField,
  fields: readonly (ComputedField | undefined)[],
  declarations: DeclaredModel,
): void {
  const { name } = declared
  const [first, ...others] = fields
  const declaredParts = declared.args.map((arg) => `${arg.name.value}: ${print(arg.type)}`).join(', ')
  const isSame =
    first !== undefined &&
    printArguments(first) === declaredParts &&
    others.every((other) => other && printCustomField(first) === printCustomField(other))
  if (!isSame) {
    declarations.report.at(
      declared.node.name,
      `${abstract.name}.${name} is not computed in the same way in ${abstract.members.map((member) => member.name).join(', ')}.`,
      `Make it @computed in each of them, with the same type and arguments, or remove ${name} from ${abstract.name}.`,
    )
    return
  }
  const { required, description, place, alias } = fieldBase(declared)
  const own = { description: description ?? first.description, deprecated: deprecation(declared.uses), place }
  const { alias: _own, ...rest } = first
  const aliased = alias === undefined ? {} : { alias }
  const shared = { required, ...own, ...aliased, ...shareCost(declared, fields) }
  openComputed(abstract).set(name, { ...rest, ...shared, rules: [] })
}

function printCustomField(field: ComputedField): string {
  return `(${printArguments(field)}) ${printCustomType(field.type).replaceAll('!', '')}`
}

function printArguments({ args }: ComputedField): string {
  return args.map((arg) => `${arg.name}: ${printType(arg.type)}${arg.required ? '!' : ''}`).join(', ')
}

function isAlike(a: Field, b: Field): boolean {
  if (a.kind === 'stored') return b.kind === 'stored' && isSameType(a.type, b.type)
  return b.kind !== 'stored' && a.kind === b.kind && a.to === b.to
}

/** Types are equal if they print equally, ignoring the outer `!`. */
function isSameType(a: StoredType, b: StoredType): boolean {
  return printFieldType(a) === printFieldType(b)
}

function printFieldType(type: StoredType): string {
  return printType(type).replaceAll('!', '')
}

function describe(field: Field): string {
  switch (field.kind) {
    case 'stored':
      return printFieldType(field.type)
    case 'reference':
    case 'inverse':
      return `a reference to ${field.to.name}`
    case 'many':
      return `the other side of ${field.via.owner.name}.${field.via.name}`
    case 'links':
      return `a many-to-many relation with ${field.to.name}`
  }
}

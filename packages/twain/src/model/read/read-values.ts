// Reads value types, which are stored inside a row as JSON. Their fields have stored types only, and no value type requires
// itself.

import { isBinary } from '../directives/collation.ts'
import { readConstraint } from '../directives/constraints.ts'
import { completeDefault, readDefault } from '../directives/defaults.ts'
import { checkFits } from '../directives/directive-targets.ts'
import type { ValueField, ValueType } from '../model.ts'
import { type DeclaredModel, fieldBase, openValueFields, valuesOf } from '../parse/declare-types.ts'
import type { DeclaredField } from '../parse/outline.ts'
import { resolveType, wrapLists } from './resolve-type.ts'

export function readValues(declarations: DeclaredModel): void {
  const values = valuesOf(declarations)
  for (const value of values) readFields(value, declarations)
  for (const value of values) checkFinite(value, declarations)
  // Defaults are literals of these types, so they are read when all types are known, and completed when all defaults are.
  for (const field of fieldsOf(values, declarations)) readFieldDefault(field.value, field.declared, declarations)
  for (const field of fieldsOf(values, declarations)) completeDefault(field.value, field.declared, declarations.report)
}

function readFields(value: ValueType, declarations: DeclaredModel): void {
  for (const declared of declarations.declared(value).fields.values()) {
    checkFits(value.name, declared, 'value', declarations.report)
    const [arg] = declared.args
    if (arg) {
      const hint = 'Only computed fields of resources take arguments: @computed.'
      declarations.report.at(
        arg.name,
        `${value.name}.${declared.name} is stored, so it takes no ${arg.name.value}.`,
        hint,
      )
    }
    const meaning = resolveType(declared.shape.named, declarations)
    if (meaning?.kind === 'rows') reportRows(value, declared, declarations)
    if (meaning?.kind !== 'stored') continue
    const type = wrapLists(meaning.type, declared.shape)
    const constraint = readConstraint(declared, type, declarations.report)
    const field: ValueField = { ...fieldBase(declared), type, constraint }
    if (isBinary(declared)) field.collation = 'BINARY'
    openValueFields(value).set(declared.name, field)
  }
}

function reportRows(value: ValueType, declared: DeclaredField, declarations: DeclaredModel): void {
  const to = declared.shape.named.name.value
  declarations.report.at(
    declared.shape.named,
    `${value.name}.${declared.name} can't refer to ${to}: ${value.name} has no id, so it is stored inside its owner, and references belong to rows.`,
    `Give ${value.name} an id (id: ID!), or keep the id of ${to} as ${declared.name}Id: ID.`,
  )
}

/** A value that must contain a value of its own type could never be written. */
function checkFinite(value: ValueType, declarations: DeclaredModel): void {
  const way = wayTo(value, value, new Set())
  if (!way) return
  const [first] = way
  const declared = declarations.declared(value).fields.get(first!)!
  declarations.report.at(
    declared.node.name,
    `Every ${value.name} would contain another ${value.name} without end (${[value.name, ...way].join('.')}).`,
    `Make one of the fields optional, or a list: ${first}: ${declared.shape.named.name.value}.`,
  )
}

/** The fields that lead from one value type to another through required fields. */
function wayTo(goal: ValueType, from: ValueType, seen: Set<ValueType>): string[] | null {
  for (const { name, type, required } of from.fields.values()) {
    if (type.kind !== 'value' || !required || seen.has(type.value)) continue
    if (type.value === goal) return [name]
    seen.add(type.value)
    const rest = wayTo(goal, type.value, seen)
    if (rest) return [name, ...rest]
  }
  return null
}

function readFieldDefault(value: ValueField, declared: DeclaredField, declarations: DeclaredModel): void {
  const json = readDefault(declared, value.type, value.constraint, declarations.report)
  if (json !== undefined) value.default = json
}

function* fieldsOf(
  values: ValueType[],
  declarations: DeclaredModel,
): Iterable<{ value: ValueField; declared: DeclaredField }> {
  for (const value of values) {
    for (const field of value.fields.values()) {
      yield { value: field, declared: declarations.declared(value).fields.get(field.name)! }
    }
  }
}

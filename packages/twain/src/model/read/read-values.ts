// Reads value types, which are stored inside a row as JSON. Their fields have stored types only, and no value type requires
// itself.

import { readConstraint } from '../directives/constraints.ts'
import { completeDefault, readDefault } from '../directives/defaults.ts'
import { checkFits } from '../directives/directive-targets.ts'
import type { ValueField, ValueType } from '../model.ts'
import { type DeclaredModel, fieldBase, openValueFields, valuesOf } from '../parse/declare-types.ts'
import type { DeclaredField } from '../parse/outline.ts'
import { resolveType, wrapLists } from './resolve-type.ts'

export function readValues(sketch: DeclaredModel): void {
  const values = valuesOf(sketch)
  for (const value of values) readFields(value, sketch)
  for (const value of values) checkFinite(value, sketch)
  // Defaults are literals of these types, so they are read when all types are known, and completed when all defaults are.
  for (const field of fieldsOf(values, sketch)) readFieldDefault(field.value, field.declared, sketch)
  for (const field of fieldsOf(values, sketch)) completeDefault(field.value, field.declared, sketch.report)
}

function readFields(value: ValueType, sketch: DeclaredModel): void {
  for (const declared of sketch.declared(value).fields.values()) {
    checkFits(value.name, declared, 'value', sketch.report)
    const [arg] = declared.args
    if (arg) {
      const hint = 'Only computed fields of resources take arguments: @computed.'
      sketch.report.at(arg.name, `${value.name}.${declared.name} is stored, so it takes no ${arg.name.value}.`, hint)
    }
    const meaning = resolveType(declared.shape.named, sketch)
    if (meaning?.kind === 'rows') reportRows(value, declared, sketch)
    if (meaning?.kind !== 'stored') continue
    const type = wrapLists(meaning.type, declared.shape)
    const constraint = readConstraint(declared, type, sketch.report)
    openValueFields(value).set(declared.name, { ...fieldBase(declared), type, constraint })
  }
}

function reportRows(value: ValueType, declared: DeclaredField, sketch: DeclaredModel): void {
  const to = declared.shape.named.name.value
  sketch.report.at(
    declared.shape.named,
    `${value.name}.${declared.name} can't refer to ${to}: ${value.name} has no id, so it is stored inside its owner, and references belong to rows.`,
    `Give ${value.name} an id (id: ID!), or keep the id of ${to} as ${declared.name}Id: ID.`,
  )
}

/** A value that must contain a value of its own type could never be written. */
function checkFinite(value: ValueType, sketch: DeclaredModel): void {
  const way = wayTo(value, value, new Set())
  if (!way) return
  const [first] = way
  const declared = sketch.declared(value).fields.get(first!)!
  sketch.report.at(
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

function readFieldDefault(value: ValueField, declared: DeclaredField, sketch: DeclaredModel): void {
  const json = readDefault(declared, value.type, value.constraint, sketch.report)
  if (json !== undefined) value.default = json
}

function* fieldsOf(
  values: ValueType[],
  sketch: DeclaredModel,
): Iterable<{ value: ValueField; declared: DeclaredField }> {
  for (const value of values) {
    for (const field of value.fields.values()) {
      yield { value: field, declared: sketch.declared(value).fields.get(field.name)! }
    }
  }
}

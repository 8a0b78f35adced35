// Compares value types, which are stored inside a row, and the inputs of custom code, which are only sent.

import type { Model, ValueField, ValueType } from '../model.ts'
import { printType } from '../print-type.ts'
import { compareConstraints } from './constraints.ts'
import { compareDefaults } from './defaults.ts'
import { type Differences, otherName } from './differences.ts'

export function compareValue(before: ValueType, after: ValueType, found: Differences): void {
  for (const field of before.fields.values()) {
    const path = `${before.name}.${field.name}`
    const now = after.fields.get(field.name)
    if (now) compareValueField(field, now, path, before.isInput === true, found)
    else found.gone(path, `field ${path}`, field.deprecated !== null, before.isInput ? 'stay' : 'forgets')
  }
  for (const field of after.fields.values()) {
    if (!before.fields.has(field.name)) compareNewField(field, after, found)
  }
  if (before.isOneOf !== after.isOneOf) {
    const message = after.isOneOf
      ? `only one field of ${after.name} may be present now`
      : `several fields of ${after.name} may be present now`
    if (after.isOneOf) found.breaking(after.name, message, { affects: 'writers' }, 'Take the @oneOf away.')
    else found.additive(after.name, message)
  }
}

export function compareInputs(before: Model, after: Model, found: Differences): void {
  for (const input of before.inputs) {
    const now = after.inputs.find(({ name }) => name === input.name)
    // An input that no argument uses any more is reported with the argument.
    if (now) compareValue(input, now, found)
  }
}

function compareNewField(field: ValueField, { name, isInput }: ValueType, found: Differences): void {
  const path = `${name}.${field.name}`
  if (!field.required || (isInput && field.default !== undefined)) found.additive(path, `field ${path} is new`)
  else if (isInput) {
    const cure = 'Make it optional, or give it a default.'
    found.breaking(path, `${path} is new and required`, { affects: 'writers' }, cure)
  } else {
    // A value is stored whole, so the default of a field does not reach the stored values.
    const message = `${path} is new and required, and the values that are stored lack it`
    found.breaking(path, message, { affects: 'clients', rows: 'unused' }, 'Make it optional.')
  }
}

function compareValueField(
  before: ValueField,
  after: ValueField,
  path: string,
  isInput: boolean,
  found: Differences,
): void {
  const was = printType(before.type)
  const is = printType(after.type)
  const rows = isInput ? 'stay' : 'unused'
  if (was !== is) {
    found.breaking(path, `${path} was ${was} and is ${is} now`, { affects: 'clients', rows }, otherName)
    return
  }
  if (!before.required && after.required) {
    const message = `${path} was optional and is required now`
    found.breaking(path, message, { affects: 'writers', rows }, 'Make it optional again.')
  } else if (before.required && !after.required) {
    if (isInput) found.additive(path, `${path} is optional now`)
    else found.breaking(path, `${path} may be null now`, { affects: 'readers' }, 'Make it required again.')
  }
  compareDefaults(before.default, after.default, path, found)
  compareConstraints(before.constraint, after.constraint, path, found)
}

// Compares what a field may hold: value types, which are stored inside a row, the inputs of custom code, which are only sent,
// enums, constraints and defaults.

import type { Constraint, EnumType, Json, Model, ValueField, ValueType } from '../model.ts'
import { printType } from '../print-type.ts'
import { isFolded } from '../values/scalar-types.ts'
import { compareCache, compareCost } from './cost-and-cache.ts'
import { compareDeprecation, type Differences, otherName } from './differences.ts'

export function compareValue(before: ValueType, after: ValueType, found: Differences): void {
  compareCache(before, after, before.name, found)
  for (const field of before.fields.values()) {
    const path = `${before.name}.${field.name}`
    const now = after.fields.get(field.name)
    if (now) compareValueField(field, now, path, before.isInput === true, found)
    else found.removed(path, `field ${path}`, field.deprecated !== null, before.isInput ? 'stay' : 'dropped', 'field')
  }
  for (const field of after.fields.values()) {
    if (!before.fields.has(field.name)) compareNewField(field, after, found)
  }
  if (before.isOneOf !== after.isOneOf) {
    const message = after.isOneOf
      ? `only one field of ${after.name} may be present now`
      : `several fields of ${after.name} may be present now`
    if (after.isOneOf) found.breaking(after.name, message, { affects: 'writers' }, 'Remove @oneOf.')
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
    const hint = 'Make it optional, or give it a default.'
    found.breaking(path, `${path} is new and required`, { affects: 'writers' }, hint)
  } else {
    // A value is stored whole, so the default of a field does not reach the stored values.
    const message = `${path} is new and required, and stored values lack it`
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
  if (isInput) compareInputDefaults(before.default, after.default, path, found)
  else compareDefaults(before.default, after.default, path, found)
  compareDeprecation(before, after, path, found)
  compareCost(before, after, path, found)
  compareCache(before, after, path, found)
  compareConstraints(before.constraint, after.constraint, path, found)
  compareCollations(before, after, path, found)
}

/** Rows come in another order, and range filters find other rows. */
export function compareCollations(
  before: Pick<ValueField, 'type' | 'collation'>,
  after: Pick<ValueField, 'type' | 'collation'>,
  path: string,
  found: Differences,
): void {
  const [was, is] = [isFolded(before), isFolded(after)]
  if (was === is) return
  const order = is ? 'without case and accents first' : 'by code point'
  found.warning(path, `${path} is ordered ${order} now, and cursors of this order fail`, 'readers')
}

export function compareEnum(before: EnumType, after: EnumType, found: Differences): void {
  for (const { name, deprecated } of before.values) {
    const path = `${before.name}.${name}`
    const now = after.values.find((value) => value.name === name)
    if (now) compareDeprecation({ deprecated }, now, path, found)
    else found.removed(path, `the value ${name} of ${before.name}`, deprecated !== null, 'unused', 'value')
  }
  for (const { name } of after.values) {
    if (before.values.some((value) => value.name === name)) continue
    found.warning(
      `${after.name}.${name}`,
      `the value ${name} of ${after.name} is new, and responses may contain it`,
      'readers',
    )
  }
}

/** A constraint that rejects a value that was accepted breaks writers; existing rows stay as they are. */
export function compareConstraints(
  before: Constraint | null,
  after: Constraint | null,
  path: string,
  found: Differences,
): void {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]) as Set<keyof Constraint>
  for (const name of names) {
    const was = before?.[name]
    const is = after?.[name]
    if (was === is) continue
    const change = `${name} of ${path} was ${was ?? 'not set'} and is ${is ?? 'not set'} now`
    if (isWider(name, was, is)) found.additive(path, change)
    else found.breaking(path, change, { affects: 'writers' }, 'Restore it, or make it wider.')
  }
}

function isWider(name: keyof Constraint, was: number | string | undefined, is: number | string | undefined): boolean {
  if (is === undefined) return true
  if (was === undefined || !/^m(?:in|ax)/.test(name)) return false
  return name.startsWith('min') ? is < was : is > was
}

/** Compares the value that a create stores for an omitted field. Fields that became required are reported elsewhere. */
export function compareDefaults(
  before: Json | undefined,
  after: Json | undefined,
  path: string,
  found: Differences,
): void {
  const was = printDefault(before)
  const is = printDefault(after)
  if (was !== is) found.warning(path, `a create without ${path} stored ${was} and stores ${is} now`, 'writers')
}

/** Compares the value that custom code gets for an omitted argument or input field. */
export function compareInputDefaults(
  before: Json | undefined,
  after: Json | undefined,
  path: string,
  found: Differences,
): void {
  const was = printDefault(before)
  const is = printDefault(after)
  if (was !== is) found.warning(path, `${path} was ${was} where a request omits it, and is ${is} now`, 'clients')
}

function printDefault(value: Json | undefined): string {
  return value === undefined ? 'nothing' : JSON.stringify(value)
}

// Example values that satisfy their types and constraints. The same model always gives the same examples. There is no example
// rather than a wrong one.

import { numberDigits, type Problem, unreachable } from '#base'
import {
  type Constraint,
  checkConstraint,
  compareToBound,
  coversField,
  type Field,
  isShownByDefault,
  type Json,
  type Model,
  patternExample,
  type ReferenceField,
  type Resource,
  type Scalar,
  type StoredType,
  scalarOf,
  type ValueType,
} from '#model'
import { isRequiredInput } from '../build/input.ts'
import { type JsonObject, withUniqueValues } from './unique-examples.ts'

export const exampleId = '0197c1a2-7d3e-7abc-8def-0123456789ab'
export const exampleTime = '2026-01-31T09:30:00.000Z'

/** Undefined: no value was found that satisfies the constraint. */
export function exampleValue(
  type: StoredType,
  constraint: Constraint | null = null,
  name = 'text',
  within: readonly ValueType[] = [],
): Json | undefined {
  const value = unconstrainedValue(type, constraint, name, within)
  if (value === undefined || constraint === null) return value
  const problems: Problem[] = []
  checkConstraint(constraint, type, value, '', problems)
  return problems.length === 0 ? value : undefined
}

/** A row in its default representation. */
export function exampleRow(of: Resource): Json | undefined {
  const members = [...of.fields.values()].map((field): [string, Json | undefined] | null => {
    if (field.name === 'id' || field.kind === 'reference') return [field.name, exampleId]
    return field.kind === 'stored' && isShownByDefault(field) ? [field.name, storedExample(field)] : null
  })
  return objectOf(members)
}

export interface CreateExampleOptions {
  /** The path implies this reference. */
  owner?: ReferenceField | undefined
  /** The id of a row that a required reference can point to; default: an id that no row has. */
  referenceTo?: (field: ReferenceField) => string
  /** Whether the viewer has no account: it gives references to itself like all others. */
  withoutAccount?: boolean
  /** Makes the values of unique fields different from those of other examples. */
  suffix?: string
}

/** The input of a create that everyone who may create a row may send: the required fields, and of the others those that have no
 *  default and that no rule keeps from some viewers. */
export function exampleCreate(of: Resource, model: Model, options: CreateExampleOptions = {}): Json | undefined {
  const { owner, referenceTo = () => exampleId, withoutAccount = false, suffix = '' } = options
  const members = [...of.fields.values()].map((field): [string, Json | undefined] | null => {
    if (field.name === 'id' || field === owner) return null
    if (field.kind === 'reference') {
      const isNeeded = isRequiredInput(field) || (withoutAccount && field.required && isViewer(field))
      return isNeeded ? [field.name, referenceTo(field)] : null
    }
    if (field.kind !== 'stored' || field.auto !== null || field.deprecated !== null) return null
    if (!isRequiredInput(field) && !isForEveryWriter(field, 'CREATE', model)) return null
    const value = storedExample(field)
    return value === undefined && !isRequiredInput(field) ? null : [field.name, value]
  })
  const input = objectOf(model.account?.resource === of ? [...members, ['password', 'correct horse']] : members)
  return input === undefined || suffix === '' ? input : withUniqueValues(input as JsonObject, of, suffix)
}

function isViewer({ auto, defaultsToViewer }: ReferenceField): boolean {
  return auto === 'VIEWER' || defaultsToViewer
}

function hasDefault(field: Field & { kind: 'stored' }): boolean {
  return field.default !== undefined || field.defaultClaim !== undefined
}

/** Whether a viewer who may write the row may write this field too, whatever its value. */
function isForEveryWriter(field: Field & { kind: 'stored' }, action: 'CREATE' | 'UPDATE', { account }: Model): boolean {
  if (field === account?.roles || (action === 'CREATE' && hasDefault(field))) return false
  if (field.stateMachine !== undefined || field.rules.some(({ to }) => to.includes(action))) return false
  return field.owner.rules.every((rule) => !rule.to.includes(action) || coversField(rule, field))
}

/** A merge patch of the first field that everyone who may change the row can change, to a value that many rows can have. */
export function exampleMerge(of: Resource, model: Model): Json {
  const isUnique = (field: Field) =>
    of.indexes.some(({ unique, fields }) => unique && fields.some((one) => one === field))
  for (const field of of.fields.values()) {
    if (field.kind !== 'stored' || field.name === 'id' || field.auto !== null || field.immutable) continue
    if (of.system !== undefined && field.stateMachine !== undefined)
      return { [field.name]: field.stateMachine.transitions[0]!.to[0]! }
    if (field.type.kind === 'value' || isUnique(field) || !isForEveryWriter(field, 'UPDATE', model)) continue
    const value = storedExample(field)
    if (value !== undefined) return { [field.name]: value }
  }
  return {}
}

function storedExample(field: Field & { kind: 'stored' }): Json | undefined {
  const own = field.owner.system?.examples?.[field.name]
  if (own !== undefined) return own
  const value = exampleValue(field.type, field.constraint, field.name)
  return value === undefined && !field.required ? null : value
}

/** Undefined: a member has no example. */
function objectOf(members: readonly ([string, Json | undefined] | null)[]): Json | undefined {
  const object: { [key: string]: Json } = {}
  for (const member of members) {
    if (member === null) continue
    if (member[1] === undefined) return undefined
    object[member[0]] = member[1]
  }
  return object
}

function unconstrainedValue(
  type: StoredType,
  constraint: Constraint | null,
  name: string,
  within: readonly ValueType[],
): Json | undefined {
  switch (type.kind) {
    case 'scalar':
      return scalarExample(scalarOf(type.name), constraint ?? {}, name)
    case 'custom':
      return constraint === null ? `a ${type.scalar.name}` : textFor(constraint, name)
    case 'enum':
      return (type.enum.values.find(({ deprecated }) => deprecated === null) ?? type.enum.values[0])?.name
    case 'value':
      return memberExamples(type.value, within)
    case 'list': {
      const item = exampleValue(type.of, constraint, name, within)
      if (item === undefined) return []
      return Array.from({ length: Math.max(1, constraint?.minItems ?? 1) }, () => item)
    }
    default:
      return unreachable(type)
  }
}

/** A recursive value type ends at its first nullable field. */
function memberExamples(value: ValueType, within: readonly ValueType[]): Json | undefined {
  if (within.includes(value)) return undefined
  return objectOf(
    [...value.fields.values()].map((field) => {
      const example = exampleValue(field.type, field.constraint, field.name, [...within, value])
      return [field.name, example === undefined && !field.required ? null : example]
    }),
  )
}

/** The example of the record, or the bound that it is beyond. */
function scalarExample({ example, range, jsonSchema }: Scalar, constraint: Constraint, name: string): Json | undefined {
  if (example === null) return textFor(constraint, name)
  if (range === null) return example as Json
  const { min, max } = constraint
  const value = example as number | string
  if (min !== undefined && compareToBound(range, value, min) < 0) return fromBound(min, Math.ceil)
  if (max !== undefined && compareToBound(range, value, max) > 0) return fromBound(max, Math.floor)
  return value

  function fromBound(bound: number | string, round: (bound: number) => number): Json {
    if (typeof bound === 'string') return bound
    return range === 'exact' ? numberDigits(bound) : jsonSchema.type === 'integer' ? round(bound) : bound
  }
}

const formatExamples: Readonly<Record<string, string>> = {
  email: 'ann@example.com',
  uri: 'https://example.com/',
  uuid: exampleId,
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  date: '2026-01-31',
  time: '09:30:00Z',
  'date-time': '2026-01-31T09:30:00Z',
  duration: 'P3D',
  regex: '^a+$',
}

function textFor({ format, pattern, minLength = 0, maxLength }: Constraint, name: string): string | undefined {
  if (format !== undefined) return formatExamples[format]
  if (pattern !== undefined) return patternExample(pattern, minLength) ?? undefined
  const text = `A ${name}`.padEnd(minLength, '.')
  return maxLength === undefined ? text : text.slice(0, maxLength)
}

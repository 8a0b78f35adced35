// Example values that satisfy their types and constraints. The same model always gives the same examples. There is no example
// rather than a wrong one.

import { type Problem, unreachable } from '#base'
import {
  type Constraint,
  type Field,
  type Json,
  patternExample,
  type ReferenceField,
  type Resource,
  type ScalarName,
  type StoredType,
  type ValueType,
} from '#model'
import { isRequiredInput } from '../build/input.ts'
import { checkConstraint } from '../check/check-constraint.ts'

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
    return field.kind === 'stored' ? [field.name, storedExample(field)] : null
  })
  return objectOf(members)
}

/** The input of a create: required and optional fields. The path implies `owner`. */
export function exampleCreate(of: Resource, isAccount: boolean, owner?: ReferenceField): Json | undefined {
  const members = [...of.fields.values()].map((field): [string, Json | undefined] | null => {
    if (field.name === 'id' || field === owner) return null
    if (field.kind === 'reference') return isRequiredInput(field) ? [field.name, exampleId] : null
    if (field.kind !== 'stored' || field.auto !== null || field.deprecated !== null) return null
    const value = storedExample(field)
    return value === undefined && !isRequiredInput(field) ? null : [field.name, value]
  })
  return objectOf(isAccount ? [...members, ['password', 'correct horse']] : members)
}

/** A merge patch of the first field that can be changed. */
export function exampleMerge(of: Resource): Json {
  for (const field of of.fields.values()) {
    if (field.kind !== 'stored' || field.name === 'id' || field.auto !== null || field.immutable) continue
    if (field.type.kind === 'value') continue
    const value = storedExample(field)
    if (value !== undefined) return { [field.name]: value }
  }
  return {}
}

function storedExample(field: Field & { kind: 'stored' }): Json | undefined {
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
      return scalarExamples[type.name](constraint ?? {}, name)
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

const scalarExamples: Record<ScalarName, (constraint: Constraint, name: string) => Json | undefined> = {
  Int: ({ min, max }) => clamp(1, min === undefined ? min : Math.ceil(min), max === undefined ? max : Math.floor(max)),
  Float: ({ min, max }) => clamp(1.5, min, max),
  String: textFor,
  Boolean: () => true,
  ID: textFor,
  DateTime: () => exampleTime,
  Date: () => '2026-01-31',
  JSON: () => ({ any: 'JSON' }),
  Decimal: ({ min, max }) => String(clamp(19.9, min, max)),
  BigInt: ({ min, max }) => (min === undefined && max === undefined ? '9007199254740993' : String(clamp(1, min, max))),
}

function clamp(value: number, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY): number {
  return Math.min(Math.max(value, min), max)
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

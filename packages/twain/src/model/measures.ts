// Aggregates: what can be measured of groups of rows, of which fields, and the types of the results. Each fact stands here once;
// how a database computes a measure is in `store/aggregates/`.

import type { Abstract, Field, Resource, StoredField, StoredType } from './model.ts'
import { isSortable } from './values/operators.ts'
import { isNumber } from './values/scalar-types.ts'
import { scalarOf } from './values/scalars.ts'

/** The measures of a field, with their descriptions. `count` counts the rows. */
export const fieldMeasures = {
  countDistinct: 'The number of different values; null is none of them.',
  sum: 'The exact sum; null without a value.',
  avg: 'The average, with 20 digits after the point; null without a value.',
  min: 'The first value in the order of the field; null without a value.',
  max: 'The last value in the order of the field; null without a value.',
} as const

export type FieldMeasure = keyof typeof fieldMeasures
export type MeasureName = 'count' | FieldMeasure

export const fieldMeasureNames = Object.keys(fieldMeasures) as FieldMeasure[]

export function isFieldMeasure(name: string): name is FieldMeasure {
  return Object.hasOwn(fieldMeasures, name)
}

/** How the measures of groups are compared. `between` is two of them. */
export const measureOperators = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte'] as const
export type MeasureOperator = (typeof measureOperators)[number]

export function isMeasureOperator(word: string): word is MeasureOperator {
  return (measureOperators as readonly string[]).includes(word)
}

/** The parts of times that rows can be grouped by. Weeks begin on Monday (ISO 8601). */
export const timeParts = ['HOUR', 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'] as const
export type TimePart = (typeof timeParts)[number]

export function isTimePart(word: string): word is TimePart {
  return (timeParts as readonly string[]).includes(word)
}

/** The word for the value itself, where a part of a time can stand. */
export const wholeValue = 'VALUE'

/** The parts of the type that rows can be grouped by, beside the value itself. */
export function timePartsOf(type: StoredType): readonly TimePart[] {
  if (type.kind !== 'scalar') return []
  if (type.name === 'DateTime') return timeParts
  return type.name === 'Date' ? timeParts.filter((part) => part !== 'HOUR') : []
}

/** What a group's key holds. Only `HOUR` keeps the time of a DateTime: its offset is that of the zone. */
export function keyType(type: StoredType, part: TimePart | null): StoredType {
  if (part === null) return type
  return { kind: 'scalar', name: part === 'HOUR' ? 'DateTime' : 'Date' }
}

/** Whether rows can be grouped by the field. */
export function isGroupable(field: Field): field is StoredField {
  return isSortable(field)
}

/** Whether groups can be measured by the field. Of references, only how many are different. */
export function takesMeasure(measure: FieldMeasure, field: Field): boolean {
  if (field.kind === 'reference' || field.kind === 'inverse') return measure === 'countDistinct'
  if (!isGroupable(field)) return false
  if (measure === 'countDistinct') return true
  if (measure === 'sum' || measure === 'avg') return isNumber(field.type)
  return hasExtremes(field.type)
}

/** Whether `distinct` takes the field: rows with equal values, or with equal references, are one. */
export function isDistinctField(field: Field): boolean {
  return takesMeasure('countDistinct', field)
}

/** The fields of the type that `distinct` takes. Types of the server itself have none. */
export function distinctFields(of: Resource | Abstract): Field[] {
  return hasAggregates(of) ? [...of.fields.values()].filter(isDistinctField) : []
}

/** Numbers, dates, times and texts have a first and a last value that mean something. */
function hasExtremes(type: StoredType): boolean {
  if (type.kind !== 'scalar') return false
  return scalarOf(type.name).range !== null || type.name === 'String'
}

/** The fields of the type that the measure takes. */
export function measuredFields(measure: FieldMeasure, of: Resource | Abstract): Field[] {
  return [...of.fields.values()].filter((field) => takesMeasure(measure, field))
}

const int: StoredType = { kind: 'scalar', name: 'Int' }
const float: StoredType = { kind: 'scalar', name: 'Float' }
const bigInt: StoredType = { kind: 'scalar', name: 'BigInt' }
const decimal: StoredType = { kind: 'scalar', name: 'Decimal' }

/** The type of the result. The sum of many Ints is no Int; a sum and an average of exact numbers are exact. */
export function measureType(measure: MeasureName, type: StoredType): StoredType {
  switch (measure) {
    case 'count':
    case 'countDistinct':
      return int
    case 'sum':
      if (isOf(type, 'Int') || isOf(type, 'BigInt')) return bigInt
      return isOf(type, 'Float') ? float : decimal
    case 'avg':
      return isOf(type, 'Float') ? float : decimal
    case 'min':
    case 'max':
      return type
  }
}

function isOf(type: StoredType, name: string): boolean {
  return type.kind === 'scalar' && type.name === name
}

/** The fields by which the rows of a type can be grouped: its own, and the references to rows that can. */
export function groupFields(of: Resource | Abstract): Field[] {
  return [...of.fields.values()].filter((field) => isGroupable(field) || leadsToGroups(field))
}

function leadsToGroups(field: Field): boolean {
  return (field.kind === 'reference' || field.kind === 'inverse') && hasGroups(field.to)
}

/** Whether rows of the type can be grouped. A union has no fields; types of the server itself have no aggregates. */
export function hasGroups(of: Resource | Abstract): boolean {
  return hasAggregates(of) && [...of.fields.values()].some(isGroupable)
}

/** Whether the lists of the type have aggregates beside them. */
export function hasAggregates(of: Resource | Abstract): boolean {
  return of.kind === 'abstract' ? of.members.every(hasAggregates) : of.system === undefined
}

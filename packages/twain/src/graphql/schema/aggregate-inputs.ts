// The inputs of aggregates: what rows are grouped by, which groups, and their order.

import {
  type Abstract,
  type FieldMeasure,
  type Model,
  measureOperators,
  measureType,
  type Resource,
  type StoredField,
  type StoredType,
  timeParts,
  timePartsOf,
  wholeValue,
} from '#model'
import { aggregateTypes, comparedScalars, comparisonType, groupByTypes, withAliases } from '#model/names'
import { isSearchable, maxGroupKeys, type Visibility } from '#plan/build'
import { aggregated, hasVisibleGroups, visibleKeys, visibleMeasured } from './aggregate-types.ts'
import { block, deprecation, described, searchArgument, sharedDeprecation } from './sdl.ts'

type Collection = Resource | Abstract

export function aggregateInputTypes(model: Model, visibility: Visibility): string[] {
  const grouped = aggregated(model).filter((of) => hasVisibleGroups(of, visibility))
  if (grouped.length === 0) return []
  const scalars = new Set(grouped.flatMap((of) => comparedIn(of, visibility)))
  return [
    ...grouped.flatMap((of) => [byType(of, visibility), ...havingTypes(of, visibility), ...orderTypes(of, visibility)]),
    ...comparedScalars.filter((name) => scalars.has(name)).map(comparison),
    ...partTypes,
  ]
}

/** The arguments of `ordersAggregate`. */
export function aggregateArguments(of: Collection, style: 'described' | 'plain', visibility: Visibility): string {
  return `(${whichRows(of, style, visibility).join('\n')})`
}

/** The arguments of `ordersGroupBy`. */
export function groupArguments(of: Collection, style: 'described' | 'plain', visibility: Visibility): string {
  const names = aggregateTypes(of)
  const text = (description: string, line: string) => (style === 'described' ? described(description, line) : line)
  const lines = [
    text(`What the rows of a group have in common: at most ${maxGroupKeys} keys.`, `by: [${names.by}!]!`),
    text('The time zone of the parts of times; default: UTC.', 'timeZone: String'),
    ...whichRows(of, style, visibility),
    text('Which groups; default: all.', `having: ${names.having}`),
    text('The order of the groups; the keys follow it.', `orderBy: [${names.order}!]`),
    text('How many groups to skip.', 'offset: Int! = 0'),
    text('The maximum number of groups, at most 1000.', 'limit: Int! = 20'),
  ]
  return `(${lines.join('\n')})`
}

function whichRows(of: Collection, style: 'described' | 'plain', visibility: Visibility): string[] {
  const where = `where: ${of.name}Where`
  const [searchText, search] = searchArgument(of, visibility)
  const isSearched = isSearchable(of, visibility)
  if (style === 'plain') return isSearched ? [where, search] : [where]
  return [described('Which rows; default: all.', where), ...(isSearched ? [described(searchText, search)] : [])]
}

function byType(of: Collection, visibility: Visibility): string {
  const lines = withAliases(visibleKeys(of, visibility)).map((field) => {
    const type = field.kind === 'stored' ? partType(field.type) : aggregateTypes(field.to).by
    return `${field.name}: ${type}${deprecation(field.deprecated)}`
  })
  return described(
    `One key of groups of ${of.path}: a field of the row, or of a row that it refers to.`,
    block(`input ${aggregateTypes(of).by} @oneOf`, lines),
  )
}

function partType(type: StoredType): string {
  const parts = timePartsOf(type)
  if (parts.length === 0) return groupByTypes.value
  return parts.length === timeParts.length ? groupByTypes.time : groupByTypes.date
}

const whole = described('The value itself.', wholeValue)
const partWords = {
  HOUR: 'an hour',
  DAY: 'a day',
  WEEK: 'a week, from Monday on',
  MONTH: 'a month',
  QUARTER: 'a quarter',
  YEAR: 'a year',
}

const partTypes = [
  described('A key is the value itself.', block(`enum ${groupByTypes.value}`, [whole])),
  described(
    'A key is the time itself, or the part of time that it is in.',
    block(`enum ${groupByTypes.time}`, [
      whole,
      ...timeParts.map((part) => described(`The beginning of ${partWords[part]}.`, part)),
    ]),
  ),
  described(
    'A key is the date itself, or the first day of a part of time.',
    block(`enum ${groupByTypes.date}`, [
      whole,
      ...timeParts
        .filter((part) => part !== 'HOUR')
        .map((part) => described(`The first day of ${partWords[part]}.`, part)),
    ]),
  ),
]

function comparison(scalar: string): string {
  const lines = measureOperators.map((operator) => described(operatorWords[operator], `${operator}: ${scalar}`))
  return described(
    `Conditions on a measure of type ${scalar}. All must hold.`,
    block(`input ${comparisonType(scalar)}`, [
      ...lines,
      described('Between two values, both included: [least, greatest].', `between: [${scalar}!]`),
      described('Whether there is no value.', 'isNull: Boolean'),
    ]),
  )
}

const operatorWords = {
  eq: 'Equal.',
  ne: 'Not equal.',
  lt: 'Less.',
  lte: 'Less or equal.',
  gt: 'Greater.',
  gte: 'Greater or equal.',
} as const

/** The scalars that `having` of this type compares. */
function comparedIn(of: Collection, visibility: Visibility): string[] {
  const measures: FieldMeasure[] = ['sum', 'avg', 'min']
  const types = measures.flatMap((measure) =>
    visibleMeasured(measure, of, visibility).map((field) => comparedScalar(measure, field as StoredField)),
  )
  return ['Int', ...types]
}

function comparedScalar(measure: FieldMeasure, field: StoredField): string {
  const type = measureType(measure, field.type)
  return type.kind === 'scalar' ? type.name : 'String'
}

function havingTypes(of: Collection, visibility: Visibility): string[] {
  const names = aggregateTypes(of)
  const parts: [FieldMeasure[], string, string][] = [
    [['sum'], names.havingSum, 'sums'],
    [['avg'], names.havingAvg, 'averages'],
    [['min', 'max'], names.havingExtremes, 'first or last values'],
    [['countDistinct'], names.havingDistinct, 'numbers of different values'],
  ]
  const present = parts.filter(([[measure]]) => visibleMeasured(measure!, of, visibility).length > 0)
  const ofFields = (measure: FieldMeasure) => sharedDeprecation(visibleMeasured(measure, of, visibility))
  const members = present.flatMap(([measures, type]) =>
    measures.map((measure) => `${measure}: ${type}${ofFields(measure)}`),
  )
  return [
    described(
      `Which groups of ${of.path}. All conditions must hold.`,
      block(`input ${names.having}`, [`count: ${comparisonType('Int')}`, ...members]),
    ),
    ...present.map(([[measure], type, words]) => {
      const fields = withAliases(visibleMeasured(measure!, of, visibility))
      const lines = fields.map((field) => {
        const scalar = measure === 'countDistinct' ? 'Int' : comparedScalar(measure!, field as StoredField)
        return `${field.name}: ${comparisonType(scalar)}${deprecation(field.deprecated)}`
      })
      return described(`Conditions on ${words} of ${of.path}.`, block(`input ${type}`, lines))
    }),
  ]
}

function orderTypes(of: Collection, visibility: Visibility): string[] {
  const names = aggregateTypes(of)
  const measures: FieldMeasure[] = ['countDistinct', 'sum', 'avg', 'min', 'max']
  const present = measures.filter((measure) => visibleMeasured(measure, of, visibility).length > 0)
  const fields = withAliases(visibleMeasured('countDistinct', of, visibility))
  return [
    described(
      `One sort key of groups of ${of.path}. Groups without a value come last in both directions.`,
      block(`input ${names.order} @oneOf`, [
        described('A key of the groups.', `key: ${of.name}Order`),
        'count: Direction',
        ...present.map((measure) => {
          const end = sharedDeprecation(visibleMeasured(measure, of, visibility))
          return `${measure}: ${names.measureOrder}${end}`
        }),
      ]),
    ),
    ...(fields.length === 0
      ? []
      : [
          described(
            `The field of ${of.path} whose measure is sorted by.`,
            block(
              `input ${names.measureOrder} @oneOf`,
              fields.map((field) => `${field.name}: Direction${deprecation(field.deprecated)}`),
            ),
          ),
        ]),
  ]
}

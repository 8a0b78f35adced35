// The names that aggregates bring: of the fields beside a list, and of their types.

import {
  distinctFields,
  type FieldMeasure,
  groupFields,
  hasAggregates,
  hasGroups,
  measuredFields,
} from '../measures.ts'
import type { Abstract, Resource } from '../model.ts'

/** `ordersAggregate` and `ordersGroupBy`, beside the list `orders`. */
export function aggregateFields(list: string): { one: string; groups: string } {
  return { one: `${list}Aggregate`, groups: `${list}GroupBy` }
}

/** The types for the aggregates of a type. Not each type has all of them: without a number there is no sum. */
export function aggregateTypes({ name }: { name: string }) {
  return {
    aggregate: `${name}Aggregate`,
    group: `${name}Group`,
    key: `${name}GroupKey`,
    sum: `${name}AggregateSum`,
    avg: `${name}AggregateAvg`,
    extremes: `${name}AggregateMinMax`,
    distinct: `${name}AggregateDistinct`,
    by: `${name}GroupBy`,
    having: `${name}Having`,
    havingSum: `${name}HavingSum`,
    havingAvg: `${name}HavingAvg`,
    havingExtremes: `${name}HavingMinMax`,
    havingDistinct: `${name}HavingDistinct`,
    order: `${name}GroupedOrder`,
    measureOrder: `${name}MeasureOrder`,
  }
}

/** The enum of the fields that `distinct` takes. */
export function distinctType({ name }: { name: string }): string {
  return `${name}DistinctField`
}

/** The type of the object with a measure of each field. */
export function measureTypeOf(measure: FieldMeasure, of: { name: string }): string {
  const { sum, avg, extremes, distinct } = aggregateTypes(of)
  return { sum, avg, min: extremes, max: extremes, countDistinct: distinct }[measure]
}

/** The types that all of them share: what a key is grouped by, and how a measure is compared. */
export const groupByTypes = { value: 'GroupByValue', time: 'GroupByTime', date: 'GroupByDate' }

export function comparisonType(scalar: string): string {
  return `${scalar}Comparison`
}

/** The types of measures that can be compared. */
export const comparedScalars = ['Int', 'Float', 'BigInt', 'Decimal', 'String', 'DateTime', 'Date', 'Time'] as const

/** The names of the types that this type has. */
export function aggregateTypeNames(of: Resource | Abstract): string[] {
  if (!hasAggregates(of)) return []
  const names = aggregateTypes(of)
  const has = {
    numbers: measuredFields('sum', of).length > 0,
    extremes: measuredFields('min', of).length > 0,
    distinct: measuredFields('countDistinct', of).length > 0,
    groups: hasGroups(of) && groupFields(of).length > 0,
  }
  return [
    ...(distinctFields(of).length > 0 ? [distinctType(of)] : []),
    names.aggregate,
    ...(has.numbers ? [names.sum, names.avg] : []),
    ...(has.extremes ? [names.extremes] : []),
    ...(has.distinct ? [names.distinct] : []),
    ...(has.groups ? [names.group, names.key, names.by, names.having, names.order] : []),
    ...(has.groups && has.numbers ? [names.havingSum, names.havingAvg] : []),
    ...(has.groups && has.extremes ? [names.havingExtremes] : []),
    ...(has.groups && has.distinct ? [names.havingDistinct, names.measureOrder] : []),
  ]
}

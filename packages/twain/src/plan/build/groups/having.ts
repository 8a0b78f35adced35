// Conditions on the measures of a group: `{count: {gte: 5}}`, `_count[gte]=5` → GroupCondition.

import { didYouMean } from '#base'
import { isMeasureOperator, measureOperators, measureType, type StoredType } from '#model'
import type { GroupCondition, Measure } from '../../plan.ts'
import type { PlanBuilder } from '../plan-builder.ts'
import { currentValue, deriveValue } from '../request-value.ts'

const maxConditions = 50

/** The type that the values of a measure are compared as. */
function comparedMeasureType(measure: Measure): StoredType {
  if (measure.kind === 'count') return measureType('count', integer)
  return measureType(measure.kind, measure.target.field.type)
}

const integer: StoredType = { kind: 'scalar', name: 'Int' }

/** `leaf` is a constant or a RequestValue. */
export function planGroupCondition(
  measure: Measure,
  operator: string,
  leaf: unknown,
  builder: PlanBuilder,
  place: string,
): GroupCondition[] {
  const type = comparedMeasureType(measure)
  if (operator === 'isNull') return planNull(measure, leaf, builder, place)
  if (operator !== 'between' && !isMeasureOperator(operator)) {
    const known = [...measureOperators, 'between', 'isNull']
    const near = didYouMean(operator, known)
    builder.problem(
      place,
      'UNKNOWN',
      `"${operator}" is not an operator of groups; there are ${known.join(', ')}.${near}`,
    )
    return []
  }
  if (currentValue(leaf) === null) {
    builder.problem(place, 'TYPE', 'must not be null; {"isNull": true} finds groups without a value.')
    return []
  }
  if (operator === 'between') return planRange(measure, type, leaf, builder, place)
  const parameter = builder.parameter({ kind: 'type', type }, leaf, place)
  return [{ kind: 'compare', measure, op: operator, parameter }]
}

function planNull(measure: Measure, leaf: unknown, builder: PlanBuilder, place: string): GroupCondition[] {
  const is = currentValue(leaf)
  if (typeof is === 'boolean') return [{ kind: 'null', measure, is }]
  builder.problem(place, 'TYPE', 'must be true or false.')
  return []
}

/** `between` is two conditions, as in filters. */
function planRange(
  measure: Measure,
  type: StoredType,
  leaf: unknown,
  builder: PlanBuilder,
  place: string,
): GroupCondition[] {
  const bounds = [
    ['gte', 'least'],
    ['lte', 'greatest'],
  ] as const
  return bounds.map(([op, is], index) => {
    const bound = deriveValue(leaf, (pair) => (Array.isArray(pair) && pair.length === 2 ? pair[index] : undefined))
    return { kind: 'compare', measure, op, parameter: builder.parameter({ kind: 'bound', type, is }, bound, place) }
  })
}

export function limitGroupConditions(having: readonly GroupCondition[], builder: PlanBuilder, place: string): void {
  if (having.length > maxConditions)
    builder.problem(place, 'RANGE', `has ${having.length} conditions; at most ${maxConditions} are allowed.`)
}

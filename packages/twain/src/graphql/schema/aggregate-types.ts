// The types of aggregates (docs/reference/graphql.md#aggregates): what one group has, and the keys of several. Fields that are always
// hidden from the viewer are left out, as in filters.

import {
  type Abstract,
  type Field,
  type FieldMeasure,
  fieldMeasures,
  groupFields,
  hasAggregates,
  hasGroups,
  isGroupable,
  type Model,
  measuredFields,
  measureType,
  type Resource,
  type StoredField,
} from '#model'
import { aggregateTypes, measureTypeOf, withAliases } from '#model/names'
import { isHidden, type Visibility } from '#plan/build'
import { block, deprecation, described, outputType, sharedDeprecation } from './sdl.ts'

type Collection = Resource | Abstract

/** The resources, views and abstracts of the schema file that have aggregates. */
export function aggregated(model: Model): Collection[] {
  return [...model.resources, ...model.views, ...model.abstracts].filter(hasAggregates)
}

export function aggregateObjectTypes(model: Model, visibility: Visibility): string[] {
  return aggregated(model).flatMap((of) => [
    ...measureTypes(of, visibility),
    described(
      `All ${of.path} that match, in one.`,
      block(`type ${aggregateTypes(of).aggregate}`, measureLines(of, visibility)),
    ),
    ...(hasVisibleGroups(of, visibility) ? groupTypes(of, visibility) : []),
  ])
}

/** Whether the viewer can group rows of this type. */
export function hasVisibleGroups(of: Collection, visibility: Visibility): boolean {
  if (!hasGroups(of)) return false
  return [...of.fields.values()].some((field) => isGroupable(field) && !isHidden(field, of, visibility))
}

/** The fields that the measure takes and the viewer can read. */
export function visibleMeasured(measure: FieldMeasure, of: Collection, visibility: Visibility): Field[] {
  return measuredFields(measure, of).filter((field) => !isHidden(field, of, visibility))
}

/** The fields that rows are grouped by, and the references to rows with such fields. */
export function visibleKeys(of: Collection, visibility: Visibility): Field[] {
  return groupFields(of)
    .filter((field) => !isHidden(field, of, visibility))
    .filter((field) => field.kind === 'stored' || hasVisibleGroups(field.to, visibility))
}

function measureLines(of: Collection, visibility: Visibility): string[] {
  const measures = Object.entries(fieldMeasures) as [FieldMeasure, string][]
  return [
    described('The number of rows.', 'count: Int!'),
    ...measures.flatMap(([measure, description]) => {
      const fields = visibleMeasured(measure, of, visibility)
      if (fields.length === 0) return []
      return [described(description, `${measure}: ${measureTypeOf(measure, of)}!${sharedDeprecation(fields)}`)]
    }),
  ]
}

function measureTypes(of: Collection, visibility: Visibility): string[] {
  const types: [FieldMeasure, string][] = [
    ['sum', 'Sums'],
    ['avg', 'Averages'],
    ['min', 'First or last values'],
    ['countDistinct', 'Numbers of different values'],
  ]
  return types.flatMap(([measure, words]) => {
    const fields = withAliases(visibleMeasured(measure, of, visibility))
    if (fields.length === 0) return []
    const lines = fields.map((field) => `${field.name}: ${resultType(measure, field)}${deprecation(field.deprecated)}`)
    return [described(`${words} of fields of ${of.path}.`, block(`type ${measureTypeOf(measure, of)}`, lines))]
  })
}

function resultType(measure: FieldMeasure, field: Field): string {
  if (measure === 'countDistinct') return 'Int!'
  return outputType(measureType(measure, (field as StoredField).type))
}

function groupTypes(of: Collection, visibility: Visibility): string[] {
  const names = aggregateTypes(of)
  const keys = withAliases(visibleKeys(of, visibility)).map((field) => {
    if (field.kind !== 'stored')
      return `${field.name}: ${aggregateTypes(field.to).key}!${deprecation(field.deprecated)}`
    const line = `${field.name}: ${keyType(field)}${deprecation(field.deprecated)}`
    return isTime(field) ? described(timeKeyText, line) : line
  })
  return [
    described(
      `A group of ${of.path}.`,
      block(`type ${names.group}`, [
        described('What the rows of the group have in common.', `key: ${names.key}!`),
        ...measureLines(of, visibility),
      ]),
    ),
    described(
      `What a group of ${of.path} has in common. Only what \`by\` names can be selected.`,
      block(`type ${names.key}`, keys),
    ),
  ]
}

const timeKeyText =
  'By `DAY` and longer parts a date, by `HOUR` a time with the offset of the zone, else the time itself.'

/** The key of a DateTime is a date or a time, and GraphQL has no type for both. */
function keyType(field: StoredField): string {
  return isTime(field) ? 'String' : outputType(field.type)
}

function isTime({ type }: StoredField): boolean {
  return type.kind === 'scalar' && type.name === 'DateTime'
}

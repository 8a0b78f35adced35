// The types of aggregates for `twain types`: the measures of a type, the keys of its groups, and what a request groups by. They have
// the names of the types of GraphQL, so that no type of the schema can have them.

import {
  type Abstract,
  distinctFields,
  type FieldMeasure,
  fieldMeasureNames,
  groupFields,
  hasAggregates,
  hasGroups,
  measuredFields,
  measureType,
  type Resource,
  type StoredField,
  timePartsOf,
  wholeValue,
} from '#model'
import { aggregateTypes } from '#model/names'
import { quoted, shape, typeText } from './type-text.ts'

export function aggregateTypesOf(of: Resource): string[] {
  if (!hasAggregates(of)) return []
  return [shape(aggregateTypes(of).aggregate, ['count: number', ...measureMembers(of)]), ...groupKeyTypes(of)]
}

/** `sum: { total: string | null }`. */
function measureMembers(of: Resource): string[] {
  return fieldMeasureNames.flatMap((measure) => {
    const fields = measuredFields(measure, of).map(
      (field) => `${field.name}: ${measuredText(measure, field as StoredField)}`,
    )
    return fields.length === 0 ? [] : [`${measure}: { ${fields.join('; ')} }`]
  })
}

function measuredText(measure: FieldMeasure, { type }: StoredField): string {
  return measure === 'countDistinct' ? 'number' : `${typeText(measureType(measure, type), 'input')} | null`
}

/** What the keys of groups hold, and what rows are grouped by. A reference leads to the keys of its type. */
export function groupKeyTypes(of: Resource | Abstract): string[] {
  if (!hasGroups(of)) return []
  const names = aggregateTypes(of)
  const fields = groupFields(of)
  const keys = fields.map((field) =>
    field.kind === 'stored'
      ? `${field.name}: ${typeText(field.type, 'input')} | null`
      : `${field.name}: ${aggregateTypes(field.to).key}`,
  )
  const by = fields.map((field) =>
    field.kind === 'stored'
      ? `{ ${field.name}: ${[wholeValue, ...timePartsOf(field.type)].map(quoted).join(' | ')} }`
      : `{ ${field.name}: ${aggregateTypes(field.to).by} }`,
  )
  return [shape(names.key, keys), `export type ${names.by} =${by.map((one) => `\n  | ${one}`).join('')}`]
}

/** The type argument of `RowReader` with the aggregates of a type. */
export function groupTypesText(of: Resource): string {
  const { aggregate, key, by } = aggregateTypes(of)
  return hasGroups(of)
    ? `{ measures: ${aggregate}; key: ${key}; by: ${by} }`
    : `{ measures: ${aggregate}; key: object; by: never }`
}

/** The fields that `distinct` takes. */
export function distinctText(of: Resource): string {
  return (
    distinctFields(of)
      .map(({ name }) => quoted(name))
      .join(' | ') || 'never'
  )
}

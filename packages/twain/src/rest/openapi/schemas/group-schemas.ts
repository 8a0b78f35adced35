// Groups of rows, the answer to `groupBy` (docs/reference/rest.md#aggregates). A group has those of these keys and measures that `fields`
// names.

import {
  type Abstract,
  type Field,
  type FieldMeasure,
  fieldMeasureNames,
  fieldMeasures,
  groupFields,
  hasAggregates,
  hasGroups,
  isReadRestricted,
  measuredFields,
  measureType,
  type Resource,
  type StoredField,
  timePartsOf,
} from '#model'
import { withAliases } from '#model/names'
import { type NamedSchema, nullable, type OpenapiObject, schemaRef } from '../json-parts.ts'
import { storedSchema } from './stored-schema.ts'

type Collection = Resource | Abstract

export function groupSchemas(collections: readonly Collection[]): NamedSchema[] {
  return collections
    .filter(hasAggregates)
    .flatMap((of): NamedSchema[] => [
      [groupName(of), groupSchema(of)],
      ...(measuredFields('min', of).length > 0
        ? [
            [
              extremesName(of),
              measuresSchema('min', of, `First or last values of fields of ${of.path}.`),
            ] satisfies NamedSchema,
          ]
        : []),
      ...(hasGroups(of) ? [[keyName(of), keySchema(of)] satisfies NamedSchema] : []),
    ])
}

/** What `groupBy` answers with: the groups, or the one group of all rows. In XML `<postGroups>` with `<postGroup>`, or
 *  `<postAggregate>`. */
export function groupResults(of: Collection): OpenapiObject[] {
  const { single } = of
  const one = { ...schemaRef(groupName(of)), xml: { name: `${single}Aggregate` } }
  if (!hasGroups(of)) return [one]
  const groups = {
    type: 'array',
    description: 'With `groupBy`: the groups.',
    items: { ...schemaRef(groupName(of)), xml: { name: `${single}Group` } },
    xml: { name: `${single}Groups`, wrapped: true },
  }
  return [groups, one]
}

export function groupName({ name }: Collection): string {
  return `${name}.group`
}

function keyName({ name }: Collection): string {
  return `${name}.groupKey`
}

function extremesName({ name }: Collection): string {
  return `${name}.groupExtremes`
}

function groupSchema(of: Collection): OpenapiObject {
  const measures = fieldMeasureNames
    .filter((measure) => measuredFields(measure, of).length > 0)
    .map((measure) => [measure, { ...measureSchema(measure, of), description: fieldMeasures[measure] }] as const)
  return closed(`A group of ${of.path}, with the keys and measures that \`fields\` names.`, {
    key: hasGroups(of) ? schemaRef(keyName(of)) : undefined,
    count: number,
    ...Object.fromEntries(measures),
  })
}

const number: OpenapiObject = { type: 'integer', minimum: 0 }

/** A last value has the type of a first. How many values are different is a number, of whichever field. */
function measureSchema(measure: FieldMeasure, of: Collection): OpenapiObject {
  if (measure === 'countDistinct') return { type: 'object', additionalProperties: number }
  return measure === 'min' || measure === 'max' ? schemaRef(extremesName(of)) : measuresSchema(measure, of)
}

function measuresSchema(measure: FieldMeasure, of: Collection, description?: string): OpenapiObject {
  const fields = withAliases(measuredFields(measure, of) as StoredField[]).map((field) => {
    const schema = nullable(storedSchema(measureType(measure, field.type), 'read'))
    return [field.name, { ...schema, ...marksOf(field) }] as const
  })
  return closed(description, Object.fromEntries(fields))
}

function keySchema(of: Collection): OpenapiObject {
  const keys = withAliases(groupFields(of)).map(
    (field) => [field.name, { ...keyOf(field), ...marksOf(field) }] as const,
  )
  return closed(`What the rows of a group of ${of.path} have in common.`, Object.fromEntries(keys))
}

function keyOf(field: Field): OpenapiObject {
  if (field.kind !== 'stored') return schemaRef(keyName(field.to))
  return timePartsOf(field.type).length === 0 ? nullable(storedSchema(field.type, 'read')) : time
}

const time: OpenapiObject = {
  type: ['string', 'null'],
  description: 'The time itself; by `hour` a time with the offset of the zone, by longer parts the first day.',
}

function marksOf(field: Field): OpenapiObject {
  return {
    deprecated: field.deprecated === null ? undefined : true,
    'x-ruled': isReadRestricted(field) ? true : undefined,
  }
}

function closed(description: string | undefined, properties: OpenapiObject): OpenapiObject {
  return { type: 'object', description, properties, additionalProperties: false }
}

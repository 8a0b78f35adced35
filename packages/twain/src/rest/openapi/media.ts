// The content of bodies and responses by media type (docs/reference/rest.md, R50–R57). An XML element has the name of its member,
// unless `xml` has another; a list is wrapped in an element.

import type { Abstract, Resource } from '#model'
import { type OpenapiObject, schemaRef } from './json-parts.ts'
import { groupName } from './schemas/group-schemas.ts'
import { rowResult } from './schemas/row-schemas.ts'

export function jsonContent(schema: OpenapiObject, examples?: OpenapiObject): OpenapiObject {
  return { 'application/json': { schema, examples } }
}

/** The same schema for each type. Examples are JSON, so that only JSON types show them. */
export function contentOf(types: readonly string[], schema: OpenapiObject, examples?: OpenapiObject): OpenapiObject {
  return Object.fromEntries(
    types.map((type) => [type, { schema, examples: type.endsWith('json') ? examples : undefined }]),
  )
}

/** The media types of responses with rows. */
export const rowTypes = ['application/json', 'application/xml', 'text/xml'] as const

/** One row in a response: `<post>` in XML. */
export function rowContent(of: Resource | Abstract): OpenapiObject {
  return { ...rowResult(of), xml: { name: of.single } }
}

/** An array; in XML `<posts>` with `<post>` elements. */
export function rowList(of: Resource | Abstract, row: OpenapiObject, bounds: OpenapiObject = {}): OpenapiObject {
  return {
    type: 'array',
    items: { ...row, xml: { name: of.single } },
    ...bounds,
    xml: { name: of.list, wrapped: true },
  }
}

/** A body of a create with a record for each row (R69). */
export function recordContent(row: OpenapiObject): OpenapiObject {
  return {
    'application/x-ndjson': {
      schema: { type: 'string', description: 'A row on each line, as a JSON object.', 'x-itemSchema': row },
    },
    'text/csv': {
      schema: {
        type: 'string',
        description:
          'Rows in CSV (RFC 4180). The first line has the names of the fields; members of objects have dots (`address.city`). References are ids, lists and JSON values are JSON text. An empty cell is null, or a field that the row leaves out if it can not be null; `""` is an empty text.',
        'x-itemSchema': row,
      },
    },
  }
}

/** The results of a lenient create. */
export const resultLines: OpenapiObject = { 'application/x-ndjson': { schema: schemaRef('twain.resultLines') } }

/** A stream of all rows of a collection. `x-itemSchema` is `itemSchema` of OpenAPI 3.2. */
export function streamContent(of: Resource | Abstract, isGrouped: boolean): OpenapiObject {
  const row = rowResult(of)
  const group = isGrouped ? schemaRef(groupName(of)) : null
  const orGroups = isGrouped ? ' With `groupBy`: all groups.' : ''
  return {
    'application/x-ndjson': {
      schema: {
        type: 'string',
        description: `All matching rows, one JSON object on each line.${orGroups}`,
        'x-itemSchema': group === null ? row : { anyOf: [row, group] },
      },
    },
    'text/csv': {
      schema: {
        type: 'string',
        description: `All matching rows (RFC 4180). The first line has the names; members of objects have dots (\`address.city\`). Lists and JSON values are JSON text in their cell, null is an empty cell.${orGroups}${isGrouped ? ' Their columns have the names of `fields`: `author.name`, `_sum.words`.' : ''}`,
      },
    },
  }
}

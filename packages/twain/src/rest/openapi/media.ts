// What bodies and answers are written in: content by media type (docs/reference/rest.md, R50–R57). In XML an element has the name of
// its member, unless `xml` says another; a list stands in an element of its own.

import type { Abstract, Resource } from '#model'
import type { OpenapiObject } from './json-parts.ts'
import { rowResult } from './schemas/row-schemas.ts'

export function jsonContent(schema: OpenapiObject, examples?: OpenapiObject): OpenapiObject {
  return { 'application/json': { schema, examples } }
}

/** Each type alike. Examples are plain data, so that only JSON shows them. */
export function contentOf(types: readonly string[], schema: OpenapiObject, examples?: OpenapiObject): OpenapiObject {
  return Object.fromEntries(
    types.map((type) => [type, { schema, examples: type.endsWith('json') ? examples : undefined }]),
  )
}

/** What answers with rows are sent as. */
export const rowTypes = ['application/json', 'application/xml', 'text/xml'] as const

/** One row as an answer: `<post>`. */
export function rowContent(of: Resource | Abstract): OpenapiObject {
  return { ...rowResult(of), xml: { name: of.single } }
}

/** An array, in XML `<posts>` around several `<post>`. */
export function rowList(of: Resource | Abstract, row: OpenapiObject, bounds: OpenapiObject = {}): OpenapiObject {
  return {
    type: 'array',
    items: { ...row, xml: { name: of.single } },
    ...bounds,
    xml: { name: of.list, wrapped: true },
  }
}

/** All rows of a collection, one after another. `x-itemSchema` is what OpenAPI 3.2 calls `itemSchema`. */
export function streamContent(of: Resource | Abstract): OpenapiObject {
  return {
    'application/x-ndjson': {
      schema: {
        type: 'string',
        description: 'All rows that match, one a line, as they are in the JSON array.',
        'x-itemSchema': rowResult(of),
      },
    },
    'text/csv': {
      schema: {
        type: 'string',
        description:
          'All rows that match (RFC 4180), the first line the names: what is inside of something has dots (`address.city`), lists and JSON stand in their cell as JSON, null is an empty cell.',
      },
    },
  }
}

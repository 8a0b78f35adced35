// What bodies and answers are written in: content by media type (docs/reference/rest.md, R50–R57). In XML an element has the name of
// its member, unless `xml` says another; a list stands in an element of its own.

import type { Abstract, Resource } from '#model'
import type { Parts } from './json-parts.ts'
import { answeredRow } from './schemas/row-schemas.ts'

export function jsonContent(schema: Parts, examples?: Parts): Parts {
  return { 'application/json': { schema, examples } }
}

/** Each type alike. Examples are plain data, so that only JSON shows them. */
export function contentOf(types: readonly string[], schema: Parts, examples?: Parts): Parts {
  return Object.fromEntries(
    types.map((type) => [type, { schema, examples: type.endsWith('json') ? examples : undefined }]),
  )
}

/** What answers with rows are sent as. */
export const rowTypes = ['application/json', 'application/xml', 'text/xml'] as const

/** One row as an answer: `<post>`. */
export function rowAnswer(of: Resource | Abstract): Parts {
  return { ...answeredRow(of), xml: { name: of.single } }
}

/** An array, in XML `<posts>` around several `<post>`. */
export function rowList(of: Resource | Abstract, row: Parts, bounds: Parts = {}): Parts {
  return {
    type: 'array',
    items: { ...row, xml: { name: of.single } },
    ...bounds,
    xml: { name: of.list, wrapped: true },
  }
}

/** All rows of a collection, one after another. `x-itemSchema` is what OpenAPI 3.2 calls `itemSchema`. */
export function streamContent(of: Resource | Abstract): Parts {
  return {
    'application/x-ndjson': {
      schema: {
        type: 'string',
        description: 'All rows that match, one a line, as they are in the JSON array.',
        'x-itemSchema': answeredRow(of),
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

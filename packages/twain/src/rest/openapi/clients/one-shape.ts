// Schemas for generators of clients: one shape in the place of alternatives that only the request decides between, nothing about
// XML, and no extensions.

import { isRecord } from '#base'
import { type OpenapiObject, type OpenapiValue, schemaRef } from '../json-parts.ts'

/** The schema of a body or an answer. Of several shapes the first is that of the plain request: an array of rows and not a page by
 *  cursor, one row and not several. */
export function oneShape(schema: OpenapiObject): OpenapiObject {
  const [first] = (schema.oneOf ?? []) as readonly OpenapiObject[]
  return plainSchema(first ?? schema)
}

/** The schema without the representation by `fields`, without `xml` and extensions, at any depth. */
export function plainSchema(schema: OpenapiObject): OpenapiObject {
  const { xml: _, anyOf, ...keywords } = schema
  const kept = Object.entries(keywords).filter(([keyword]) => !keyword.startsWith('x-'))
  const plain = Object.fromEntries(kept.map(([keyword, value]) => [keyword, plainKeyword(keyword, value)]))
  if (anyOf === undefined) return plain
  const shapes = (anyOf as readonly OpenapiObject[]).filter((shape) => !isChoice(shape)).map(plainSchema)
  return shapes.length === 1 ? { ...shapes[0], ...plain } : { anyOf: shapes, ...plain }
}

/** Other keywords hold data, not schemas. */
function plainKeyword(keyword: string, value: OpenapiValue | undefined): OpenapiValue | undefined {
  if (value === undefined) return value
  switch (keyword) {
    case '$ref':
      return value === schemaRef('File').$ref ? schemaRef(clientName('File')).$ref : value
    case 'properties':
      return Object.fromEntries(
        Object.entries(value as OpenapiObject).map(([name, schema]) => [name, plainSchema(schema as OpenapiObject)]),
      )
    case 'oneOf':
    case 'allOf':
      return (value as readonly OpenapiObject[]).map(plainSchema)
    case 'items':
    case 'not':
    case 'additionalProperties':
      return isRecord(value) ? plainSchema(value as OpenapiObject) : value
    default:
      return value
  }
}

/** `File` is a type of JavaScript, which a generated type of that name would hide. */
export function clientName(schema: string): string {
  return schema === 'File' ? 'twain.file' : schema
}

/** A row with `fields`: `Post.choice`. */
function isChoice({ $ref }: OpenapiObject): boolean {
  return typeof $ref === 'string' && $ref.endsWith('.choice')
}

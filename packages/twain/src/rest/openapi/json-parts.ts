// Values of an OpenAPI document: plain JSON. Undefined members are left out of the text.

import { isRecord } from '#base'

export type OpenapiValue = null | boolean | number | string | readonly OpenapiValue[] | OpenapiObject

export type OpenapiObject = { readonly [key: string]: OpenapiValue | undefined }

/** `clients`: one shape for each request and answer, for generators of clients (decision 55). `full`: everything that the API has. */
export type OpenapiProfile = 'clients' | 'full'

/** A component of `#/components/schemas`. */
export type NamedSchema = [name: string, schema: OpenapiObject]

/** Refers to a component by its name. Generated names have a dot, which no name of a schema file can have. */
export function schemaRef(name: string): OpenapiObject {
  return { $ref: `#/components/schemas/${name}` }
}

export function responseRef(name: string): OpenapiObject {
  return { $ref: `#/components/responses/${name}` }
}

/** The security of operations that have none of their own. */
export const optionalToken: OpenapiValue = [{}, { bearer: [] }]

/** The same schema, with null. */
export function nullable(schema: OpenapiObject): OpenapiObject {
  const { type } = schema
  if (typeof type === 'string' && schema.enum === undefined) return { ...schema, type: [type, 'null'] }
  if (Array.isArray(schema.anyOf)) {
    const hasNull = schema.anyOf.some((one) => isRecord(one) && one.type === 'null')
    return hasNull ? schema : { ...schema, anyOf: [...schema.anyOf, { type: 'null' }] }
  }
  if (type === undefined && schema.$ref === undefined) return schema // any JSON, including null
  const { description, deprecated, default: fallback, ...rest } = schema
  return { anyOf: [rest, { type: 'null' }], description, deprecated, default: fallback }
}

/** A list; in XML an element with `<item>` elements. */
export function listOf(item: OpenapiObject): OpenapiObject {
  return { type: 'array', items: { ...item, xml: { name: 'item' } }, xml: { wrapped: true } }
}

/** Joins the paragraphs that are present; undefined if there are none. */
export function sentences(...parts: (string | null | undefined | false)[]): string | undefined {
  const present = parts.filter((part) => typeof part === 'string' && part !== '')
  return present.length === 0 ? undefined : present.join('\n\n')
}

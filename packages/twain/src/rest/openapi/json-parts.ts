// Pieces of an OpenAPI document: plain JSON. What is undefined is left out of the text.

export type OpenapiValue = null | boolean | number | string | readonly OpenapiValue[] | OpenapiObject

export type OpenapiObject = { readonly [key: string]: OpenapiValue | undefined }

/** A component of `#/components/schemas`. */
export type NamedSchema = [name: string, schema: OpenapiObject]

/** A component by its name. Names of our own have a dot, which no name of a schema file can have. */
export function schemaRef(name: string): OpenapiObject {
  return { $ref: `#/components/schemas/${name}` }
}

/** Null is allowed as well. */
export function nullable(schema: OpenapiObject): OpenapiObject {
  const { type } = schema
  if (typeof type === 'string' && schema.enum === undefined) return { ...schema, type: [type, 'null'] }
  if (type === undefined && schema.$ref === undefined) return schema // any JSON, null among it
  const { description, deprecated, default: fallback, ...rest } = schema
  return { anyOf: [rest, { type: 'null' }], description, deprecated, default: fallback }
}

/** A list; in XML an element that holds `<item>`s. */
export function listOf(item: OpenapiObject): OpenapiObject {
  return { type: 'array', items: { ...item, xml: { name: 'item' } }, xml: { wrapped: true } }
}

/** Sentences that are there, as one text; undefined when none is. */
export function sentences(...parts: (string | null | undefined | false)[]): string | undefined {
  const said = parts.filter((part) => typeof part === 'string' && part !== '')
  return said.length === 0 ? undefined : said.join('\n\n')
}

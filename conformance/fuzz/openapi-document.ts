// An OpenAPI document as the driver reads it: its operations, with resolved references.

export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  examples?: unknown[]
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  readOnly?: boolean
  discriminator?: { mapping: Record<string, string> }
  xml?: { name?: string }
  'x-references'?: string
  'x-itemSchema'?: Schema
  'x-immutable'?: boolean
  'x-viewer'?: boolean
}

export interface Parameter {
  name: string
  in: 'query' | 'path' | 'header'
  required?: boolean
  example?: unknown
  'x-ruled'?: boolean
  schema?: Schema
  content?: Record<string, { schema: Schema }>
}

/** The media type of arbitrary bytes. */
export const anyType = '*/*'

export interface Operation {
  id: string
  path: string
  method: string
  /** The type of its rows. */
  tag: string
  /** An operation that only redirects to its new path. */
  deprecated: boolean
  parameters: Parameter[]
  /** By media type. */
  bodies: Map<string, Schema>
  /** By status: the media types, each with the place of its schema in the document. */
  answers: Map<number, Map<string, string>>
}

interface Raw {
  paths: Record<string, Record<string, unknown>>
  components: Record<string, Record<string, unknown>>
}

interface RawOperation {
  operationId: string
  tags: string[]
  deprecated?: boolean
  parameters?: object[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { $ref?: string; content?: Record<string, unknown> }>
}

export class ApiDocument {
  readonly json: object
  readonly operations: Operation[]
  readonly #raw: Raw

  constructor(json: object) {
    this.json = json
    this.#raw = json as Raw
    this.operations = Object.entries(this.#raw.paths).flatMap(([path, { parameters: shared, ...methods }]) =>
      Object.entries(methods).map(([method, operation]) =>
        this.#operation(path, method, operation as RawOperation, (shared as object[] | undefined) ?? []),
      ),
    )
  }

  /** The schema of a reference, with the members beside the reference. */
  schema(schema: Schema): Schema {
    if (schema.$ref === undefined) return schema
    const { $ref, ...beside } = schema
    return { ...this.schema(this.at($ref) as Schema), ...beside }
  }

  #operation(path: string, method: string, raw: RawOperation, shared: object[]): Operation {
    const bodies = Object.entries(raw.requestBody?.content ?? {}).map(([type, { schema }]) => [type, schema] as const)
    const answers = Object.entries(raw.responses).map(([status, response]) => {
      const place = response.$ref ?? `#/paths/${escaped(path)}/${method}/responses/${status}`
      const { content = {} } = this.at(place) as { content?: Record<string, unknown> }
      const types = Object.keys(content).map((type) => [type, `${place}/content/${escaped(type)}/schema`] as const)
      return [Number(status), new Map(types)] as const
    })
    return {
      id: raw.operationId,
      path,
      method: method.toUpperCase(),
      tag: raw.tags[0]!,
      deprecated: raw.deprecated === true,
      parameters: [...shared, ...(raw.parameters ?? [])].map((one) => {
        return ('$ref' in one ? this.at(String(one.$ref)) : one) as Parameter
      }),
      bodies: new Map(bodies),
      answers: new Map(answers),
    }
  }

  /** The types that a reference may have: those of an interface or union are its members. */
  typesOf(name: string): string[] {
    const schema = this.#raw.components.schemas?.[name] as Schema | undefined
    return schema?.discriminator === undefined ? [name] : Object.keys(schema.discriminator.mapping)
  }

  /** The target of a reference. */
  at(reference: string): unknown {
    let part: unknown = this.#raw
    for (const step of reference.slice(2).split('/')) {
      part = (part as Record<string, unknown>)[step.replaceAll('~1', '/').replaceAll('~0', '~')]
    }
    return part
  }
}

function escaped(text: string): string {
  return text.replaceAll('~', '~0').replaceAll('/', '~1')
}

// The parts of the OpenAPI document that the page uses. document.ts generates it, so that its shape is known.

export interface DocumentView {
  info: { title: string; version: string; description: string }
  tags: { name: string; description: string }[]
  paths: Record<string, PathView>
  components: { schemas: Record<string, SchemaView> } & Record<string, Record<string, unknown>>
}

interface PathView {
  parameters?: ParameterView[]
  [method: string]: OperationView | ParameterView[] | undefined
}

export interface OperationView {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  deprecated?: boolean
  security?: Record<string, string[]>[]
  parameters?: ParameterView[]
  requestBody?: { content: Record<string, MediaView> }
  responses: Record<string, ResponseView>
}

export interface ParameterView {
  name: string
  in: string
  description?: string
  required?: boolean
  deprecated?: boolean
  example?: unknown
  schema?: SchemaView
  content?: Record<string, MediaView>
}

export interface MediaView {
  schema?: SchemaView
  example?: unknown
  examples?: Record<string, { value?: unknown }>
}

export interface ResponseView {
  description: string
  headers?: Record<string, unknown>
  content?: Record<string, MediaView>
}

export interface SchemaView {
  $ref?: string
  type?: string | string[]
  description?: string
  deprecated?: boolean
  format?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  items?: SchemaView
  properties?: Record<string, SchemaView>
  required?: string[]
  anyOf?: SchemaView[]
  oneOf?: SchemaView[]
  allOf?: SchemaView[]
  [keyword: string]: unknown
}

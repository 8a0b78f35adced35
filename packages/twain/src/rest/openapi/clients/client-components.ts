// The components of the document for generators of clients.

import { type OpenapiObject, schemaRef } from '../json-parts.ts'
import { response } from '../responses.ts'
import { failureName } from './client-paths.ts'
import { clientName, plainSchema } from './one-shape.ts'

export function clientComponents({ schemas, parameters, ...rest }: Record<string, OpenapiObject>) {
  const plain = Object.entries(schemas ?? {}).map(([name, schema]) => {
    return [clientName(name), plainSchema(schema as OpenapiObject)] as const
  })
  const kept = Object.entries(parameters ?? {}).map(([name, parameter]) => [name, asText(parameter as OpenapiObject)])
  return {
    ...rest,
    schemas: Object.fromEntries(plain),
    parameters: Object.fromEntries(kept),
    responses: { [failureName]: failure },
  }
}

/** Generators type a parameter with JSON content as an object, but most of them can't send it. As text with a described content
 *  every one of them can. */
function asText({ content, ...parameter }: OpenapiObject): OpenapiObject {
  if (content === undefined) return parameter
  const { schema } = (content as OpenapiObject)['application/json'] as OpenapiObject
  return { ...parameter, schema: { type: 'string', contentMediaType: 'application/json', contentSchema: schema } }
}

const failure = response('The request failed; `code` says why.', [], {
  'application/problem+json': { schema: schemaRef('twain.problem') },
})

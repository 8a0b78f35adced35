// Asks the server for its schema, as the viewer may see it.

import { client } from '../api/client.ts'
import { type GraphqlSchema, type IntrospectedSchema, schemaOf } from './schema.ts'

const typeRef = 'kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }'
const input = `name description defaultValue isDeprecated deprecationReason type { ${typeRef} }`

const introspectionQuery = `query IntrospectionQuery {
  __schema {
    queryType { name } mutationType { name } subscriptionType { name }
    directives { name description locations args(includeDeprecated: true) { ${input} } }
    types {
      kind name description isOneOf
      fields(includeDeprecated: true) {
        name description isDeprecated deprecationReason
        args(includeDeprecated: true) { ${input} }
        type { ${typeRef} }
      }
      inputFields(includeDeprecated: true) { ${input} }
      enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
      possibleTypes { kind name }
    }
  }
}`

/** Throws with the sentence of the server, where it does not answer. */
export async function loadSchema(): Promise<GraphqlSchema> {
  const { data: answer } = await client.rest.post<{
    data?: { __schema: IntrospectedSchema }
    errors?: readonly { message: string }[]
  }>('/graphql', { query: introspectionQuery })
  if (!answer?.data) throw new Error(answer?.errors?.map(({ message }) => message).join(' ') ?? '')
  return schemaOf(answer.data.__schema)
}

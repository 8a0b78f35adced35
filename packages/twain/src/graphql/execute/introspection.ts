// `__schema` and `__type`: graphql-js answers them from the served schema.

import { executeSync, type FieldNode, Kind } from 'graphql'
import { ApiError, Cache, CacheBudget } from '#base'
import type { GraphqlOperation } from '../document/document-cache.ts'
import type { VariableValues } from '../input/argument-values.ts'
import type { ApiSchema } from '../schema/build-schema.ts'

/** In characters. A schema of 300 types of ten fields has 5,500,000 with all generated types. */
const maxResultLength = 8_000_000

export class Introspection {
  readonly #apiSchema: ApiSchema
  /** The results of documents without variables are long and the same for all viewers, so they are cached. The key is the
   *  list of merged nodes, which is planned once for each operation. Operations may share a node in a fragment. */
  readonly #results: Cache<readonly FieldNode[], string>

  constructor(apiSchema: ApiSchema, budget = new CacheBudget()) {
    this.#apiSchema = apiSchema
    this.#results = new Cache({ name: 'graphql_introspection', budget, bytes: (text) => text.length })
  }

  /** The JSON text of one root field; `nodes` are merged under its response key. */
  answer(nodes: readonly FieldNode[], operation: GraphqlOperation, variables: VariableValues): string {
    if (operation.variables.length > 0) return this.#run(nodes, operation, variables)
    let text = this.#results.get(nodes)
    if (text === undefined) {
      text = this.#run(nodes, operation, variables)
      this.#results.set(nodes, text)
    }
    return text
  }

  #run(nodes: readonly FieldNode[], { node, fragments }: GraphqlOperation, variableValues: VariableValues): string {
    const alone = { ...node, selectionSet: { kind: Kind.SELECTION_SET, selections: nodes } as const }
    const document = { kind: Kind.DOCUMENT, definitions: [alone, ...fragments.values()] } as const
    const { data, errors } = executeSync({ schema: this.#apiSchema.schema, document, variableValues })
    const [error] = errors ?? []
    if (error !== undefined) throw error
    const text = JSON.stringify(Object.values(data ?? {})[0] ?? null)
    if (text.length > maxResultLength) throw tooLong()
    return text
  }
}

function tooLong(): ApiError {
  return new ApiError('QUERY_TOO_COSTLY', `The introspection result has more than ${maxResultLength} characters.`, {
    hint: 'Select fewer fields, or one type by its name.',
  })
}

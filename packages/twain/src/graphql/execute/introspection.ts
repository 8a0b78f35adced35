// `__schema` and `__type`, answered by graphql-js from the schema that is served.

import { executeSync, type FieldNode, Kind } from 'graphql'
import { ApiError, Cache } from '#base'
import type { GraphqlOperation } from '../document/document-cache.ts'
import type { VariableValues } from '../input/argument-values.ts'
import type { ApiSchema } from '../schema/build-schema.ts'

/** Answers are long and the same for all, so some are kept, in characters: those of documents without variables. */
const cacheCharacters = 16_000_000
/** An answer that is longer than this is refused: 300 types of ten fields, with all that is made of them, are 5,500,000. */
const maxLength = 8_000_000

export class Introspection {
  readonly #apiSchema: ApiSchema
  /** By the merged nodes, a list that is planned once for each operation: two operations may share a node in a fragment. */
  readonly #answers = new Cache<readonly FieldNode[], string>(cacheCharacters, (text) => text.length + 100)

  constructor(apiSchema: ApiSchema) {
    this.#apiSchema = apiSchema
  }

  /** The JSON text of one root field; `nodes` are those that are merged under its key. */
  answer(nodes: readonly FieldNode[], operation: GraphqlOperation, variables: VariableValues): string {
    if (operation.variables.length > 0) return this.#run(nodes, operation, variables)
    let text = this.#answers.get(nodes)
    if (text === undefined) {
      text = this.#run(nodes, operation, variables)
      this.#answers.set(nodes, text)
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
    if (text.length > maxLength) throw tooLong()
    return text
  }
}

function tooLong(): ApiError {
  return new ApiError('QUERY_TOO_COSTLY', `The introspection answers more than ${maxLength} characters.`, {
    hint: 'Ask for less of it at once, such as one type by its name.',
  })
}

// `__schema` and `__type`, answered by graphql-js from the schema that is served.

import { executeSync, type FieldNode, Kind } from 'graphql'
import { ApiError, Cache } from '#base'
import type { Variables } from '../document/argument-values.ts'
import type { Operation } from '../document/document.ts'
import type { Contract } from '../schema/build-schema.ts'

/** Answers are long and the same for all, so some are kept, in characters: those of documents without variables. */
const kept = 16_000_000
/** An answer that is longer than this is refused: 300 types of ten fields, with all that is made of them, are 5,500,000. */
const longest = 8_000_000

export class Introspection {
  readonly #contract: Contract
  /** By the merged nodes, a list that is planned once for each operation: two operations may share a node in a fragment. */
  readonly #answers = new Cache<readonly FieldNode[], string>(kept, (text) => text.length + 100)

  constructor(contract: Contract) {
    this.#contract = contract
  }

  /** The JSON text of one root field; `nodes` are those that are merged under its key. */
  answer(nodes: readonly FieldNode[], operation: Operation, variables: Variables): string {
    if (operation.variables.length > 0) return this.#run(nodes, operation, variables)
    let text = this.#answers.get(nodes)
    if (text === undefined) {
      text = this.#run(nodes, operation, variables)
      this.#answers.set(nodes, text)
    }
    return text
  }

  #run(nodes: readonly FieldNode[], { node, fragments }: Operation, variableValues: Variables): string {
    const alone = { ...node, selectionSet: { kind: Kind.SELECTION_SET, selections: nodes } as const }
    const document = { kind: Kind.DOCUMENT, definitions: [alone, ...fragments.values()] } as const
    const { data, errors } = executeSync({ schema: this.#contract.schema, document, variableValues })
    const [error] = errors ?? []
    if (error !== undefined) throw error
    const text = JSON.stringify(Object.values(data ?? {})[0] ?? null)
    if (text.length > longest) throw tooLong()
    return text
  }
}

function tooLong(): ApiError {
  return new ApiError('QUERY_TOO_COSTLY', `The introspection answers more than ${longest} characters.`, {
    hint: 'Ask for less of it at once, such as one type by its name.',
  })
}

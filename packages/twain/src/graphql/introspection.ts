// `__schema` and `__type`, answered by graphql-js from the schema that is served.

import { executeSync, type FieldNode, Kind } from 'graphql'
import { Cache } from '#base'
import type { Variables } from './argument-values.ts'
import type { Contract } from './contract.ts'
import type { Operation } from './document.ts'

/** Answers are long and the same for all, so a few are kept: those of documents without variables. */
const kept = 16

export class Introspection {
  readonly #contract: Contract
  /** By the merged nodes, a list that is planned once for each operation: two operations may share a node in a fragment. */
  readonly #answers = new Cache<readonly FieldNode[], string>(kept)

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
    return JSON.stringify(Object.values(data ?? {})[0] ?? null)
  }
}

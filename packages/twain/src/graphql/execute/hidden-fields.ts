// Filters and orders by a field that their viewer can never read: the answer is the one of a contract that has no such field,
// to the letter. Such a contract is opened when it is first needed, for each class of viewers.

import { Cache } from '#base'
import type { Model } from '#model'
import type { Limits } from '#plan'
import type { Visibility } from '#plan/build'
import { Documents } from '../document/document.ts'
import { coerceVariables } from '../document/variables.ts'
import { openContract } from '../schema/build-schema.ts'
import type { AskedText } from '../transport/http-request.ts'

const mostContracts = 16

export class Unseen {
  readonly #model: Model
  readonly #limits: Limits
  readonly #introspection: boolean
  /** Null where there is nothing that such viewers never see. */
  readonly #documents = new Cache<string, Documents | null>(mostContracts)

  constructor(model: Model, limits: Limits, introspection: boolean) {
    this.#model = model
    this.#limits = limits
    this.#introspection = introspection
  }

  /** What such a contract throws at the request; null where there is none, or it takes it. */
  wrongWith({ text, variables, operationName }: AskedText, visibility: Visibility): unknown {
    const documents = this.#of(visibility)
    if (documents === null) return null
    try {
      coerceVariables(documents.find(text, operationName).variables, variables)
      return null
    } catch (error) {
      return error
    }
  }

  #of(visibility: Visibility): Documents | null {
    const known = this.#documents.get(visibility.key)
    if (known !== undefined) return known
    const hides = this.#model.resources.some(({ fields }) =>
      [...fields.values()].some((field) => visibility.isHidden(field)),
    )
    const contract = hides ? openContract(this.#model, visibility) : null
    const documents = contract === null ? null : new Documents(contract, this.#limits, this.#introspection)
    this.#documents.set(visibility.key, documents)
    return documents
  }
}

// Filters and orders by a field that their viewer can never read: the answer is the one of a contract that has no such field,
// to the letter. Such a contract is opened when it is first needed, for each class of viewers.

import { Cache } from '#base'
import type { Model } from '#model'
import type { Limits } from '#plan'
import type { Visibility } from '#plan/build'
import { buildApiSchema } from '../schema/build-schema.ts'
import { DocumentCache } from './document-cache.ts'
import type { DocumentRequest } from './graphql-request.ts'
import { coerceVariables } from './variables.ts'

const maxCachedSchemas = 16

export class VisibleSchemas {
  readonly #model: Model
  readonly #limits: Limits
  readonly #introspection: boolean
  /** Null where there is nothing that such viewers never see. */
  readonly #documents = new Cache<string, DocumentCache | null>(maxCachedSchemas)

  constructor(model: Model, limits: Limits, introspection: boolean) {
    this.#model = model
    this.#limits = limits
    this.#introspection = introspection
  }

  /** What such a contract throws at the request; null where there is none, or it takes it. */
  findError({ text, variables, operationName }: DocumentRequest, visibility: Visibility): unknown {
    const documents = this.#documentsFor(visibility)
    if (documents === null) return null
    try {
      coerceVariables(documents.find(text, operationName).variables, variables)
      return null
    } catch (error) {
      return error
    }
  }

  #documentsFor(visibility: Visibility): DocumentCache | null {
    const known = this.#documents.get(visibility.key)
    if (known !== undefined) return known
    const hides = this.#model.resources.some(({ fields }) =>
      [...fields.values()].some((field) => visibility.isHidden(field)),
    )
    const apiSchema = hides ? buildApiSchema(this.#model, visibility) : null
    const documents = apiSchema === null ? null : new DocumentCache(apiSchema, this.#limits, this.#introspection)
    this.#documents.set(visibility.key, documents)
    return documents
  }
}

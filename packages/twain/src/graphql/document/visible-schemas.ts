// A request that names a field which is always hidden from its viewer gets the same errors as if the schema had no such field.
// The schema without these fields is built on demand, once for each class of viewers.

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
  /** By class of viewers; null if nothing is hidden from them. */
  readonly #documents = new Cache<string, DocumentCache | null>(maxCachedSchemas)

  constructor(model: Model, limits: Limits, introspection: boolean) {
    this.#model = model
    this.#limits = limits
    this.#introspection = introspection
  }

  /** The error of the request in that schema; null if it is valid there, or if nothing is hidden. */
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
    const cached = this.#documents.get(visibility.key)
    if (cached !== undefined) return cached
    const hasHidden = this.#model.resources.some(({ fields }) =>
      [...fields.values()].some((field) => visibility.isHidden(field)),
    )
    const apiSchema = hasHidden ? buildApiSchema(this.#model, visibility) : null
    const documents = apiSchema === null ? null : new DocumentCache(apiSchema, this.#limits, this.#introspection)
    this.#documents.set(visibility.key, documents)
    return documents
  }
}

// A request that names a field which is always hidden from its viewer gets the same errors as if the schema had no such field.
// The schema without these fields is built on demand, once for each class of viewers.

import { Cache, CacheBudget } from '#base'
import type { Model } from '#model'
import type { Limits } from '#plan'
import type { Visibility } from '#plan/build'
import { buildApiSchema } from '../schema/build-schema.ts'
import { DocumentCache } from './document-cache.ts'
import type { DocumentRequest } from './graphql-request.ts'
import { coerceVariables } from './variables.ts'

/** Of the generated types and their fields, for each field of the model. */
const fieldBytes = 8000

/** Null if nothing is hidden from this class of viewers. */
interface CachedSchema {
  documents: DocumentCache | null
}

export class VisibleSchemas {
  readonly #model: Model
  readonly #limits: Limits
  readonly #introspection: boolean
  /** By class of viewers. */
  readonly #documents: Cache<string, CachedSchema>
  readonly #budget: CacheBudget

  constructor(model: Model, limits: Limits, introspection: boolean, budget = new CacheBudget()) {
    this.#model = model
    this.#budget = budget
    const fields = model.resources.reduce((count, { fields }) => count + fields.size, 0)
    this.#documents = new Cache<string, CachedSchema>({
      name: 'graphql_schemas',
      budget,
      bytes: ({ documents }) => (documents === null ? 0 : fields * fieldBytes),
      onDrop: ({ documents }) => documents?.close(),
    })
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
    if (cached !== undefined) return cached.documents
    const hasHidden = this.#model.resources.some(({ fields }) =>
      [...fields.values()].some((field) => visibility.isHidden(field)),
    )
    const apiSchema = hasHidden ? buildApiSchema(this.#model, visibility) : null
    const documents =
      apiSchema === null ? null : new DocumentCache(apiSchema, this.#limits, this.#introspection, this.#budget)
    if (!this.#documents.set(visibility.key, { documents })) documents?.close()
    return documents
  }
}

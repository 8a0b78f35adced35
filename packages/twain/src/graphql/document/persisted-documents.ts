// Documents that requests name by their hash: trusted documents, which the operator lists, and automatic persisted queries,
// which a client sends once with their text (Apollo's `extensions.persistedQuery`).
//
// 1. A client registers a text only under its own hash, and only if it is a valid document. So no client can replace the
//    document of another.
// 2. The cache is bounded. When it has dropped a text, clients send the text again by themselves.

import { hash as digest } from 'node:crypto'
import { ApiError, Cache, CacheBudget } from '#base'
import type { GraphqlRequest } from './graphql-request.ts'
import { RequestErrors } from './response-errors.ts'

const maxRegisteredLength = 100_000

export type TrustedDocuments = ReadonlyMap<string, string>

export class PersistedDocuments {
  readonly #trusted: TrustedDocuments
  /** Null: all documents are allowed. */
  readonly #allowed: ReadonlySet<string> | null
  readonly #registered: Cache<string, string>

  constructor(trusted: TrustedDocuments, trustedOnly: boolean, budget = new CacheBudget()) {
    this.#trusted = trusted
    this.#registered = new Cache({ name: 'graphql_persisted_documents', budget, bytes: (text) => 2 * text.length })
    this.#allowed = trustedOnly ? new Set(trusted.values()) : null
  }

  /** The text of the document. Throws an ApiError, or RequestErrors if the client should send the text too. */
  textOf({ query, hash }: GraphqlRequest): string {
    if (query === null) return this.#textByHash(hash)
    if (this.#allowed !== null && !this.#allowed.has(query)) {
      throw new ApiError('FORBIDDEN', 'Only trusted documents are allowed.', {
        hint: 'The operator lists them in the file of the setting graphql.trustedDocuments.',
      })
    }
    if (hash !== null && !this.#matchesHash(hash, query)) {
      throw new ApiError('BAD_REQUEST', 'The provided sha256Hash does not match the document.')
    }
    return query
  }

  /** Caches the text of a request with a hash, after the document was validated. */
  register({ query, hash }: GraphqlRequest): void {
    if (query === null || hash === null || query.length > maxRegisteredLength || this.#has(hash, query)) return
    this.#registered.set(hash, query)
  }

  #textByHash(hash: string | null): string {
    const text = hash === null ? undefined : (this.#trusted.get(hash) ?? this.#registered.get(hash))
    if (text !== undefined) return text
    const hint = this.#allowed === null ? 'Send the request again with "query".' : 'Only trusted documents are allowed.'
    throw new RequestErrors([
      { message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND', hint } },
    ])
  }

  #matchesHash(hash: string, query: string): boolean {
    return this.#has(hash, query) || digest('sha256', query, 'hex') === hash
  }

  #has(hash: string, query: string): boolean {
    return this.#trusted.get(hash) === query || this.#registered.get(hash) === query
  }
}

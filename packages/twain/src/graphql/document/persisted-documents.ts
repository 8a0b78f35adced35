// The text of a document that is asked for by its hash: trusted documents, which the operator gives, and automatic
// persisted queries, which clients bring once and then name (as Apollo's clients do it: `extensions.persistedQuery`).
//
// 1. A client's text is kept only under the hash that it has, and only when it is a document that can be run, so that no
//    client can put another's words, or rubbish, under a name.
// 2. What is kept is bounded; a forgotten one is asked for again with its text, which clients do by themselves.

import { hash as digest } from 'node:crypto'
import { ApiError, Cache } from '#base'
import type { GraphqlRequest } from './graphql-request.ts'
import { RequestErrors } from './response-errors.ts'

/** Characters of all texts that clients brought. */
const cacheCharacters = 4_000_000
const maxRegisteredLength = 100_000

export type TrustedDocuments = ReadonlyMap<string, string>

export class PersistedDocuments {
  readonly #trusted: TrustedDocuments
  /** Null: everything is answered. */
  readonly #allowed: ReadonlySet<string> | null
  readonly #registered = new Cache<string, string>(cacheCharacters, (text) => text.length + 100)

  constructor(trusted: TrustedDocuments, trustedOnly: boolean) {
    this.#trusted = trusted
    this.#allowed = trustedOnly ? new Set(trusted.values()) : null
  }

  /** The text that is asked for. Throws a Fault, or RequestErrors where a client should send the text along. */
  textOf({ query, hash }: GraphqlRequest): string {
    if (query === null) return this.#textByHash(hash)
    if (this.#allowed !== null && !this.#allowed.has(query)) {
      throw new ApiError('FORBIDDEN', 'Only documents that this service trusts are answered.', {
        hint: 'The operator lists them in the file of the setting graphql.trustedDocuments.',
      })
    }
    if (hash !== null && !this.#matchesHash(hash, query)) {
      throw new ApiError('BAD_REQUEST', 'The provided sha256Hash is not that of the document.')
    }
    return query
  }

  /** Keeps a text that a client brought with its hash, now that it has turned out to be a document. */
  register({ query, hash }: GraphqlRequest): void {
    if (query === null || hash === null || query.length > maxRegisteredLength || this.#has(hash, query)) return
    this.#registered.set(hash, query)
  }

  #textByHash(hash: string | null): string {
    const text = hash === null ? undefined : (this.#trusted.get(hash) ?? this.#registered.get(hash))
    if (text !== undefined) return text
    const hint =
      this.#allowed === null ? 'Send the request again with "query".' : 'Only trusted documents are answered.'
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

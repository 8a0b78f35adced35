// The parameters of a GraphQL request (GraphQL over HTTP, section 5.1), read from JSON. HTTP, WebSocket messages and the items
// of a batch have the same ones.

import { ApiError, isRecord } from '#base'
import { readIdempotencyKey } from '#base/http'

export interface GraphqlRequest {
  /** The text of the document; null if the request names it by its hash. */
  query: string | null
  /** The SHA-256 of the text, or its name in the file of trusted documents. */
  hash: string | null
  variables: Readonly<Record<string, unknown>>
  operationName: string | null
  /** `extensions.cost`: whether the response includes the cost of the operation. */
  includeCost: boolean
  /** `extensions.idempotencyKey`: a repeated request with the same key does not write again. */
  idempotencyKey: string | null
  /** `extensions.respondAsync`: a delete that is too large for one transaction runs in the background. */
  isAsync: boolean
}

/** A request whose document text is known. */
export interface DocumentRequest extends Pick<GraphqlRequest, 'variables' | 'operationName'> {
  text: string
}

/** `what` names the object in error messages. */
export function readParameters(parameters: unknown, what = 'A request'): GraphqlRequest {
  const { query, documentId, variables, operationName, extensions } = expectObject(parameters, what)
  const extra = extensions === undefined || extensions === null ? emptyObject : expectObject(extensions, '"extensions"')
  const hash = readHash(documentId, extra.persistedQuery)
  if (typeof query !== 'string' && (hash === null || (query !== undefined && query !== null))) {
    throw new ApiError('BAD_REQUEST', '"query" must be present: the text of a GraphQL document.', {
      hint: 'A request is {"query": "{ … }", "variables": {…}}.',
    })
  }
  if (typeof operationName !== 'string' && operationName !== undefined && operationName !== null) {
    throw new ApiError('BAD_REQUEST', '"operationName" must be a string.')
  }
  return {
    query: typeof query === 'string' ? query : null,
    hash,
    variables: variables === undefined || variables === null ? emptyObject : expectObject(variables, '"variables"'),
    operationName: operationName || null, // some clients send an empty name
    includeCost: extra.cost === true,
    idempotencyKey: readExtensionKey(extra.idempotencyKey),
    isAsync: extra.respondAsync === true,
  }
}

const emptyObject: Readonly<Record<string, unknown>> = {}

function readExtensionKey(key: unknown): string | null {
  if (key === undefined || key === null) return null
  return readIdempotencyKey(typeof key === 'string' ? key : '', '"extensions.idempotencyKey"')
}

/** `"documentId": "sha256:…"` of GraphQL over HTTP (appendix A), or Apollo's `persistedQuery`. */
function readHash(documentId: unknown, persistedQuery: unknown): string | null {
  if (documentId !== undefined && documentId !== null) {
    if (typeof documentId !== 'string') throw new ApiError('BAD_REQUEST', '"documentId" must be a string.')
    return documentId.replace(/^sha256:/, '')
  }
  if (persistedQuery === undefined || persistedQuery === null) return null
  const { version, sha256Hash } = expectObject(persistedQuery, '"persistedQuery"')
  if (version !== 1 || typeof sha256Hash !== 'string') {
    throw new ApiError('BAD_REQUEST', '"persistedQuery" must be {"version": 1, "sha256Hash": "…"}.')
  }
  return sha256Hash
}

function expectObject(value: unknown, what: string): Record<string, unknown> {
  if (isRecord(value)) return value
  throw new ApiError('BAD_REQUEST', `${what} must be a JSON object.`)
}

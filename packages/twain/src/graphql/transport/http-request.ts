// An HTTP request → what GraphQL is asked: POST with JSON, or GET with parameters (GraphQL over HTTP, sections 5.3, 5.4).
// A JSON array is a batch. No page of another site can send any of it unasked: a POST must be JSON, which browsers ask
// about first (CORS), and a GET changes nothing.

import {
  ApiError,
  andThen,
  decodeBody,
  type HttpRequest,
  isRecord,
  isUtf8Charset,
  type MaybePromise,
  parseJson,
  readContentType,
  readIdempotencyKey,
} from '#base'
import type { Limits } from '#plan'

export interface GraphqlRequest {
  /** The text of the document; null where it is asked for by its hash. */
  query: string | null
  /** The SHA-256 of the text, or whatever name it has in the file of trusted documents. */
  hash: string | null
  variables: Readonly<Record<string, unknown>>
  operationName: string | null
  /** Whether the answer shall say what the operation costs. */
  includeCost: boolean
  /** `extensions.idempotencyKey`: its mutations are made once, however often it is sent. */
  idempotencyKey: string | null
}

/** One operation, or several: `readParameters` says what each item asks. */
export type RequestedOperations =
  | { kind: 'one'; request: GraphqlRequest }
  | { kind: 'batch'; items: readonly unknown[] }

/** What is asked, once the text of its document is found. */
export interface DocumentRequest extends Pick<GraphqlRequest, 'variables' | 'operationName'> {
  text: string
}

export const graphqlMethods = 'GET, HEAD, POST, OPTIONS'

export function readHttpRequest(request: HttpRequest, limits: Limits): MaybePromise<RequestedOperations> {
  switch (request.method) {
    case 'POST':
      expectJson(request.headers['content-type'])
      return andThen(request.body(), (bytes) => readBody(readJson(bytes), limits))
    case 'GET':
    case 'HEAD':
      return { kind: 'one', request: readParameters(readQuery(request.query)) }
    default:
      throw new ApiError('METHOD_NOT_ALLOWED', `GraphQL is asked with GET or POST, not with ${request.method}.`, {
        headers: { allow: graphqlMethods },
      })
  }
}

function expectJson(contentType: string | undefined): void {
  if (contentType === 'application/json') return
  const content = readContentType(contentType)
  if (content.type !== 'application/json') {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The content-type of a GraphQL request must be application/json.')
  }
  if (isUtf8Charset(content)) return
  throw new ApiError(
    'UNSUPPORTED_MEDIA_TYPE',
    `The charset of a GraphQL request must be utf-8, not ${content.charset}.`,
  )
}

function readJson(bytes: Uint8Array): unknown {
  return readValue(decodeBody(bytes), 'The body')
}

/** What a body asks, once it is read: `what` it is named in a mistake. */
export function readBody(body: unknown, { batch }: Limits, what = 'The body'): RequestedOperations {
  if (!Array.isArray(body)) return { kind: 'one', request: readParameters(body, what) }
  if (body.length === 0) throw new ApiError('BAD_REQUEST', 'A batch must have one operation at least.')
  if (batch > 0 && body.length > batch) {
    throw new ApiError('BAD_REQUEST', `The batch has ${body.length} operations; at most ${batch} are allowed.`, {
      hint: 'The setting limits.batch says how many are allowed.',
    })
  }
  return { kind: 'batch', items: body }
}

/** `?query=…&variables={…}&operationName=…&extensions={…}`, percent-encoded as forms do it. */
function readQuery(query: string): Record<string, unknown> {
  const parameters: Record<string, unknown> = {}
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals))
    if (!parameterNames.has(name)) continue
    if (Object.hasOwn(parameters, name)) throw new ApiError('BAD_REQUEST', `"${name}" is given twice.`)
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1))
    const isJson = name === 'variables' || name === 'extensions'
    parameters[name] = isJson && value !== '' ? readValue(value, `"${name}"`) : value === '' ? undefined : value
  }
  return parameters
}

const parameterNames: ReadonlySet<string> = new Set(['query', 'documentId', 'variables', 'operationName', 'extensions'])

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new ApiError('BAD_REQUEST', 'The query string is not percent-encoded UTF-8.')
  }
}

export function readParameters(parameters: unknown, what = 'A request'): GraphqlRequest {
  const { query, documentId, variables, operationName, extensions } = expectObject(parameters, what)
  const extra = extensions === undefined || extensions === null ? emptyObject : expectObject(extensions, '"extensions"')
  const hash = readHash(documentId, extra.persistedQuery)
  if (typeof query !== 'string' && (hash === null || (query !== undefined && query !== null))) {
    throw new ApiError('BAD_REQUEST', '"query" must be given: the text of a GraphQL document.', {
      hint: 'A request is {"query": "{ … }", "variables": {…}}.',
    })
  }
  if (typeof operationName !== 'string' && operationName !== undefined && operationName !== null) {
    throw new ApiError('BAD_REQUEST', '"operationName" must be a string.')
  }
  const given = variables === undefined || variables === null ? emptyObject : expectObject(variables, '"variables"')
  return {
    query: typeof query === 'string' ? query : null,
    hash,
    variables: given,
    operationName: operationName || null, // some clients say "none" with an empty name
    includeCost: extra.cost === true,
    idempotencyKey: readExtensionKey(extra.idempotencyKey),
  }
}

function readExtensionKey(given: unknown): string | null {
  if (given === undefined || given === null) return null
  return readIdempotencyKey(typeof given === 'string' ? given : '', '"extensions.idempotencyKey"')
}

/** `"documentId": "sha256:…"` as GraphQL over HTTP has it (appendix A), or Apollo's `persistedQuery`. */
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

const emptyObject: Readonly<Record<string, unknown>> = {}

function readValue(text: string, what: string): unknown {
  const json = parseJson(text)
  if (json.ok) return json.value
  throw new ApiError('BAD_REQUEST', `${what} is not JSON that can be taken: ${json.message}`)
}

function expectObject(value: unknown, what: string): Record<string, unknown> {
  if (isRecord(value)) return value
  throw new ApiError('BAD_REQUEST', `${what} must be a JSON object.`)
}

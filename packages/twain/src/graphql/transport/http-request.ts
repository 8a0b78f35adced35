// An HTTP request → GraphQL requests: POST with JSON, or GET with parameters (GraphQL over HTTP, sections 5.3 and 5.4). A JSON
// array is a batch. A page of another site can't write: a POST must be JSON, for which browsers send a CORS preflight, and a
// GET runs no mutation.

import { ApiError, andThen, type MaybePromise, parseJson } from '#base'
import { decodeBody, type HttpRequest, isUtf8Charset, readContentType } from '#base/http'
import type { Limits } from '#plan'
import { type GraphqlRequest, readParameters } from '../document/graphql-request.ts'

/** One operation, or the unread items of a batch: `readParameters` reads each. */
export type RequestedOperations =
  | { kind: 'one'; request: GraphqlRequest }
  | { kind: 'batch'; items: readonly unknown[] }

export const graphqlMethods = 'GET, HEAD, POST, OPTIONS'

export function readHttpRequest(request: HttpRequest, limits: Limits): MaybePromise<RequestedOperations> {
  switch (request.method) {
    case 'POST':
      expectJson(request.headers['content-type'])
      return andThen(request.body(), (bytes) => readBody(readValue(decodeBody(bytes), 'The body'), limits))
    case 'GET':
    case 'HEAD':
      return { kind: 'one', request: readParameters(readQuery(request.query)) }
    default:
      throw new ApiError('METHOD_NOT_ALLOWED', `GraphQL takes GET and POST, not ${request.method}.`, {
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

/** `what` names the body in error messages. */
export function readBody(body: unknown, { batch }: Limits, what = 'The body'): RequestedOperations {
  if (!Array.isArray(body)) return { kind: 'one', request: readParameters(body, what) }
  if (body.length === 0) throw new ApiError('BAD_REQUEST', 'A batch must have at least one operation.')
  if (batch > 0 && body.length > batch) {
    throw new ApiError('BAD_REQUEST', `The batch has ${body.length} operations; at most ${batch} are allowed.`, {
      hint: 'The setting limits.batch says how many are allowed.',
    })
  }
  return { kind: 'batch', items: body }
}

/** `?query=…&variables={…}&operationName=…&extensions={…}`, percent-encoded as in forms. */
function readQuery(query: string): Record<string, unknown> {
  const parameters: Record<string, unknown> = {}
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals))
    if (!parameterNames.has(name)) continue
    if (Object.hasOwn(parameters, name)) throw new ApiError('BAD_REQUEST', `"${name}" is present twice.`)
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

function readValue(text: string, what: string): unknown {
  const json = parseJson(text)
  if (json.ok) return json.value
  throw new ApiError('BAD_REQUEST', `${what} can not be read as JSON: ${json.message}`)
}

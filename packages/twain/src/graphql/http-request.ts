// An HTTP request → what GraphQL is asked: POST with JSON, or GET with parameters (GraphQL over HTTP, sections 5.3, 5.4).

import { decodeBody, Fault, type HttpRequest, isUtf8Charset, parseJson, readContentType } from '#base'

export interface GraphqlRequest {
  query: string
  variables: Readonly<Record<string, unknown>>
  operationName: string | null
}

export const graphqlMethods = 'GET, HEAD, POST, OPTIONS'

export async function readRequest(request: HttpRequest): Promise<GraphqlRequest> {
  switch (request.method) {
    case 'POST':
      expectJson(request.headers['content-type'])
      return readParameters(readJson(await request.body()))
    case 'GET':
    case 'HEAD':
      return readParameters(readQuery(request.query))
    default:
      throw new Fault('METHOD_NOT_ALLOWED', `GraphQL is asked with GET or POST, not with ${request.method}.`, {
        headers: { allow: graphqlMethods },
      })
  }
}

/** The `operations` of a multipart request, with the files in their places. */
export function readOperations(operations: unknown): GraphqlRequest {
  return readParameters(expectObject(operations, '"operations"'))
}

function expectJson(contentType: string | undefined): void {
  if (contentType === 'application/json') return
  const content = readContentType(contentType)
  if (content.type !== 'application/json') {
    throw new Fault('UNSUPPORTED_MEDIA_TYPE', 'The content-type of a GraphQL request must be application/json.')
  }
  if (isUtf8Charset(content)) return
  throw new Fault('UNSUPPORTED_MEDIA_TYPE', `The charset of a GraphQL request must be utf-8, not ${content.charset}.`)
}

function readJson(bytes: Uint8Array): Record<string, unknown> {
  return expectObject(readValue(decodeBody(bytes), 'The body'), 'The body')
}

/** `?query=…&variables={…}&operationName=…`, percent-encoded as forms do it. */
function readQuery(query: string): Record<string, unknown> {
  const parameters: Record<string, unknown> = {}
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals))
    if (!names.has(name)) continue
    if (Object.hasOwn(parameters, name)) throw new Fault('BAD_REQUEST', `"${name}" is given twice.`)
    const value = equals < 0 ? '' : decode(pair.slice(equals + 1))
    const isJson = name === 'variables' || name === 'extensions'
    parameters[name] = isJson && value !== '' ? readValue(value, `"${name}"`) : value === '' ? undefined : value
  }
  return parameters
}

const names: ReadonlySet<string> = new Set(['query', 'variables', 'operationName', 'extensions'])

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw new Fault('BAD_REQUEST', 'The query string is not percent-encoded UTF-8.')
  }
}

function readParameters(parameters: Record<string, unknown>): GraphqlRequest {
  const { query, variables, operationName, extensions } = parameters
  if (typeof query !== 'string') {
    throw new Fault('BAD_REQUEST', '"query" must be given: the text of a GraphQL document.', {
      hint: 'A request is {"query": "{ … }", "variables": {…}}.',
    })
  }
  if (typeof operationName !== 'string' && operationName !== undefined && operationName !== null) {
    throw new Fault('BAD_REQUEST', '"operationName" must be a string.')
  }
  if (extensions !== undefined && extensions !== null) expectObject(extensions, '"extensions"')
  const given = variables === undefined || variables === null ? none : expectObject(variables, '"variables"')
  return { query, variables: given, operationName: operationName || null } // some clients say "none" with an empty name
}

const none: Readonly<Record<string, unknown>> = {}

function readValue(text: string, what: string): unknown {
  const json = parseJson(text)
  if (json.ok) return json.value
  throw new Fault('BAD_REQUEST', `${what} is not JSON that can be taken: ${json.message}`)
}

function expectObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new Fault('BAD_REQUEST', `${what} must be a JSON object.`)
}

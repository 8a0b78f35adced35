// Responses: a table of failures by status, and a table of response headers.

import { type Code, catalogue, type DetailCode } from '#base'
import { problemType } from '#base/http'
import { type OpenapiObject, responseRef, schemaRef } from './json-parts.ts'

interface FailureResponse {
  /** The error codes with this status; the example shows the first. */
  codes: readonly Code[]
  /** For failures of the HTTP server before there is a request: the catalogue has no title for them. */
  title?: string
  description: string
  headers: readonly HeaderName[]
  detail: string
  errors?: readonly { path: string; pointer: string; code: DetailCode; message: string }[]
}

const failures = {
  400: {
    codes: ['VALIDATION_FAILED', 'BAD_REQUEST', 'QUERY_TOO_DEEP', 'QUERY_TOO_COSTLY'],
    description: 'The request is invalid; `errors` lists every mistake.',
    headers: [],
    detail: 'titel: "titel" is not a field. Did you mean "title"?',
    errors: [
      {
        path: 'titel',
        pointer: '/titel',
        code: 'UNKNOWN',
        message: '"titel" is not a field. Did you mean "title"?',
      },
    ],
  },
  401: {
    codes: ['UNAUTHENTICATED'],
    description: 'The request needs a token, or its token is not valid.',
    headers: ['WWW-Authenticate'],
    detail: 'The token is not valid, or has expired.',
  },
  403: {
    codes: ['FORBIDDEN'],
    description: 'The rules of the schema deny this to the viewer.',
    headers: [],
    detail: 'You may not do this.',
  },
  404: {
    codes: ['NOT_FOUND'],
    description: 'The row does not exist, or the viewer may not read it.',
    headers: [],
    detail: 'There is no row with this id.',
  },
  405: {
    codes: ['METHOD_NOT_ALLOWED'],
    description: 'This path does not support the method.',
    headers: ['Allow'],
    detail: 'Send a mutation with POST.',
  },
  406: {
    codes: ['NOT_ACCEPTABLE'],
    description: 'No format that `Accept` allows is available.',
    headers: [],
    detail: 'No format of "text/css" is available here.',
  },
  408: {
    codes: ['BAD_REQUEST'],
    title: 'Request Timeout',
    description: 'The request was not received in time.',
    headers: [],
    detail: 'The request was not received in time.',
  },
  409: {
    codes: ['CONFLICT'],
    description:
      'The write conflicts with the stored rows: a unique value that is taken, a reference to or from the row, an immutable field, a state transition that is not allowed, or a JSON patch that does not apply. Or the request of the `Idempotency-Key` is in progress (`Retry-After`).',
    headers: ['Retry-After'],
    detail: 'name: is taken.',
    errors: [{ path: 'name', pointer: '/name', code: 'UNIQUE', message: 'is taken.' }],
  },
  410: {
    codes: ['GONE'],
    description:
      'The changes after this cursor are no longer stored: read the rows again, and continue from a new cursor. Or a `PUT` would create a row under a deleted id while the change log holds its delete: use a new id.',
    headers: [],
    detail: 'The changes after this cursor are no longer stored.',
  },
  412: {
    codes: ['PRECONDITION_FAILED'],
    description: 'A precondition failed (`If-Match`, `If-None-Match`, `If-Unmodified-Since`).',
    headers: [],
    detail: 'The row is at another version.',
  },
  413: {
    codes: ['PAYLOAD_TOO_LARGE'],
    description: 'The body is too large.',
    headers: [],
    detail: 'The body is larger than 1048576 bytes.',
  },
  414: {
    codes: ['BAD_REQUEST'],
    title: 'URI Too Long',
    description: 'The URL is longer than `limits.urlBytes` allows.',
    headers: [],
    detail: 'The URL is longer than the setting limits.urlBytes allows.',
  },
  415: {
    codes: ['UNSUPPORTED_MEDIA_TYPE'],
    description:
      'The type of the body is not supported, or it is compressed; `Accept` or `Accept-Patch` lists the supported types.',
    headers: ['Accept', 'Accept-Patch'],
    detail: 'A body of type "text/plain" is not supported here.',
  },
  421: {
    codes: ['BAD_REQUEST'],
    title: 'Misdirected Request',
    description: 'The server does not have the name that `Host` gives (`http.origin`).',
    headers: [],
    detail:
      'This server does not have the name that the Host header gives. If it should, add its address to the setting http.origin.',
  },
  422: {
    codes: ['IDEMPOTENCY_KEY_REUSED'],
    description: 'The `Idempotency-Key` was used for another request.',
    headers: [],
    detail: 'This Idempotency-Key was used for another request.',
  },
  429: {
    codes: ['TOO_MANY_REQUESTS'],
    description: 'Too many requests; retry after `Retry-After` seconds.',
    headers: ['Retry-After'],
    detail: 'More than 600 requests in a minute.',
  },
  431: {
    codes: ['BAD_REQUEST'],
    title: 'Request Header Fields Too Large',
    description: 'The header is larger than `limits.headerBytes` allows.',
    headers: [],
    detail: 'The header is larger than the setting limits.headerBytes allows.',
  },
  500: {
    codes: ['INTERNAL'],
    description: 'An internal error; the server log has the details under the id in `instance`.',
    headers: [],
    detail: 'Internal error.',
  },
  503: {
    codes: ['UNAVAILABLE'],
    description: 'Temporarily unavailable; retry after `Retry-After` seconds.',
    headers: ['Retry-After'],
    detail: 'The service is temporarily unavailable.',
  },
} as const satisfies Record<number, FailureResponse>

export type FailureStatus = keyof typeof failures

/** Failures that any request can have. */
export const commonFailures: readonly FailureStatus[] = [408, 414, 421, 429, 431, 500, 503]

/** References to the failures of an operation, by status. */
export function failureRefs(statuses: readonly FailureStatus[]): OpenapiObject {
  return Object.fromEntries(statuses.map((status) => [status, responseRef(nameOf(status))]))
}

export function failureResponses(): [name: string, response: OpenapiObject][] {
  return Object.entries(failures).map(([text, failure]: [string, FailureResponse]) => {
    const [code] = failure.codes
    const { title = catalogue[code!].title, description, headers, detail, errors = [] } = failure
    const status = Number(text)
    const value: OpenapiObject = {
      type: problemType({ code: code!, title }, ''),
      title,
      status,
      detail,
      instance: status === 500 ? 'urn:uuid:01a1e14f-4926-724a-9cc6-f3ecc9a64c41' : '/posts',
      code,
      errors,
    }
    const json: OpenapiObject = { 'application/problem+json': { schema: schemaRef('twain.problem'), example: value } }
    const xml: OpenapiObject = { 'application/problem+xml': { schema: schemaRef('twain.problem') } }
    return [nameOf(status), response(description, headers, { ...json, ...xml })]
  })
}

const nameOf = (status: number): string => `problem.${status}`

/** RFC 9457, with a code and a list of mistakes (docs/reference/rest.md, R70). */
export const problemSchema: OpenapiObject = {
  type: 'object',
  description: 'Problem details (RFC 9457).',
  xml: { name: 'problem', namespace: 'urn:ietf:rfc:7807' },
  properties: {
    type: {
      type: 'string',
      description: 'The page that explains `code`; `about:blank` for errors of HTTP itself.',
      format: 'uri-reference',
    },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'A sentence for people.' },
    instance: { type: 'string', description: 'The path of the request, or the id of the log entry.' },
    code: { type: 'string', enum: Object.keys(catalogue) },
    errors: {
      type: 'array',
      description: 'Every mistake of the request, at most 20.',
      xml: { wrapped: true },
      items: {
        type: 'object',
        xml: { name: 'i' },
        properties: {
          path: { type: 'string', description: 'The parameter, header or member of the body.' },
          pointer: { type: 'string', description: 'The member of the body as a JSON pointer (RFC 6901).' },
          line: { type: 'integer', description: 'The line of a body in NDJSON or CSV, counted from 1.' },
          code: { type: 'string' },
          message: { type: 'string' },
        },
        required: ['path', 'code', 'message'],
      },
    },
    hint: { type: 'string', description: 'What to do.' },
  },
  required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'errors'],
}

const headers = {
  ETag: ['The version and a hash of the bytes, for `If-None-Match` and `If-Match`.', '"7-9f2c"'],
  'Cache-Control': ['Who may cache the response, and for how long.', 'no-cache'],
  Vary: ['The request headers that the response depends on.', 'accept'],
  'Last-Modified': ['When the row last changed, if known.', 'Sat, 31 Jan 2026 09:30:00 GMT'],
  Link: [
    'The first, previous and next page, and the documentation of a deprecation.',
    '</posts?offset=20>; rel="next"',
  ],
  Deprecation: ['Since when something that the request uses is deprecated (RFC 9745).', '@1767225600'],
  Sunset: ['When it will be removed, if known (RFC 8594).', 'Sun, 30 Jun 2030 00:00:00 GMT'],
  'X-Total-Count': ['The number of matching rows, with `Prefer: count=exact` or `count=estimated`.', '42'],
  'Preference-Applied': ['The preferences of `Prefer` that were applied.', 'count=exact'],
  'X-Failed-Fields': ['Fields whose custom code failed, with the reason; they are absent.', 'excerpt;code=UNAVAILABLE'],
  Location: ['The path of the new row, or the target of the redirect.', '/posts/p1'],
  'Content-Location': ['The path of the row by its id.', '/posts/p1'],
  'Idempotent-Replayed': ['`true`: the server returns the stored response of the first request with this key.', 'true'],
  'WWW-Authenticate': ['The authentication scheme.', 'Bearer'],
  Allow: ['The supported methods.', 'GET, HEAD, POST, OPTIONS'],
  Accept: ['The supported types of body.', 'application/json, application/xml, text/xml'],
  'Accept-Patch': ['The supported types of patch.', 'application/merge-patch+json'],
  'Content-Disposition': ['Whether to display or to save the file, and its name.', 'inline; filename="photo.png"'],
  'Accept-Ranges': ['The server supports range requests.', 'bytes'],
  'Content-Range': ['The range of bytes, and the size of the file.', 'bytes 0-99/48213'],
  'Retry-After': ['Seconds to wait.', '1'],
  RateLimit: ['The remaining requests, and the seconds until the quota is full again.', '"default";r=599;t=1'],
  'RateLimit-Policy': ['The quota of requests, and its window in seconds.', '"default";q=600;w=60'],
  'Server-Timing': [
    'The duration of each stage in milliseconds, if `http.serverTiming` is on.',
    'parse;dur=0.1, total;dur=0.4',
  ],
  'X-Request-Id': ['The id of the request, from the client or the server; the log has it.', 'a1b2c3'],
} as const

export type HeaderName = keyof typeof headers

export function headerComponents(): [name: string, header: OpenapiObject][] {
  return Object.entries(headers).map(([name, [description, example]]) => [
    name,
    { description, schema: { type: 'string' }, example },
  ])
}

/** On every response of the API; `RateLimit` headers only with a rate limit. */
const commonHeaders: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy', 'Server-Timing', 'X-Request-Id']

/** Without `content` the response has no body. */
export function response(
  description: string,
  headerNames: readonly HeaderName[],
  content?: OpenapiObject,
): OpenapiObject {
  return { description, headers: headerRefs([...headerNames, ...commonHeaders]), content }
}

/** For paths of the HTTP server itself: they have no rate limit. */
export function unlimitedResponse(
  description: string,
  headerNames: readonly HeaderName[],
  content: OpenapiObject,
): OpenapiObject {
  return { description, headers: headerRefs([...headerNames, 'Server-Timing', 'X-Request-Id']), content }
}

/** Adds the deprecation headers to each response. */
export function withDeprecationHeaders(responses: OpenapiObject): OpenapiObject {
  const added = headerRefs(['Deprecation', 'Sunset', 'Link'])
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { headers: own, ...rest } = response as { headers?: OpenapiObject }
      return [status, own === undefined ? response : { ...rest, headers: { ...own, ...added } }]
    }),
  )
}

function headerRefs(names: readonly HeaderName[]): OpenapiObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

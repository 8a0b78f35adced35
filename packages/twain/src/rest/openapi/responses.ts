// What can be answered: one table of failures by status, one of the headers that answers carry. A line adds one.

import { type Code, catalogue, type DetailCode } from '#base'
import { type OpenapiObject, schemaRef } from './json-parts.ts'

interface FailureResponse {
  /** The codes of the catalogue that have this status here; the first is shown in the example. */
  codes: readonly Code[]
  /** Of what the floor refuses before there is a request: the catalogue has none for them. */
  title?: string
  description: string
  headers: readonly HeaderName[]
  detail: string
  errors?: readonly { path: string; pointer: string; code: DetailCode; message: string }[]
}

const failures = {
  400: {
    codes: ['VALIDATION_FAILED', 'BAD_REQUEST', 'QUERY_TOO_DEEP', 'QUERY_TOO_COSTLY'],
    description: 'The request is wrong; `errors` names every place.',
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
    description: 'This needs a token, or the one that came along is not good.',
    headers: ['WWW-Authenticate'],
    detail: 'The token is not valid, or not any more.',
  },
  403: {
    codes: ['FORBIDDEN'],
    description: 'The rules of the contract refuse it to this viewer.',
    headers: [],
    detail: 'You may not do this.',
  },
  404: {
    codes: ['NOT_FOUND'],
    description: 'There is no such row that the viewer may read.',
    headers: [],
    detail: 'There is no row with this id.',
  },
  405: {
    codes: ['METHOD_NOT_ALLOWED'],
    description: 'This method is not possible here.',
    headers: ['Allow'],
    detail: 'A mutation is sent with POST.',
  },
  406: {
    codes: ['NOT_ACCEPTABLE'],
    description: 'None of what `Accept` allows can be given.',
    headers: [],
    detail: 'None of "text/css" can be given.',
  },
  408: {
    codes: ['BAD_REQUEST'],
    title: 'Request Timeout',
    description: 'The request did not come in time.',
    headers: [],
    detail: 'The request did not come in time.',
  },
  409: {
    codes: ['CONFLICT'],
    description:
      'Another row stands in the way: a value that must be unique, a reference to or from it, a fixed field; a state that can not follow; a JSON patch that does not fit the row; or a key that was used for another request, or whose request is under way (`Retry-After`).',
    headers: ['Retry-After'],
    detail: 'name: is taken.',
    errors: [{ path: 'name', pointer: '/name', code: 'UNIQUE', message: 'is taken.' }],
  },
  410: {
    codes: ['GONE'],
    description:
      'The changes behind this cursor are not kept any more: read the rows again, and go on from a new cursor.',
    headers: [],
    detail: 'The changes behind this cursor are not kept any more.',
  },
  412: {
    codes: ['PRECONDITION_FAILED'],
    description: 'What is there is not as the conditions of the request want it (`If-Match` and its like).',
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
      'A body of this type, or a compressed one, can not be taken; `Accept` or `Accept-Patch` says which can.',
    headers: ['Accept', 'Accept-Patch'],
    detail: 'A body of "text/plain" can not be taken.',
  },
  429: {
    codes: ['TOO_MANY_REQUESTS'],
    description: 'Too many requests; `Retry-After` says when again.',
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
    description: 'A mistake of ours; the log has it under the id in `instance`.',
    headers: [],
    detail: 'Something went wrong on our side.',
  },
  503: {
    codes: ['UNAVAILABLE'],
    description: 'Not available just now; `Retry-After` says when again.',
    headers: ['Retry-After'],
    detail: 'The service is not available just now.',
  },
} as const satisfies Record<number, FailureResponse>

export type FailureStatus = keyof typeof failures

/** What the floor can answer with, whatever was asked. */
export const commonFailures: readonly FailureStatus[] = [408, 414, 429, 431, 500, 503]

/** References to the failures that an operation can answer with, by status. */
export function failureRefs(statuses: readonly FailureStatus[]): OpenapiObject {
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]))
}

export function failureResponses(): [name: string, response: OpenapiObject][] {
  return Object.entries(failures).map(([text, failure]: [string, FailureResponse]) => {
    const [code] = failure.codes
    const { title = catalogue[code!].title, description, headers, detail, errors = [] } = failure
    const status = Number(text)
    const value: OpenapiObject = {
      type: 'about:blank',
      title,
      status,
      detail,
      ...(isFromAdapter(status) ? { instance: '/posts' } : {}),
      code,
      errors,
    }
    const json: OpenapiObject = { 'application/problem+json': { schema: schemaRef('twain.problem'), example: value } }
    const xml: OpenapiObject = { 'application/problem+xml': { schema: schemaRef('twain.problem') } }
    return [nameOf(status), response(description, headers, isFromAdapter(status) ? { ...json, ...xml } : json)]
  })
}

/** What the floor says it says as JSON: no door has looked at `Accept` then. */
function isFromAdapter(status: number): boolean {
  return ![408, 414, 431, 500].includes(status)
}

const nameOf = (status: number): string => `problem.${status}`

/** RFC 9457, with our code and places (docs/reference/rest.md, R70). */
export const problemSchema: OpenapiObject = {
  type: 'object',
  description: 'What went wrong (RFC 9457).',
  xml: { name: 'problem', namespace: 'urn:ietf:rfc:7807' },
  properties: {
    type: { type: 'string', description: 'Always `about:blank`: `code` tells it.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'A sentence for people.' },
    instance: { type: 'string', description: 'The path of the request, or the id of the log line.' },
    code: { type: 'string', enum: Object.keys(catalogue) },
    errors: {
      type: 'array',
      description: 'Every place that is wrong, at most 20.',
      xml: { wrapped: true },
      items: {
        type: 'object',
        xml: { name: 'i' },
        properties: {
          path: { type: 'string', description: 'In the words of the request.' },
          pointer: { type: 'string', description: 'A place in the body as a JSON pointer (RFC 6901).' },
          code: { type: 'string' },
          message: { type: 'string' },
        },
        required: ['path', 'code', 'message'],
      },
    },
    hint: { type: 'string', description: 'What would help.' },
  },
  required: ['type', 'title', 'status', 'detail', 'code', 'errors'],
}

const headers = {
  ETag: ['The version and a hash of the bytes, for `If-None-Match` and `If-Match`.', '"7-9f2c"'],
  'Cache-Control': ['Who may keep the answer.', 'no-cache'],
  Vary: ['By which request headers the answer differs.', 'accept'],
  'Last-Modified': ['When the row was last changed, where that is known.', 'Sat, 31 Jan 2026 09:30:00 GMT'],
  Link: ['The first, previous and next page, and what tells of a deprecation.', '</posts?offset=20>; rel="next"'],
  Deprecation: ['Since when something that the request names, or is given, is deprecated (RFC 9745).', '@1767225600'],
  Sunset: ['When that ends, where it is known (RFC 8594).', 'Sun, 30 Jun 2030 00:00:00 GMT'],
  'X-Total-Count': ['How many rows the filters match, where `Prefer: count=exact` asks.', '42'],
  'Preference-Applied': ['What was done of `Prefer`.', 'count=exact'],
  'X-Failed-Fields': ['Fields that own code failed to give, and why; they are absent.', 'excerpt;code=UNAVAILABLE'],
  Location: ['Where the new row is, or what has moved.', '/posts/p1'],
  'Idempotent-Replayed': ['`true`: it was made before under this key, and this is the answer of then.', 'true'],
  'WWW-Authenticate': ['How to say who one is.', 'Bearer'],
  Allow: ['The methods that there are.', 'GET, HEAD, POST, OPTIONS'],
  Accept: ['The types of body that are taken.', 'application/json, application/xml, text/xml'],
  'Accept-Patch': ['The types of patch that are taken.', 'application/merge-patch+json'],
  'Content-Disposition': ['Whether to show or to save it, and as what.', 'inline; filename="photo.png"'],
  'Accept-Ranges': ['That ranges can be asked for.', 'bytes'],
  'Content-Range': ['Which of its bytes, of how many.', 'bytes 0-99/48213'],
  'Retry-After': ['Seconds to wait.', '1'],
  RateLimit: ['How many requests are left, and in how many seconds all are there again.', '"default";r=599;t=1'],
  'RateLimit-Policy': ['How many requests there may be in how many seconds.', '"default";q=600;w=60'],
  'Server-Timing': [
    'What each stage took, in milliseconds, where `http.serverTiming` is on.',
    'parse;dur=0.1, total;dur=0.4',
  ],
  'X-Request-Id': ['The id of the request, as the client said it or made by the server; the log has it.', 'a1b2c3'],
} as const

export type HeaderName = keyof typeof headers

export function headerComponents(): [name: string, header: OpenapiObject][] {
  return Object.entries(headers).map(([name, [description, example]]) => [
    name,
    { description, schema: { type: 'string' }, example },
  ])
}

/** On every answer of a door; what is counted also tells of that, where there is a limit. */
const commonHeaders: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy', 'Server-Timing', 'X-Request-Id']

/** Without content it has no body. */
export function response(
  description: string,
  headerNames: readonly HeaderName[],
  content?: OpenapiObject,
): OpenapiObject {
  return { description, headers: headerRefs([...headerNames, ...commonHeaders]), content }
}

/** Of a path that the floor answers itself: those are not counted. */
export function unlimitedResponse(
  description: string,
  headerNames: readonly HeaderName[],
  content: OpenapiObject,
): OpenapiObject {
  return { description, headers: headerRefs([...headerNames, 'Server-Timing', 'X-Request-Id']), content }
}

/** The same answers, where what they have to do with may be deprecated. */
export function withDeprecationHeaders(responses: OpenapiObject): OpenapiObject {
  const told = headerRefs(['Deprecation', 'Sunset', 'Link'])
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => {
      const { headers: own, ...rest } = response as { headers?: OpenapiObject }
      return [status, own === undefined ? response : { ...rest, headers: { ...own, ...told } }]
    }),
  )
}

function headerRefs(names: readonly HeaderName[]): OpenapiObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

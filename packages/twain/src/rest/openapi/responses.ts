// What can be answered: one table of failures by status, one of the headers that answers carry. A line adds one.

import { type Code, catalogue, type DetailCode } from '#base'
import { type Part, type Parts, schemaRef } from './part.ts'

interface Failure {
  /** The codes of the catalogue that have this status here; the first is shown in the example. */
  codes: readonly Code[]
  description: string
  headers: readonly HeaderName[]
  detail: string
  errors?: readonly { path: string; code: DetailCode; message: string }[]
}

const failures = {
  400: {
    codes: ['VALIDATION_FAILED', 'BAD_REQUEST', 'QUERY_TOO_DEEP', 'QUERY_TOO_COSTLY'],
    description: 'The request is wrong; `errors` names every place.',
    headers: [],
    detail: 'titel: "titel" is not a field. Did you mean "title"?',
    errors: [{ path: 'titel', code: 'UNKNOWN', message: '"titel" is not a field. Did you mean "title"?' }],
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
  409: {
    codes: ['CONFLICT'],
    description:
      'Another row stands in the way: a value that must be unique, a reference to or from it, a fixed field.',
    headers: [],
    detail: 'name: is taken.',
    errors: [{ path: 'name', code: 'UNIQUE', message: 'is taken.' }],
  },
  412: {
    codes: ['PRECONDITION_FAILED'],
    description: 'The row has another version than `If-Match` names.',
    headers: [],
    detail: 'The row is at another version.',
  },
  413: {
    codes: ['PAYLOAD_TOO_LARGE'],
    description: 'The body is too large.',
    headers: [],
    detail: 'The body is larger than 1048576 bytes.',
  },
  415: {
    codes: ['UNSUPPORTED_MEDIA_TYPE'],
    description: 'A body of this type can not be taken.',
    headers: [],
    detail: 'A body of "text/plain" can not be taken.',
  },
  429: {
    codes: ['TOO_MANY_REQUESTS'],
    description: 'Too many requests; `Retry-After` says when again.',
    headers: ['Retry-After'],
    detail: 'Too many attempts to sign in.',
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
} as const satisfies Record<number, Failure>

export type FailureStatus = keyof typeof failures

/** References to the failures that an operation can answer with, by status. */
export function failureRefs(statuses: readonly FailureStatus[]): Parts {
  return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]))
}

export function failureResponses(): [name: string, response: Parts][] {
  return Object.entries(failures).map(([text, failure]: [string, Failure]) => {
    const [code] = failure.codes
    const { status, title } = catalogue[code!]
    const value: Parts = {
      type: 'about:blank',
      title,
      status,
      detail: failure.detail,
      ...(status === 500 ? {} : { instance: '/posts' }),
      code,
      errors: failure.errors ?? [],
    }
    return [
      nameOf(Number(text)),
      {
        description: failure.description,
        headers: headerRefs(failure.headers),
        content: { 'application/problem+json': { schema: schemaRef('twain.problem'), example: value } },
      },
    ]
  })
}

const nameOf = (status: number): string => `problem.${status}`

/** RFC 9457, with our code and places (docs/rest.md, R70). */
export const problemSchema: Parts = {
  type: 'object',
  description: 'What went wrong (RFC 9457).',
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
      items: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'In the words of the request.' },
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
  Link: ['The first, previous and next page.', '</posts?offset=20>; rel="next"'],
  'X-Total-Count': ['How many rows the filters match, where `Prefer: count=exact` asks.', '42'],
  'Preference-Applied': ['What was done of `Prefer`.', 'count=exact'],
  Location: ['The path of the new row.', '/posts/p1'],
  'WWW-Authenticate': ['How to say who one is.', 'Bearer'],
  Allow: ['The methods that there are.', 'GET, HEAD, POST, OPTIONS'],
  'Content-Disposition': ['Whether to show or to save it, and as what.', 'inline; filename="photo.png"'],
  'Accept-Ranges': ['That ranges can be asked for.', 'bytes'],
  'Content-Range': ['Which of its bytes, of how many.', 'bytes 0-99/48213'],
  'Retry-After': ['Seconds to wait.', '1'],
} as const

export type HeaderName = keyof typeof headers

export function headerRefs(names: readonly HeaderName[]): Parts | undefined {
  if (names.length === 0) return undefined
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

export function headerComponents(): [name: string, header: Parts][] {
  return Object.entries(headers).map(([name, [description, example]]) => [
    name,
    { description, schema: { type: 'string' }, example },
  ])
}

/** A successful answer: its representations by media type, with an example where there is one. */
export function answer(
  description: string,
  headerNames: readonly HeaderName[],
  types: readonly string[],
  schema: Parts,
  examples?: Parts,
): Parts {
  const media: Parts = { schema, examples }
  const content: Record<string, Part> = {}
  for (const type of types) content[type] = media
  return { description, headers: headerRefs(headerNames), content }
}

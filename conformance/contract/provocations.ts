// Requests to the orchestra, in order, that reach the statuses, codes and headers of the contract. Each states what its answer must be.

import type { SendOptions } from './clients.ts'

export interface Provocation extends SendOptions {
  /** `GET /scores` */
  request: string
  status: number
  /** The codes of the answer: of the whole, and of its single mistake. */
  code?: string
  mistake?: string
  /** Headers that the answer must have, and must not have. */
  has?: string[]
  lacks?: string[]
}

const operator = { viewer: 'operator' }
const ann = { viewer: 'ann' }
const score = { title: 'Octet', opus: '20' }
const key = { 'idempotency-key': 'one' }

const rows: Provocation[] = [
  { request: 'PUT /scores/octet', ...operator, body: score, status: 201, has: ['location'], lacks: ['etag'] },
  { request: 'PUT /scores/octet', ...operator, body: score, status: 200, lacks: ['etag'] },
  { request: 'GET /scores/octet', status: 200, has: ['etag', 'cache-control', 'vary'] },
  {
    request: 'PATCH /scores/octet',
    ...operator,
    body: { pages: 2 },
    headers: { 'if-match': '"99"' },
    status: 412,
    code: 'PRECONDITION_FAILED',
    mistake: 'VERSION',
  },
  { request: 'POST /scores', ...operator, body: score, status: 409, code: 'CONFLICT', mistake: 'UNIQUE' },
  { request: 'PUT /scores/solo', ...operator, headers: key, body: { title: 'Solo' }, status: 201 },
  {
    request: 'PUT /scores/solo',
    ...operator,
    headers: key,
    body: { title: 'Solo' },
    status: 201,
    has: ['idempotent-replayed'],
  },
  {
    request: 'PUT /scores/solo',
    ...operator,
    headers: key,
    body: { title: 'Duo' },
    status: 422,
    code: 'IDEMPOTENCY_KEY_REUSED',
    mistake: 'IDEMPOTENCY',
  },
  { request: 'DELETE /scores/solo', ...operator, status: 204 },
  { request: 'DELETE /scores/solo', ...operator, status: 404, code: 'NOT_FOUND' },
  { request: 'PUT /scores/solo', ...operator, body: { title: 'Solo' }, status: 410, code: 'GONE' },
]

const states: Provocation[] = [
  { request: 'PUT /loans/first', ...ann, body: { item: 'octet' }, status: 201 },
  {
    request: 'POST /loans',
    ...ann,
    body: { item: 'octet', state: 'OUT' },
    status: 409,
    code: 'CONFLICT',
    mistake: 'STATE',
  },
  {
    request: 'PATCH /loans/first',
    ...ann,
    body: { state: 'BACK' },
    status: 409,
    code: 'CONFLICT',
    mistake: 'STATE',
  },
  { request: 'PATCH /loans/first', ...ann, body: { state: 'OUT' }, status: 403, code: 'FORBIDDEN' },
  { request: 'PATCH /loans/first', ...ann, body: { state: 'ASKED' }, status: 200 },
  { request: 'PATCH /loans/first', ...ann, body: { state: 'DROPPED' }, status: 200 },
  { request: 'DELETE /scores/octet', ...operator, status: 409, code: 'CONFLICT', mistake: 'REFERENCE' },
  { request: 'DELETE /loans/first', ...ann, status: 204 },
]

/** The server has the setting `limits.cascade` 2. */
const largeDelete: Provocation[] = [
  {
    request: 'POST /scores/octet/parts',
    ...operator,
    body: [{ title: 'Viola' }, { title: 'Cello' }, { title: 'Bass' }],
    status: 201,
    lacks: ['location'],
  },
  { request: 'DELETE /scores/octet', ...operator, status: 409, code: 'CONFLICT', mistake: 'CASCADE' },
  {
    request: 'DELETE /scores/octet',
    ...operator,
    headers: { prefer: 'respond-async' },
    status: 202,
    has: ['preference-applied'],
  },
  { request: 'GET /scores/octet', status: 404, code: 'NOT_FOUND' },
]

function invalid(body: object, mistake: string): Provocation {
  return { request: 'POST /scores', ...operator, body, status: 400, code: 'VALIDATION_FAILED', mistake }
}

const invalidBodies: Provocation[] = [
  invalid({}, 'REQUIRED'),
  invalid({ title: 1 }, 'TYPE'),
  invalid({ title: 'x' }, 'LENGTH'),
  invalid({ title: 'Octet', pages: 3_000_000_000 }, 'RANGE'),
  invalid({ title: 'Oc\u0000tet' }, 'PATTERN'),
  invalid({ title: 'Octet', zzz: 1 }, 'UNKNOWN'),
  { request: 'POST /scores', ...operator, body: '{', status: 400, code: 'BAD_REQUEST' },
  { request: 'POST /scores', body: {}, status: 401, code: 'UNAUTHENTICATED', has: ['www-authenticate'] },
  { request: 'POST /scores', ...ann, body: { title: 'Octet' }, status: 403, code: 'FORBIDDEN' },
]

const strict = { accept: 'application/graphql-response+json' }

function document(query: string, code: string): Provocation {
  return { request: 'POST /graphql', headers: strict, body: { query }, status: 400, code }
}

const parts = (inner: string) => `score { parts { ${inner} } }`

const documents: Provocation[] = [
  document('{ scores', 'GRAPHQL_PARSE_FAILED'),
  document('{ zzz }', 'GRAPHQL_VALIDATION_FAILED'),
  document(`{ parts(limit: 1) { ${parts(parts(parts('id')))} } }`, 'QUERY_TOO_DEEP'),
  document(`{ parts { ${parts(parts('id title'))} } }`, 'QUERY_TOO_COSTLY'),
  {
    request: 'POST /graphql',
    headers: strict,
    body: { extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } },
    status: 400,
    code: 'PERSISTED_QUERY_NOT_FOUND',
  },
]

/** `Query.longest` throws for one unit and does not end for another; the server has the setting `limits.codeSeconds` 1. */
const customCode: Provocation[] = [
  { request: 'GET /longest?unit=broken', status: 500, code: 'INTERNAL' },
  { request: 'GET /longest?unit=endless', status: 503, code: 'UNAVAILABLE', has: ['retry-after'] },
  {
    request: 'POST /graphql',
    body: { query: '{ longest(unit: "endless") { id } }' },
    status: 503,
    code: 'UNAVAILABLE',
    has: ['retry-after'],
  },
]

const addresses: Provocation[] = [
  { request: 'GET /partituren', status: 301, has: ['location', 'deprecation'] },
  { request: 'HEAD /partituren', status: 301, has: ['location', 'deprecation'] },
  { request: 'POST /partituren', body: {}, status: 308, has: ['location', 'deprecation'] },
  { request: 'OPTIONS /scores', status: 204, has: ['allow'] },
  { request: 'PUT /scores', body: {}, status: 405, code: 'METHOD_NOT_ALLOWED', has: ['allow'] },
  { request: 'BREW /scores', status: 501 },
  { request: `GET /scores?${'x'.repeat(9000)}`, status: 414 },
  { request: 'GET /scores', headers: { 'x-long': 'x'.repeat(60_000) }, status: 431 },
  { request: 'GET /changes', headers: { accept: 'text/csv' }, status: 406, code: 'NOT_ACCEPTABLE' },
  {
    request: 'POST /scores',
    ...operator,
    body: 'x',
    headers: { 'content-type': 'text/plain' },
    status: 415,
    code: 'UNSUPPORTED_MEDIA_TYPE',
  },
  {
    request: 'POST /scores',
    ...operator,
    body: `"${'x'.repeat(2_000_000)}"`,
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
  },
]

export const provocations: readonly Provocation[] = [
  ...rows,
  ...states,
  ...largeDelete,
  ...invalidBodies,
  ...documents,
  ...customCode,
  ...addresses,
]

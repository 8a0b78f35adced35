// The catalogue of error codes that both APIs use (docs/reference/errors.md#codes).

interface CatalogueEntry {
  status: number
  title: string
}

export const catalogue = {
  BAD_REQUEST: { status: 400, title: 'Bad request' },
  VALIDATION_FAILED: { status: 400, title: 'Validation failed' },
  GRAPHQL_PARSE_FAILED: { status: 400, title: 'The document is not GraphQL' },
  GRAPHQL_VALIDATION_FAILED: { status: 400, title: 'The document does not fit the schema' },
  PERSISTED_QUERY_NOT_FOUND: { status: 400, title: 'The document is not known here' },
  QUERY_TOO_DEEP: { status: 400, title: 'The query is too deep' },
  QUERY_TOO_COSTLY: { status: 400, title: 'The query is too costly' },
  UNAUTHENTICATED: { status: 401, title: 'Authentication required' },
  REAUTHENTICATION_REQUIRED: { status: 403, title: 'Reauthentication required' },
  FORBIDDEN: { status: 403, title: 'Access denied' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  NOT_ACCEPTABLE: { status: 406, title: 'Not acceptable' },
  CONFLICT: { status: 409, title: 'Conflict' },
  GONE: { status: 410, title: 'Gone' },
  PRECONDITION_FAILED: { status: 412, title: 'Precondition failed' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'Payload too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported media type' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'Idempotency key reused' },
  TOO_MANY_REQUESTS: { status: 429, title: 'Too many requests' },
  INTERNAL: { status: 500, title: 'Internal error' },
  UNAVAILABLE: { status: 503, title: 'Unavailable' },
} as const satisfies Record<string, CatalogueEntry>

export type Code = keyof typeof catalogue

/** What is wrong at one place of a request. */
export type DetailCode =
  | 'UNIQUE'
  | 'REFERENCE'
  | 'CASCADE'
  | 'STATE'
  | 'VERSION'
  | 'IDEMPOTENCY'
  | 'REQUIRED'
  | 'TYPE'
  | 'RANGE'
  | 'LENGTH'
  | 'PATTERN'
  | 'COMMON'
  | 'UNKNOWN'
  | 'READONLY'
  | 'WRONG'
  | 'ACTING'
  | 'DAMAGED'
  | 'FULL'

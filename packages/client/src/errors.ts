// The error types: the server answered with GraphQL errors, with something other than a GraphQL response, or not at all.

export interface GraphQLErrorShape {
  readonly message: string
  readonly path?: readonly (string | number)[]
  readonly locations?: readonly { line: number; column: number }[]
  /** `code` is a code of the service's catalogue. */
  readonly extensions?: { readonly code?: string } & Readonly<Record<string, unknown>>
}

/** A GraphQL response. */
export interface Answer {
  readonly data?: Record<string, unknown> | null
  readonly errors?: readonly GraphQLErrorShape[]
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** The server understood the request, and refused it or failed. */
export class GraphQLErrors extends Error {
  override readonly name = 'GraphQLErrors'
  readonly errors: readonly GraphQLErrorShape[]
  /** The data beside the errors. */
  readonly data: Record<string, unknown> | null | undefined

  constructor({ errors = [], data }: Answer) {
    super(errors.map(({ message }) => message).join('\n'))
    this.errors = errors
    this.data = data
  }
}

/** Problem details (RFC 9457), as in Twain's REST API. */
export interface Problem {
  readonly type?: string
  readonly title?: string
  readonly status?: number
  readonly detail?: string
  readonly instance?: string
  readonly code?: string
  readonly errors?: readonly { path: string; code: string; message: string }[]
}

/** Not a GraphQL response: a proxy's page, problem details, or text that is not JSON. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly status: number
  readonly body: string
  /** The body, where it is `application/problem+json`. */
  readonly problem: Problem | null
  readonly headers: Headers

  constructor(status: number, headers: Headers, body: string) {
    const problem = headers.get('content-type')?.includes('problem+json')
      ? (parseJson(body) as Problem | undefined)
      : null
    super(problem?.detail ?? problem?.title ?? `No GraphQL answer, but HTTP ${status}`)
    this.status = status
    this.headers = headers
    this.body = body
    this.problem = problem ?? null
  }
}

/** No response: the connection failed, or the timeout passed. `cause` says which. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'

  constructor(cause: unknown) {
    super(cause instanceof Error ? `No answer: ${cause.message}` : 'No answer', { cause })
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

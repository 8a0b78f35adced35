// An expected failure: a code of the catalogue, a message, a hint, and every place that is wrong.
// Anything else that is thrown is a bug: the adapters mask it and the log shows it.

import { type Code, catalogue, type DetailCode } from './catalogue.ts'

export interface Problem {
  /** The place in the request, in the syntax of its API: `title`, `where.author.nme`, `createdAt[gte]`. */
  path: string
  code: DetailCode
  message: string
  /** The transition that the rules denied, for the explanation of the denial. Responses leave it out: the viewer may be unable to
   *  read the state. */
  transition?: { from: string; to: string }
}

/** What clients get of a problem. */
export function publicProblem({ path, code, message }: Problem): Problem {
  return { path, code, message }
}

/** A right that the rules denied, as `to` of `@allow` names it. */
export type DeniedRight = 'CREATE' | 'UPDATE' | 'DELETE'

interface ApiErrorOptions {
  hint?: string | undefined
  problems?: Problem[] | undefined
  headers?: Record<string, string> | undefined
  place?: string | undefined
  deniedRight?: DeniedRight | undefined
  cause?: unknown
}

export class ApiError extends Error {
  readonly code: Code
  readonly hint: string | undefined
  readonly problems: Problem[]
  /** Header fields of the response, such as `Allow` or `Retry-After`. */
  readonly headers: Record<string, string>
  /** Of several writes in one request, the one that failed: its number, or its key in the response. */
  readonly place: string | undefined
  /** Of a write that may be one of several, such as a PUT: what the rules denied of it. For the explanation; responses leave it out. */
  readonly deniedRight: DeniedRight | undefined

  constructor(code: Code, message: string, options: ApiErrorOptions = {}) {
    super(shorten(message, maxMessageLength), { cause: options.cause })
    this.name = 'ApiError'
    this.code = code
    this.hint = options.hint === undefined ? undefined : shorten(options.hint, maxMessageLength)
    this.problems = options.problems ?? []
    this.headers = options.headers ?? {}
    this.place = options.place
    this.deniedRight = options.deniedRight
  }

  get status(): number {
    return catalogue[this.code].status
  }

  get title(): string {
    return catalogue[this.code].title
  }
}

/** The same error with another hint. */
export function withHint(error: ApiError, hint: string | undefined): ApiError {
  const { code, message, problems, headers, place } = error
  return new ApiError(code, message, { problems, headers, place, hint, cause: error })
}

/** Checks stop beyond this many problems, so that a request with a hundred thousand costs no more than one with twenty. */
const maxProblems = 20

export function hasEnoughProblems(problems: readonly Problem[]): boolean {
  return problems.length > maxProblems
}

/** Characters; longer input is quoted in part. */
const maxMessageLength = 1000

/** Leaves out the middle: a message begins with the quoted input and ends with what is wrong. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text
  const start = Math.floor(maxLength / 4)
  return `${text.slice(0, start)}…${text.slice(start + 1 - maxLength)}`.toWellFormed()
}

/** One error for all problems of a request. Its message is the first problem's and says how many more there are. */
export function validationError(found: readonly Problem[], code: Code = 'VALIDATION_FAILED'): ApiError {
  const problems = found.slice(0, maxProblems).map(({ path, code, message }) => {
    return { path: shorten(path, 200), code, message: shorten(message, 500) }
  })
  const [first] = problems
  const others = hasEnoughProblems(found) ? `${maxProblems} or more others` : `${problems.length - 1} more`
  const more = problems.length > 1 ? ` (and ${others})` : ''
  return new ApiError(
    code,
    `${first?.path ? `${first.path}: ` : ''}${first?.message ?? 'The request is not valid.'}${more}`,
    {
      problems,
    },
  )
}

/** For errors of custom code: an error whose code is in the catalogue becomes an ApiError, whatever its class. `INTERNAL` is
 *  reserved for unexpected errors. */
export function asApiError(error: unknown): unknown {
  if (error instanceof ApiError || typeof error !== 'object' || error === null) return error
  const { code, message, hint } = error as { code?: unknown; message?: unknown; hint?: unknown }
  if (!isCode(code) || typeof message !== 'string') return error
  return new ApiError(code, message, { hint: typeof hint === 'string' ? hint : undefined, cause: error })
}

function isCode(code: unknown): code is Code {
  return typeof code === 'string' && code !== 'INTERNAL' && Object.hasOwn(catalogue, code)
}

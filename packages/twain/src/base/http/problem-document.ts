// Problem details (RFC 9457): the one shape of an error response.

import type { ApiError, Problem } from '../errors/api-error.ts'
import type { HttpReply } from './messages.ts'

export interface ProblemDocument {
  type: 'about:blank'
  title: string
  status: number
  detail: string
  /** The path of the request, or the id of the log entry. */
  instance?: string | undefined
  code: string
  errors: readonly Problem[]
  hint?: string | undefined
}

/** An `ApiError`, or a failure before there was a request. */
type ProblemSource = Omit<ProblemDocument, 'type' | 'detail' | 'instance' | 'errors'> & {
  message: string
  problems: readonly Problem[]
}

export function problemDocument(source: ProblemSource, instance?: string): ProblemDocument {
  const { title, status, message: detail, code, problems: errors, hint } = source
  return { type: 'about:blank', title, status, detail, instance, code, errors, hint }
}

export function problemReply(error: ApiError, instance?: string): HttpReply {
  const body = JSON.stringify(problemDocument(error, instance))
  return { status: error.status, headers: problemHeaders(error, 'application/problem+json'), body }
}

export function problemHeaders({ status, headers }: ApiError, type: string): HttpReply['headers'] {
  return {
    'content-type': type,
    'cache-control': 'no-store',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}), // RFC 9110, 15.5.2
    ...headers,
  }
}

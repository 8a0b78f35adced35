// An ApiError as problem details (RFC 9457; docs/reference/rest.md, R70, R71), in JSON or XML.

import { type ApiError, type Problem, publicProblem } from '#base'
import { type HttpReply, type HttpRequest, problemReply } from '#base/http'
import { printPointer } from '../plan/json-patch.ts'
import { isRecordBody } from '../request/record-body.ts'

export function representProblem(error: ApiError, request: HttpRequest): HttpReply {
  const { title, status, message, code, hint, headers } = error
  const problems = problemsOf(error, request).map((problem) => withPointer(problem, request))
  return problemReply({ title, status, message, code, hint, headers, problems }, request)
}

/** Depth and cost errors have no path: a plan does not know its parameters. In REST only `fields` can cause them. */
function problemsOf({ code, message, problems }: ApiError, { query }: HttpRequest): readonly Problem[] {
  const isTooMuch = code === 'QUERY_TOO_DEEP' || code === 'QUERY_TOO_COSTLY'
  if (!isTooMuch || problems.length > 0 || !isParameter('fields', query)) return problems
  return [{ path: 'fields', code: 'RANGE', message }]
}

/** Adds a JSON pointer to problems of the body; of NDJSON and CSV, the line. Other paths name a parameter, a header or the id of the path. */
function withPointer(
  problem: Problem,
  { method, query, headers }: HttpRequest,
): Problem & { pointer?: string; line?: number } {
  const { path, code, message } = problem
  const [first = '', ...more] = path.split('.')
  const hasBody = method !== 'GET' && method !== 'HEAD' && headers['content-type'] !== undefined
  if (!hasBody || path === '' || first.includes('-') || isParameter(first, query)) return publicProblem(problem)
  if (isRecordBody(headers['content-type']))
    return /^\d+$/.test(first) ? { path, line: Number(first), code, message } : publicProblem(problem)
  return { path, pointer: printPointer([first, ...more]), code, message }
}

function isParameter(name: string, query: string): boolean {
  return query !== '' && query.split('&').some((part) => part === name || part.startsWith(`${name}=`))
}

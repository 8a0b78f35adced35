// Error replies that no API has formatted: ApiErrors of this module, errors of HTTP itself, and bugs. At `/graphql` they are GraphQL
// responses, elsewhere problem details (RFC 9457). Of a bug the client sees only an id; the log has the details under the same id.

import { ApiError, type Log, stackOf, uuidv7 } from '#base'
import { type HttpReply, type HttpRequest, type ProblemSource, problemReply } from '#base/http'

/** The part of a request that decides the format of an error. */
export type RefusedRequest = Pick<HttpRequest, 'path' | 'basePath' | 'origin' | 'headers'>

export function problem(error: unknown, request: RefusedRequest, log: Log): HttpReply {
  const { error: apiError, id } = toApiError(error, log)
  return formatProblem(apiError, request, id)
}

/** `id` is a UUID that stands for the request in `instance`. Without it that is the path. */
export function formatProblem(source: ProblemSource, request: RefusedRequest, id?: string): HttpReply {
  if (request.path === '/graphql') return graphqlProblem(source, request, id)
  return problemReply(source, request, id === undefined ? undefined : `urn:uuid:${id}`)
}

/** GraphQL over HTTP, section 6.4: no document was executed, so the status shows the error. */
function graphqlProblem(source: ProblemSource, { headers: { accept } }: RefusedRequest, id?: string): HttpReply {
  const { status, code, hint, problems, message, headers } = source
  const extensions = { code, hint, id, errors: problems.length > 0 ? problems : undefined }
  const media = accept?.includes('application/graphql-response+json')
    ? 'application/graphql-response+json'
    : 'application/json'
  return {
    status,
    headers: { 'content-type': `${media}; charset=utf-8`, 'cache-control': 'no-store', ...headers },
    body: JSON.stringify({ errors: [{ message, extensions }] }),
  }
}

function toApiError(error: unknown, log: Log): { error: ApiError; id?: string } {
  if (error instanceof ApiError) return { error }
  const id = uuidv7()
  log.error({ error_id: id, 'exception.stacktrace': stackOf(error) }, 'request failed')
  return { error: new ApiError('INTERNAL', `Internal error. The server log has the details under error_id ${id}.`), id }
}

// Error replies that no API has formatted, as problem+json (RFC 9457): ApiErrors of this module, and bugs. Of a bug the client
// sees only an id; the log has the details under the same id.

import { ApiError, type Log, stackOf, uuidv7 } from '#base'
import { type HttpReply, type HttpRequest, problemReply } from '#base/http'

export function problem(error: unknown, log: Log): HttpReply {
  const { error: apiError, id } = toApiError(error, log)
  return problemReply(apiError, id === undefined ? undefined : `urn:uuid:${id}`)
}

/** The same as a GraphQL response (GraphQL over HTTP, section 6.4): no document was executed, so the status shows the error. */
export function graphqlProblem(error: unknown, { headers }: HttpRequest, log: Log): HttpReply {
  const { error: apiError, id } = toApiError(error, log)
  const { code, hint, problems, message } = apiError
  const extensions = { code, hint, id, errors: problems.length > 0 ? problems : undefined }
  const media = headers.accept?.includes('application/graphql-response+json')
    ? 'application/graphql-response+json'
    : 'application/json'
  return {
    status: apiError.status,
    headers: { 'content-type': `${media}; charset=utf-8`, 'cache-control': 'no-store', ...apiError.headers },
    body: JSON.stringify({ errors: [{ message, extensions }] }),
  }
}

function toApiError(error: unknown, log: Log): { error: ApiError; id?: string } {
  if (error instanceof ApiError) return { error }
  const id = uuidv7()
  log.error({ error_id: id, 'exception.stacktrace': stackOf(error) }, 'request failed')
  return { error: new ApiError('INTERNAL', `Internal error. The server log has the details under error_id ${id}.`), id }
}

// Failures that no door has put into its own words, as problem+json (RFC 9457): Faults of the HTTP floor itself, and
// bugs, of which the caller sees an id and nothing else while the log has the rest under the same id.

import { ApiError, type HttpReply, type HttpRequest, type Log, problemReply, stackOf, uuidv7 } from '#base'

export function problem(error: unknown, log: Log): HttpReply {
  const { fault, id } = toApiError(error, log)
  return problemReply(fault, id === undefined ? undefined : `urn:uuid:${id}`)
}

/** The same in the words of GraphQL (over HTTP, section 6.4: no answer of the door's own, so the status tells it). */
export function graphqlProblem(error: unknown, { headers }: HttpRequest, log: Log): HttpReply {
  const { fault, id } = toApiError(error, log)
  const { code, hint, problems, message } = fault
  const extensions = { code, hint, id, errors: problems.length > 0 ? problems : undefined }
  const media = headers.accept?.includes('application/graphql-response+json')
    ? 'application/graphql-response+json'
    : 'application/json'
  return {
    status: fault.status,
    headers: { 'content-type': `${media}; charset=utf-8`, 'cache-control': 'no-store', ...fault.headers },
    body: JSON.stringify({ errors: [{ message, extensions }] }),
  }
}

function toApiError(error: unknown, log: Log): { fault: ApiError; id?: string } {
  if (error instanceof ApiError) return { fault: error }
  const id = uuidv7()
  log.error({ error_id: id, 'exception.stacktrace': stackOf(error) }, 'request failed')
  return { fault: new ApiError('INTERNAL', `Internal error. The server log has the details under error_id ${id}.`), id }
}

// Failures that no door has put into its own words, as problem+json (RFC 9457): Faults of the HTTP floor itself, and
// bugs, of which the caller sees an id and nothing else while the log has the rest under the same id.

import { Fault, type HttpReply, type Log, stackOf, uuidv7 } from '#base'

export function problem(error: unknown, log: Log): HttpReply {
  if (error instanceof Fault) return faultReply(error)
  const id = uuidv7()
  log.error({ id, error: stackOf(error) }, 'a request failed')
  return faultReply(new Fault('INTERNAL', `Something went wrong on our side. The log knows more under ${id}.`), id)
}

function faultReply(fault: Fault, id?: string): HttpReply {
  const body = {
    type: 'about:blank',
    title: fault.title,
    status: fault.status,
    detail: fault.message,
    ...(id === undefined ? {} : { instance: `urn:uuid:${id}` }),
    code: fault.code,
    errors: fault.problems,
    hint: fault.hint,
  }
  return {
    status: fault.status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...fault.headers },
    body: JSON.stringify(body),
  }
}

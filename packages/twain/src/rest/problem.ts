// A Fault as problem+json (RFC 9457; docs/rest.md, R70).

import type { Fault, HttpReply, HttpRequest } from '#base'

export function representProblem(fault: Fault, { method, path }: HttpRequest): HttpReply {
  const body = JSON.stringify({
    type: 'about:blank',
    title: fault.title,
    status: fault.status,
    detail: fault.message,
    instance: path,
    code: fault.code,
    errors: fault.problems,
    hint: fault.hint,
  })
  const headers = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    ...(fault.status === 401 ? { 'www-authenticate': 'Bearer' } : {}), // RFC 9110, 15.5.2
    ...fault.headers,
  }
  if (method !== 'HEAD') return { status: fault.status, headers, body }
  return {
    status: fault.status,
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    body: null,
  }
}

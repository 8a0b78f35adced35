// The span of a request, by the semantic conventions of HTTP servers. It continues the trace of the client's header fields.
// The query string is left out, as in the log: it has values of the client.

import { markFailed, type RequestSpan, recordError, type Span, type Tracing, traceparentOf } from '#base'
import type { IncomingRequest } from './request/incoming-request.ts'

export class HttpRequestSpan implements RequestSpan {
  readonly #tracing: Tracing
  readonly #span: Span
  readonly #method: string
  #hasError = false

  constructor(tracing: Tracing, request: IncomingRequest) {
    const { method, path, basePath, address, headers, localOrigin } = request
    const server = new URL(request.origin ?? localOrigin)
    this.#tracing = tracing
    this.#method = method
    this.#span = tracing.startFromHeaders(method, headers, {
      kind: 'server',
      attributes: {
        'http.request.method': method,
        'url.path': basePath + path,
        'url.scheme': server.protocol.slice(0, -1),
        'server.address': server.hostname,
        'server.port': Number(server.port || (server.protocol === 'https:' ? 443 : 80)),
        'client.address': address,
        'user_agent.original': headers['user-agent'],
      },
    })
  }

  get traceparent(): string {
    return traceparentOf(this.#span)
  }

  run<T>(work: () => T): T {
    return this.#tracing.run(this.#span, work)
  }

  recordError(error: unknown): void {
    this.#hasError = true
    recordError(this.#span, error)
  }

  /** `route`: the template of the path; null: it is not known. The conventions make a failure of a 5xx only. */
  end(status: number, route: string | null, requestId: string): void {
    if (route !== null) {
      this.#span.updateName(`${this.#method} ${route}`)
      this.#span.setAttribute('http.route', route)
    }
    this.#span.setAttribute('http.response.status_code', status)
    this.#span.setAttribute('http.request.header.x-request-id', [requestId])
    if (status >= 500 && !this.#hasError) markFailed(this.#span, String(status))
    this.#span.end()
  }
}

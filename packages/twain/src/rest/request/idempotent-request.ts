// A request with an `Idempotency-Key` (docs/reference/rest.md, R150–R152). A key belongs to one viewer and one operation; a
// retry must repeat the query, the content type and the body.

import { type HttpRequest, type IdempotencyKey, idempotencyKeyOf, readIdempotencyKey, type Viewer } from '#base/http'

interface IdempotentRequest {
  /** Null without the header. */
  idempotencyKey: IdempotencyKey | null
  /** The same request; with a key its body is already in memory. */
  request: HttpRequest
}

/** `operation`: the method and the path. */
export async function readIdempotentRequest(
  request: HttpRequest,
  viewer: Viewer,
  operation: string,
): Promise<IdempotentRequest> {
  const key = readIdempotencyKey(request.headers['idempotency-key'])
  if (key === null) return { idempotencyKey: null, request }
  const body = await request.body()
  const parts = [request.query, request.headers['content-type'] ?? '', body]
  return { idempotencyKey: idempotencyKeyOf(key, viewer, operation, parts), request: withBody(request, body) }
}

/** The same request with a body that is already read. */
export function withBody(request: HttpRequest, body: Uint8Array): HttpRequest {
  const { method, path, query, headers, address } = request
  return {
    ...{ method, path, query, headers, address },
    ...(request.origin === undefined ? {} : { origin: request.origin }),
    ...(request.context === undefined ? {} : { context: request.context }),
    body: async () => body,
    stream: (limit, setting) => request.stream(limit, setting),
  }
}

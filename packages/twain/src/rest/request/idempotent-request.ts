// A request with an `Idempotency-Key` (docs/reference/rest.md, R150–R152): the key counts for its viewer and what it is used for; what
// else the request says must be the same when it comes again.

import { type HttpRequest, type IdempotencyKey, idempotencyKeyOf, readIdempotencyKey, type Viewer } from '#base'

interface IdempotentRequest {
  /** Null: it has no key. */
  idempotencyKey: IdempotencyKey | null
  /** The same request, whose body is there to be read. */
  request: HttpRequest
}

/** `operation` is the method and the path. */
export async function readIdempotentRequest(
  request: HttpRequest,
  viewer: Viewer,
  operation: string,
): Promise<IdempotentRequest> {
  const key = readIdempotencyKey(request.headers['idempotency-key'])
  if (key === null) return { idempotencyKey: null, request }
  const body = await request.body()
  const once = idempotencyKeyOf(key, viewer, operation, [request.query, request.headers['content-type'] ?? '', body])
  return { idempotencyKey: once, request: withBody(request, body) }
}

/** The same request with a body that is already read. */
export function withBody(request: HttpRequest, body: Uint8Array): HttpRequest {
  const { method, path, query, headers, address } = request
  return {
    ...{ method, path, query, headers, address },
    ...(request.origin === undefined ? {} : { origin: request.origin }),
    ...(request.context === undefined ? {} : { context: request.context }),
    body: async () => body,
    stream: (limit) => request.stream(limit),
  }
}

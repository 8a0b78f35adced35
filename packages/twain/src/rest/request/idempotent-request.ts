// A request with an `Idempotency-Key` (docs/reference/rest.md, R150–R152): the key counts for its viewer and what it is used for; what
// else the request says must be the same when it comes again.

import { type HttpRequest, type IdempotencyKey, idempotencyKeyOf, readIdempotencyKey, type Viewer } from '#base'
import { withBody } from './with-body.ts'

interface KeyedRequest {
  /** Null: it has no key. */
  once: IdempotencyKey | null
  /** The same request, whose body is there to be read. */
  request: HttpRequest
}

/** `operation` is the method and the path. */
export async function readKeyed(request: HttpRequest, viewer: Viewer, operation: string): Promise<KeyedRequest> {
  const key = readIdempotencyKey(request.headers['idempotency-key'])
  if (key === null) return { once: null, request }
  const body = await request.body()
  const once = idempotencyKeyOf(key, viewer, operation, [request.query, request.headers['content-type'] ?? '', body])
  return { once, request: withBody(request, body) }
}

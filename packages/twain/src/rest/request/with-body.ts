// The same request, its body read already.

import type { HttpRequest } from '#base'

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

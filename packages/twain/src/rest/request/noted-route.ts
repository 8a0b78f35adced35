// The template of the path that a request uses, for metrics and traces. It never has a value of the client.

import { errorPages, type HttpRequest } from '#base/http'

export function noteRoute({ context }: HttpRequest, template: string): void {
  if (context !== undefined) context.route = template
}

/** For a path that belongs to the REST API but to no resource: `/webhooks/w1/deliveries` is `/webhooks/{id}/deliveries`.
 *  Returns the request. */
export function noteReserved(request: HttpRequest): HttpRequest {
  noteRoute(request, reservedTemplate(request.path))
  return request
}

function reservedTemplate(path: string): string {
  if (path.startsWith(`${errorPages}/`)) return `${errorPages}/{code}`
  if (path.startsWith('/docs') || path.startsWith('/metrics/') || path === '/codes/link') return path
  const [, first, id, ...more] = path.split('/')
  return id === undefined ? path : ['', first, '{id}', ...more].join('/')
}

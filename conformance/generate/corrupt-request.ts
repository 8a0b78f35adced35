// Makes an invalid request from a valid one.

import type { Draw } from './draw.ts'

interface Call {
  method: string
  path: string
  body: unknown
}

/** Null: not this time. The request may happen to be valid; both stores must then answer it alike. */
export function corruptRequest(draw: Draw, { method, path, body }: Call): Call | null {
  if (draw.between(0, 4) > 1) return null
  const [place = '', query = ''] = path.split('?')
  switch (draw.between(0, 5)) {
    case 0:
      return { method: 'GET', path: `${place}?${query}&sort=nothing`, body: undefined }
    case 1:
      return { method: 'GET', path: `${place}?limit=-1`, body: undefined }
    case 2:
      return { method: 'DELETE', path: `${place}/nowhere`, body: undefined }
    case 3:
      return { method: 'PATCH', path: `${place}/nowhere`, body: {} }
    case 4:
      return body === undefined ? null : { method, path, body: { ...(body as object), nothing: 1 } }
    default:
      return { method: 'GET', path: `${place}/nowhere?fields=id`, body: undefined }
  }
}

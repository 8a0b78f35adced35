// `GET /docs/access`: who may do what, by the rules of the schema file (docs/reference/rest.md, R340–R342). The module auth decides; this
// file translates.

import { accessFilters, admitAccess, readAccessMatrix } from '#auth'
import type { HttpReply, HttpRequest, Viewer } from '#base/http'
import type { Model } from '#model'
import { representOptions } from '../represent/represent.ts'
import { acceptJson } from '../request/accept.ts'
import { readParameters } from '../request/plain-parameters.ts'
import { allowedMethod } from '../request/route.ts'

const route = { methods: ['GET', 'HEAD', 'OPTIONS'] } as const

export function isAccessMatrixPath(path: string): boolean {
  return path === '/docs/access'
}

export function answerAccessMatrix(request: HttpRequest, viewer: Viewer, model: Model): HttpReply {
  if (allowedMethod(request.method, route) === 'OPTIONS') return representOptions(route)
  admitAccess(viewer, model)
  acceptJson(request)
  const { type = null, as = null, action = null } = readParameters(request, accessFilters)
  const matrix = readAccessMatrix({ type, as, action }, (filter) => filter, viewer, model)
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  return { status: 200, headers, body: JSON.stringify(matrix) }
}

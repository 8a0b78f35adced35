// `/docs/contract`: the served schema file with its rules, and the usage of its types and fields (docs/reference/rest.md, R183).
// `twain check --against https://…` reads it in CI.

import { ApiError } from '#base'
import { type HttpReply, type HttpRequest, system, type Viewer } from '#base/http'
import { representOptions } from '../represent/represent.ts'
import { acceptJson } from '../request/accept.ts'
import { expectNoParameters } from '../request/query-string.ts'
import { allowedMethod } from '../request/route.ts'

const route = { methods: ['GET', 'HEAD', 'OPTIONS'] } as const

export function isServedSchemaPath(path: string): boolean {
  return path === '/docs/contract'
}

/** `describe` returns the JSON. */
export async function answerServedSchema(
  request: HttpRequest,
  viewer: Viewer,
  isForAll: boolean,
  describe: () => Promise<string>,
): Promise<HttpReply> {
  if (allowedMethod(request.method, route) === 'OPTIONS') return representOptions(route)
  if (!isForAll && viewer !== system && !viewer.roles.includes('admin')) {
    if (!viewer.authenticated) {
      throw new ApiError('UNAUTHENTICATED', 'The schema file needs a token with the role admin.', {
        headers: { 'www-authenticate': 'Bearer' },
      })
    }
    throw new ApiError('FORBIDDEN', 'The schema file needs the role admin.', {
      hint: 'Create a token with: twain token --role admin',
    })
  }
  acceptJson(request)
  expectNoParameters(request)
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  return { status: 200, headers, body: await describe() }
}

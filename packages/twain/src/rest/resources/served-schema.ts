// `/docs/contract`: the schema file that is being served, with its rules, and who used what of it (docs/reference/rest.md, R183). For
// those who write it, in CI: `twain check --against https://…`.

import { ApiError, type HttpReply, type HttpRequest, system, type Viewer } from '#base'
import { representOptions } from '../represent/represent.ts'
import { acceptJson } from '../request/accept.ts'
import { expectNoParameters } from '../request/query-string.ts'
import { allowedMethod } from '../request/route.ts'

const route = { methods: ['GET', 'HEAD', 'OPTIONS'] } as const

export function isServedSchemaPath(path: string): boolean {
  return path === '/docs/contract'
}

/** `describe` gives it as JSON. */
export async function answerServedSchema(
  request: HttpRequest,
  viewer: Viewer,
  isForAll: boolean,
  describe: () => Promise<string>,
): Promise<HttpReply> {
  if (allowedMethod(request.method, route) === 'OPTIONS') return representOptions(route)
  if (!isForAll && viewer !== system && !viewer.roles.includes('admin')) {
    if (!viewer.authenticated) {
      throw new ApiError('UNAUTHENTICATED', 'The schema file is told to who signs in, with the role admin.', {
        headers: { 'www-authenticate': 'Bearer' },
      })
    }
    throw new ApiError('FORBIDDEN', 'The schema file, with its rules, is for the role admin.', {
      hint: 'twain token --role admin makes a token.',
    })
  }
  acceptJson(request)
  expectNoParameters(request)
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  return { status: 200, headers, body: await describe() }
}

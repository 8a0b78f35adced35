// `/background-jobs` and `/background-jobs/{id}` for administrators (docs/reference/rest.md, R200–R202). The module jobs decides. No
// response may be cached.

import { ApiError, isRecord, validationError } from '#base'
import { expectAdmin, type HttpReply, type HttpRequest, pageTag, type Viewer } from '#base/http'
import type { JobAdmin } from '#jobs'
import type { Limits } from '#plan'
import { representOptions, representUncached } from '../represent/represent.ts'
import { offsetLinks } from '../represent/response-headers.ts'
import { acceptJson } from '../request/accept.ts'
import { mergePatchTypes, readPatchBody } from '../request/body.ts'
import { readOffsetPage } from '../request/offset-page.ts'
import { expectNoPreconditions } from '../request/preconditions.ts'
import { decodePercentOrFail, expectNoParameters, parseQuery } from '../request/query-string.ts'
import { allowedMethod } from '../request/route.ts'

const collection = { methods: ['GET', 'HEAD', 'OPTIONS'] } as const
const item = { methods: ['GET', 'HEAD', 'PATCH', 'OPTIONS'] } as const

const pathForm = /^\/background-jobs(?:\/([^/]+))?$/

export function isJobPath(path: string): boolean {
  return path.startsWith('/background-jobs') && pathForm.test(path)
}

export async function answerJobs(
  request: HttpRequest,
  viewer: Viewer,
  admin: JobAdmin,
  limits: Limits,
): Promise<HttpReply> {
  const [, encoded] = pathForm.exec(request.path) ?? []
  const route = encoded === undefined ? collection : item
  const method = allowedMethod<(typeof item)['methods'][number]>(request.method, route)
  if (method === 'OPTIONS') return representOptions(route, mergePatchTypes.join(', '))
  expectAdmin(viewer, 'Background jobs')
  acceptJson(request)
  if (encoded === undefined) return answerList(request, admin, limits)
  const id = decodePercentOrFail(encoded, 'The path')
  expectNoParameters(request)
  const found = method === 'PATCH' ? await change(request, id, admin) : await admin.find(id)
  if (found === null) throw new ApiError('NOT_FOUND', `There is no BackgroundJob with the id "${id}".`)
  const text = JSON.stringify(found)
  return representUncached(request, text, pageTag(text))
}

async function answerList(request: HttpRequest, admin: JobAdmin, limits: Limits): Promise<HttpReply> {
  const { limit, offset } = readOffsetPage(request, limits, ['state', 'name'])
  const { filters, unpagedParts } = parseQuery(request.query)
  const chosen = (key: string) => filters.find((filter) => filter.key === key)?.text ?? null
  const found = await admin.list({ state: chosen('state'), name: chosen('name'), offset, limit: limit + 1 })
  const link = offsetLinks(request.path, unpagedParts, { limit, offset, more: found.length > limit })
  const text = JSON.stringify(found.slice(0, limit))
  return representUncached(request, text, pageTag(text), link === null ? {} : { link })
}

async function change(request: HttpRequest, id: string, admin: JobAdmin) {
  expectNoPreconditions(request)
  const { kind, body } = await readPatchBody(request)
  if (kind === 'operations' || !isRecord(body))
    throw validationError([{ path: '', code: 'TYPE', message: 'must be an object with the new state.' }])
  const unknown = Object.keys(body).filter((name) => name !== 'state')
  if (unknown.length > 0)
    throw validationError(
      unknown.map((path) => ({ path, code: 'UNKNOWN', message: 'is not a member; there is state.' })),
    )
  return admin.setState(id, body.state)
}

// `/webhooks` and `/webhooks/{id}/deliveries` (docs/reference/rest.md, R135–R139). This file translates to and from HTTP; the
// module events decides. No response may be cached.

import { ApiError, isRecord, unreachable, validationError } from '#base'
import { expectAdmin, type HttpReply, type HttpRequest, itemTag, pageTag, type Viewer } from '#base/http'
import type { WebhookAdmin, Webhooks, WebhookView, WebhookWriteOptions } from '#events'
import type { Limits } from '#plan'
import { representOptions, representUncached } from '../represent/represent.ts'
import { offsetLinks } from '../represent/response-headers.ts'
import { acceptJson } from '../request/accept.ts'
import { mergePatchTypes, readJsonBody, readPatchBody } from '../request/body.ts'
import { readIdempotentRequest } from '../request/idempotent-request.ts'
import { readOffsetPage } from '../request/offset-page.ts'
import { expectNoPreconditions, readWritePreconditions } from '../request/preconditions.ts'
import { decodePercentOrFail, expectNoParameters } from '../request/query-string.ts'
import { allowedMethod } from '../request/route.ts'

const collection = { methods: ['GET', 'HEAD', 'POST', 'OPTIONS'] } as const
const item = { methods: ['GET', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS'] } as const

const pathForm = /^\/webhooks(?:\/([^/]+)(\/deliveries)?)?$/

export function isWebhookPath(path: string): boolean {
  return path.startsWith('/webhooks') && pathForm.test(path)
}

export async function answerWebhooks(
  request: HttpRequest,
  viewer: Viewer,
  webhooks: Webhooks,
  limits: Limits,
): Promise<HttpReply> {
  const [, encoded, below] = pathForm.exec(request.path) ?? []
  const id = encoded === undefined ? null : decodePercentOrFail(encoded, 'The path')
  const route = id === null || below !== undefined ? collection : item
  const method = allowedMethod<(typeof collection | typeof item)['methods'][number]>(request.method, route)
  if (method === 'OPTIONS') return representOptions(route, mergePatchTypes.join(', '))
  expectAdmin(viewer, 'Webhooks')
  acceptJson(request)
  const keyed = isWrite(method)
    ? await readIdempotentRequest(request, viewer, `${method} ${request.path}`)
    : { idempotencyKey: null, request }
  const call = {
    request: keyed.request,
    viewer,
    admin: await webhooks.admin(viewer),
    limits,
    options: { idempotencyKey: keyed.idempotencyKey },
  }
  if (id === null) return answerAll(method, call)
  return below === undefined ? answerOne(method, id, call) : answerDeliveries(method, id, call)
}

interface WebhookRequest {
  request: HttpRequest
  viewer: Viewer
  admin: WebhookAdmin
  limits: Limits
  options: WebhookWriteOptions
}

function isWrite(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD'
}

async function answerAll(method: string, { request, viewer, admin, options }: WebhookRequest): Promise<HttpReply> {
  expectNoParameters(request)
  if (method !== 'POST') return answerRead(request, (await admin.list()).map(publicView))
  expectNoPreconditions(request)
  const { value, replayed } = await admin.create(await readJsonBody(request), viewer, options)
  return answerWebhook(201, value, { location: `/webhooks/${value.id}`, ...replay(replayed) })
}

type ItemMethod = 'GET' | 'HEAD' | 'PATCH' | 'DELETE'

async function answerOne(
  method: string,
  id: string,
  { request, viewer, admin, options }: WebhookRequest,
): Promise<HttpReply> {
  expectNoParameters(request)
  switch (method as ItemMethod) {
    case 'GET':
    case 'HEAD': {
      const { text, etag } = printWebhook(expectFound(await admin.find(id), id))
      return representUncached(request, text, etag)
    }
    case 'PATCH': {
      const { kind, body } = await readPatchBody(request)
      if (kind === 'operations') throw noOperations()
      const done = await admin.update(id, body, viewer, { ...options, precondition: readWritePreconditions(request) })
      return answerWebhook(200, expectFound(done.value, id), replay(done.replayed))
    }
    case 'DELETE': {
      const { value, replayed } = await admin.delete(id, { ...options, precondition: readWritePreconditions(request) })
      if (!value.found) throw noWebhook(id)
      return { status: 204, headers: { 'cache-control': 'no-store', ...replay(replayed) }, body: null }
    }
    default:
      return unreachable(method as never)
  }
}

async function answerDeliveries(method: string, id: string, call: WebhookRequest): Promise<HttpReply> {
  const { request, admin, limits, options } = call
  if (method === 'POST') {
    expectNoParameters(request)
    expectNoPreconditions(request)
    const { value, replayed } = await admin.redeliver(id, readDeliveryId(await readJsonBody(request)), options)
    return answer(202, JSON.stringify(expectFound(value, id)), replay(replayed))
  }
  const { limit, offset } = readOffsetPage(request, limits)
  const found = expectFound(await admin.deliveries(id, offset, limit + 1), id)
  const link = offsetLinks(request.path, [], { limit, offset, more: found.length > limit })
  return answerRead(request, found.slice(0, limit), link === null ? {} : { link })
}

function readDeliveryId(body: unknown): unknown {
  if (!isRecord(body)) {
    throw validationError([{ path: '', code: 'TYPE', message: 'must be an object with the id of a delivery.' }])
  }
  const unknown = Object.keys(body).filter((name) => name !== 'delivery')
  if (unknown.length === 0) return (body as { delivery?: unknown }).delivery
  throw validationError(
    unknown.map((path) => ({ path, code: 'UNKNOWN', message: 'is not a member; there is delivery.' })),
  )
}

function answerWebhook(status: number, view: WebhookView, headers: Record<string, string> = {}): HttpReply {
  const { text, etag } = printWebhook(view)
  return answer(status, text, { etag, ...headers })
}

/** The ETag contains the version, as that of a row. */
function printWebhook(view: WebhookView): { text: string; etag: string } {
  const text = JSON.stringify(publicView(view))
  return { text, etag: itemTag(view.version, text) }
}

function publicView({ version: _, ...shown }: WebhookView): Omit<WebhookView, 'version'> {
  return shown
}

function answerRead(request: HttpRequest, list: readonly object[], headers: Record<string, string> = {}): HttpReply {
  const text = JSON.stringify(list)
  return representUncached(request, text, pageTag(text), headers)
}

function answer(status: number, body: string, headers: Record<string, string> = {}): HttpReply {
  const own = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  return { status, headers: { ...own, ...headers }, body }
}

function replay(isReplay: boolean): Record<string, string> {
  return isReplay ? { 'idempotent-replayed': 'true' } : {}
}

function expectFound<T>(found: T | null, id: string): T {
  if (found === null) throw noWebhook(id)
  return found
}

function noWebhook(id: string): ApiError {
  return new ApiError('NOT_FOUND', `There is no Webhook with the id "${id}".`)
}

function noOperations(): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Change a webhook with a merge patch.', {
    hint: 'Send it with "Content-Type: application/merge-patch+json" or "Content-Type: application/json".',
    headers: { 'accept-patch': mergePatchTypes.join(', ') },
  })
}

// `/webhooks` and `/webhooks/{id}/deliveries` (docs/rest.md, R135–R139). Who may, and what it means, is the affair of the room
// of events; here it is only said in HTTP's words, and nothing of it may be kept by any cache.

import { Fault, type HttpReply, type HttpRequest, isRecord, unreachable, type Viewer, validationFault } from '#base'
import { expectAdmin, type WebhookDesk, type Webhooks } from '#events'
import { checkOffset, checkPageSize, Draft, defaultPageSize, type Limits, textToValue } from '#plan'
import { acceptJson } from './accept.ts'
import { readJson, readPatchBody } from './body.ts'
import { expectNoParameters, expectParameters } from './expect-parameters.ts'
import { offsetLinks } from './link-header.ts'
import { decodeText } from './percent.ts'
import { parseQuery } from './query-string.ts'
import { representOptions } from './represent.ts'
import { allowedMethod } from './route.ts'

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
  const id = encoded === undefined ? null : decodeText(encoded, 'The path')
  const route = id === null || below !== undefined ? collection : item
  const method = allowedMethod<(typeof collection | typeof item)['methods'][number]>(request.method, route)
  if (method === 'OPTIONS') return representOptions(route)
  expectAdmin(viewer)
  acceptJson(request)
  const asked = { request, viewer, desk: await webhooks.desk(viewer), limits }
  if (id === null) return answerAll(method, asked)
  return below === undefined ? answerOne(method, id, asked) : answerDeliveries(method, id, asked)
}

interface Asked {
  request: HttpRequest
  viewer: Viewer
  desk: WebhookDesk
  limits: Limits
}

async function answerAll(method: string, { request, viewer, desk }: Asked): Promise<HttpReply> {
  expectNoParameters(request)
  if (method !== 'POST') return answer(200, await desk.list())
  const made = await desk.create(await readJson(request), viewer)
  return answer(201, made, { location: `/webhooks/${made.id}` })
}

type ItemMethod = 'GET' | 'HEAD' | 'PATCH' | 'DELETE'

async function answerOne(method: string, id: string, { request, viewer, desk }: Asked): Promise<HttpReply> {
  expectNoParameters(request)
  switch (method as ItemMethod) {
    case 'GET':
    case 'HEAD':
      return answer(200, expectThere(await desk.find(id), id))
    case 'PATCH': {
      const { kind, body } = await readPatchBody(request)
      if (kind === 'operations') throw noOperations()
      return answer(200, expectThere(await desk.update(id, body, viewer), id))
    }
    case 'DELETE':
      if (!(await desk.delete(id))) throw noWebhook(id)
      return { status: 204, headers: { 'cache-control': 'no-store' }, body: null }
    default:
      return unreachable(method as never)
  }
}

async function answerDeliveries(method: string, id: string, { request, desk, limits }: Asked): Promise<HttpReply> {
  if (method === 'POST') {
    expectNoParameters(request)
    const sent = expectThere(await desk.redeliver(id, deliveryIn(await readJson(request))), id)
    return answer(202, sent)
  }
  const { limit, offset } = readPage(request, limits)
  const found = expectThere(await desk.deliveries(id, offset, limit + 1), id)
  const link = offsetLinks(request.path, [], { limit, offset, more: found.length > limit })
  return answer(200, found.slice(0, limit), link === null ? {} : { link })
}

const int = { kind: 'scalar', name: 'Int' } as const

function readPage(request: HttpRequest, limits: Limits): { limit: number; offset: number } {
  const query = parseQuery(request.query)
  const draft = new Draft()
  draft.problems.push(...query.problems)
  expectParameters(query, ['limit', 'offset'], draft)
  const { words } = query
  const size = words.limit === undefined ? defaultPageSize : textToValue(int, words.limit)
  const from = words.offset === undefined ? 0 : textToValue(int, words.offset)
  const limit = checkPageSize(size, limits, 'limit', draft.problems)
  const offset = checkOffset(from, limits, 'offset', draft.problems)
  draft.finish(limits)
  return { limit, offset }
}

function deliveryIn(body: unknown): unknown {
  if (!isRecord(body)) {
    throw validationFault([{ path: '', code: 'TYPE', message: 'must be an object with the id of a delivery.' }])
  }
  const strange = Object.keys(body).filter((name) => name !== 'delivery')
  if (strange.length === 0) return (body as { delivery?: unknown }).delivery
  throw validationFault(
    strange.map((path) => ({ path, code: 'UNKNOWN', message: 'has no meaning here; there is delivery.' })),
  )
}

function answer(status: number, value: unknown, headers: Record<string, string> = {}): HttpReply {
  const own = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  return { status, headers: { ...own, ...headers }, body: JSON.stringify(value) }
}

function expectThere<T>(found: T | null, id: string): T {
  if (found === null) throw noWebhook(id)
  return found
}

function noWebhook(id: string): Fault {
  return new Fault('NOT_FOUND', `There is no Webhook with the id "${id}".`)
}

function noOperations(): Fault {
  return new Fault('UNSUPPORTED_MEDIA_TYPE', 'A webhook is changed by a merge patch.', {
    hint: 'Send it with "Content-Type: application/merge-patch+json" or "Content-Type: application/json".',
    headers: { 'accept-patch': 'application/merge-patch+json, application/json' },
  })
}

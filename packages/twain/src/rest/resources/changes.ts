// `/changes`: the change feed as CloudEvents (docs/reference/rest.md, R120–R134): a page, a long poll, or an event stream. All
// resume from the same cursor.

import type { ApiError } from '#base'
import { type HttpReply, type HttpRequest, matchesEntityTag, notModified, pageTag, type Viewer } from '#base/http'
import type { Engine } from '#engine'
import {
  type Events,
  type FeedFilter,
  type Interests,
  type LogPoint,
  longPoll,
  openStream,
  type RenderedEvent,
  resourceByPath,
  streamHeaders,
} from '#events'
import type { Resource } from '#model'
import { checkPageSize, defaultPageSize, PlanBuilder } from '#plan/build'
import { planFilters } from '../plan/filters.ts'
import { representOptions } from '../represent/represent.ts'
import { acceptFeed } from '../request/accept.ts'
import { maxWaitSeconds, preferredWaitSeconds } from '../request/headers.ts'
import { type ParsedQuery, parseQuery } from '../request/query-string.ts'
import { allowedMethod } from '../request/route.ts'
import { textToValue } from '../request/text-value.ts'

const int = { kind: 'scalar', name: 'Int' } as const
const feedRoute = { methods: ['GET', 'HEAD', 'OPTIONS'] } as const

export function isChangesPath(path: string): boolean {
  return path === '/changes'
}

export async function answerChanges(
  request: HttpRequest,
  viewer: Viewer,
  engine: Engine,
  events: Events,
): Promise<HttpReply> {
  const method = allowedMethod(request.method, feedRoute)
  if (method === 'OPTIONS') return representOptions(feedRoute)
  const format = acceptFeed(request)
  const feedRequest = readFeedRequest(request, viewer, engine)
  const interests = events.interests(viewer, feedRequest.of, feedRequest.filter)
  if (format === 'stream') return stream(request, feedRequest, interests, viewer, events)
  const { after } = feedRequest
  const answerAfter = (point: LogPoint) => answerPage(request, feedRequest, interests, point, viewer, engine, events)
  return after === null ? events.fromOldest(answerAfter) : answerAfter(await events.point(after))
}

async function answerPage(
  request: HttpRequest,
  { first }: FeedRequest,
  interests: Interests,
  after: LogPoint,
  viewer: Viewer,
  engine: Engine,
  events: Events,
): Promise<HttpReply> {
  const page = await events.page(interests, viewer, after, first)
  const wait = Math.min(preferredWaitSeconds(request), maxWaitSeconds(engine.limits))
  if (page.events.length > 0 || wait === 0 || request.method === 'HEAD') {
    return represent(request, page.events, page.endCursor, page.hasNextPage, wait)
  }
  // Waits even if the log has more entries: they may be invisible to this viewer, who would poll again at once.
  const { events: found, point } = await longPoll(interests, page.point, wait, viewer, request, events)
  const shown = found.slice(0, first)
  const endCursor = shown.at(-1)?.cursor ?? events.cursor(point)
  return represent(request, shown, endCursor, shown.length < found.length, wait)
}

interface FeedRequest {
  /** Null for all types. */
  of: Resource | null
  filter: FeedFilter | undefined
  first: number
  after: string | null
}

function readFeedRequest(request: HttpRequest, viewer: Viewer, engine: Engine): FeedRequest {
  const query = parseQuery(request.query)
  const builder = new PlanBuilder(engine.visibility(viewer))
  builder.problems.push(...query.problems)
  const [named, ...again] = query.filters.filter(({ key }) => key === 'resource')
  if (again.length > 0) builder.problem('resource', 'UNKNOWN', 'appears more than once.')
  const of = named === undefined ? null : resourceByPath(named.text, engine.model, 'resource', builder.problems)
  // Authentication has already used the ticket.
  const filters = query.filters.filter(({ key }) => key !== 'resource' && key !== 'ticket')
  expectFeedParameters(query, builder)
  if (named === undefined && filters.length > 0) {
    builder.problem(filters[0]!.key, 'UNKNOWN', 'is not a parameter here; filters need resource=.')
  }
  const where = of === null || filters.length === 0 ? null : planFilters(filters, of, builder)
  const size = query.parameters.first === undefined ? defaultPageSize : textToValue(int, query.parameters.first)
  const first = checkPageSize(size, engine.limits, 'first', builder.problems)
  builder.finish(engine.limits)
  const filter = filters.length === 0 ? undefined : { where, values: builder.values(), places: builder.places }
  return { of, filter, first, after: query.parameters.after ?? null }
}

function expectFeedParameters({ parameters: words }: ParsedQuery, builder: PlanBuilder): void {
  for (const word of Object.keys(words)) {
    if (word === 'first' || word === 'after' || word === 'where') continue
    builder.problem(word, 'UNKNOWN', 'is not a parameter here; there is first, after, resource, and filters.')
  }
}

function represent(
  request: HttpRequest,
  events: readonly RenderedEvent[],
  endCursor: string,
  hasNextPage: boolean,
  wait: number,
): HttpReply {
  const edges = events.map(({ text, cursor }) => `{"node":${text},"cursor":"${cursor}"}`)
  const pageInfo = JSON.stringify({ hasNextPage, endCursor })
  const body = `{"edges":[${edges.join(',')}],"pageInfo":${pageInfo}}`
  const etag = pageTag(body)
  const headers: Record<string, string> = {
    'cache-control': 'private, no-cache',
    vary: 'accept, authorization, prefer',
    etag,
    ...(wait > 0 ? { 'preference-applied': `wait=${wait}` } : {}),
  }
  const type = 'application/json; charset=utf-8'
  if (matchesEntityTag(etag, request.headers['if-none-match']))
    return notModified(headers, { type, length: body.length })
  return { status: 200, headers: { 'content-type': type, ...headers }, body }
}

/** Without a cursor the stream begins with the next change. */
async function stream(
  request: HttpRequest,
  { after }: FeedRequest,
  interests: Interests,
  viewer: Viewer,
  events: Events,
): Promise<HttpReply> {
  const last = request.headers['last-event-id'] || null
  const point = await events.point(last ?? after ?? 'now', last === null ? 'after' : 'last-event-id')
  if (request.method === 'HEAD') return { status: 200, headers: streamHeaders, body: null }
  const frames = {
    interests,
    frame: ({ cursor, text }: RenderedEvent) => `id: ${cursor}\ndata: ${text}\n\n`,
    heartbeat: (cursor: string) => `:\nretry: 1000\nid: ${cursor}\n\n`,
    lastFrame: (error: ApiError | null) =>
      error === null
        ? ': reconnect\n\n'
        : `event: end\ndata: ${JSON.stringify({ code: error.code, detail: error.message })}\n\n`,
  }
  return { status: 200, headers: streamHeaders, body: openStream(frames, point, viewer, request, events) }
}

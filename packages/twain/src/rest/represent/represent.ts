// A PlanResult as an HTTP reply (docs/reference/rest.md, R50–R64): status, headers, and the JSON text of the store, which is only
// parsed to remove forbidden fields or to write XML. ETags are computed from what this viewer sees.

import { isDeepStrictEqual } from 'node:util'
import { type HttpReply, type HttpRequest, httpDate, itemTag, notModified, pageTag } from '#base/http'
import { wallTime } from '#base/time'
import type { BoundPlan, GroupRead, PageRead, PlanResult, RowRead } from '#plan'
import type { RowFormat, StreamFormat } from '../request/accept.ts'
import { acceptPatch } from '../request/body.ts'
import type { PreferredCount } from '../request/headers.ts'
import { appliedResolution } from '../request/on-conflict.ts'
import { hasKey, notFound, type ParsedRequest } from '../request/parsed-request.ts'
import { isNotModified } from '../request/preconditions.ts'
import type { Method } from '../request/route.ts'
import { visibleText } from './absent-fields.ts'
import { lastModified } from './last-modified.ts'
import { type CacheHeaders, cursorLink, offsetLinks } from './response-headers.ts'
import type { RowStream } from './stream-rows.ts'
import { connectionXml, listXml, rowXml } from './write-xml.ts'

type RestHeaders = HttpReply['headers']

export const mediaTypes = {
  json: 'application/json; charset=utf-8',
  xml: 'application/xml; charset=utf-8',
  textXml: 'text/xml; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
}

/** The format and the cache headers of a read. */
export interface ReadRepresentation {
  format: RowFormat
  caching: CacheHeaders
}

export function representItem(
  request: HttpRequest,
  parsed: ParsedRequest,
  plan: RowRead,
  answer: PlanResult,
  { format, caching }: ReadRepresentation,
): HttpReply {
  if (answer.kind !== 'one') throw unexpected(answer)
  if (answer.text === null) throw notFound(parsed)
  const seen = visibleText(answer.text, parsed.visibility)
  const modified = lastModified(plan, seen, parsed.visibility, wallTime)
  const text = format === 'json' ? seen : rowXml(JSON.parse(seen), plan.of)
  // The rows of a view have no versions: the tag is that of the text alone, as of a page.
  const etag = plan.of.view === undefined ? itemTag(answer.version, text) : pageTag(text)
  const headers: RestHeaders = { etag, 'cache-control': caching.cacheControl(plan), vary: caching.itemVary }
  if (answer.id !== undefined) headers['content-location'] = rowPath(plan.of, answer.id)
  if (modified !== null) headers['last-modified'] = httpDate(modified)
  return representText(request, headers, { etag, modified, text, format })
}

/** A connection has its total as the first member (plan-read.ts), a list beside it. The reply has both in a header. */
const totalMember = '{"totalCount":'

export function representPage(
  request: HttpRequest,
  { query: { unpagedParts }, visibility, count, cut }: ParsedRequest,
  { plan, values }: BoundPlan<PageRead>,
  answer: PlanResult,
  { format, caching }: ReadRepresentation,
): HttpReply {
  if (answer.kind !== 'many') throw unexpected(answer)
  const visible = visibleText(answer.text, visibility)
  const totalEnd = visible.startsWith(totalMember) ? visible.indexOf(',') : -1
  const total = totalEnd < 0 ? answer.total : Number(visible.slice(totalMember.length, totalEnd))
  const seen = totalEnd < 0 ? visible : `{${visible.slice(totalEnd + 1)}`
  const text = format === 'json' ? seen : pageXml(JSON.parse(seen), plan)
  const etag = pageTag(text)
  const headers: RestHeaders = { etag, 'cache-control': caching.cacheControl(plan), vary: caching.pageVary }
  if (plan.page.kind === 'offset') {
    const limit = Number(values[plan.page.limit.index])
    const offset = Number(values[plan.page.offset.index])
    const links = offsetLinks(request.path, unpagedParts, { limit, offset, more: answer.more })
    if (links !== null) headers.link = links
  } else {
    const next = nextCursor(seen)
    const link = next === null ? null : cursorLink(request.path, unpagedParts, next)
    if (link !== null) headers.link = link
  }
  addPreferences(headers, { total, count, cut })
  return representText(request, headers, { etag, modified: null, text, format })
}

/** The page is the only member of the row's text. */
export function representHistory(
  request: HttpRequest,
  parsed: ParsedRequest,
  plan: RowRead,
  answer: PlanResult,
  caching: CacheHeaders,
): HttpReply {
  if (answer.kind !== 'one') throw unexpected(answer)
  if (answer.text === null) throw notFound(parsed)
  const text = answer.text.slice(answer.text.indexOf(':') + 1, -1)
  const etag = pageTag(text)
  const headers: RestHeaders = { etag, 'cache-control': caching.cacheControl(plan), vary: caching.itemVary }
  const next = nextCursor(text)
  const link = next === null ? null : cursorLink(request.path, parsed.query.unpagedParts, next)
  if (link !== null) headers.link = link
  return representText(request, headers, { etag, modified: null, text, format: 'json' })
}

/** Rights change with other rows too, so nobody keeps the answer. */
export function representAccess(request: HttpRequest, access: object): HttpReply {
  const text = JSON.stringify(access)
  const etag = pageTag(text)
  const headers: RestHeaders = { etag, 'cache-control': 'private, no-cache', vary: 'authorization' }
  return representText(request, headers, { etag, modified: null, text, format: 'json' })
}

/** What no cache may keep. */
export function representSecret(value: object): HttpReply {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }
  return { status: 200, headers, body: JSON.stringify(value) }
}

function pageXml(page: unknown, { of, shape }: PageRead): string {
  return shape.kind === 'list' ? listXml(page, of) : connectionXml(page, of)
}

interface AppliedPreferences {
  /** Null: the rows were not counted. */
  total: number | null
  count?: PreferredCount | undefined
  cut?: number | undefined
}

export function addPreferences(headers: RestHeaders, { total, count = 'exact', cut }: AppliedPreferences): void {
  if (total !== null) headers['x-total-count'] = String(total)
  const applied = [...(total === null ? [] : [`count=${count}`]), ...(cut === undefined ? [] : [`cut=${cut}`])]
  if (applied.length > 0) headers['preference-applied'] = applied.join(', ')
}

/** A stream has no ETag: its bytes are not known when the headers are sent. */
export function representStream(
  { body, total, count, cut, plan }: RowStream<PageRead | GroupRead>,
  format: StreamFormat,
  caching: CacheHeaders,
): HttpReply {
  const headers: RestHeaders = {
    'content-type': mediaTypes[format],
    'cache-control': caching.cacheControl(plan),
    vary: caching.pageVary,
  }
  addPreferences(headers, { total, count, cut })
  return { status: 200, headers, body }
}

/** R151: the write was made before, and this is its stored result. */
function replayed(answer: { replayed?: true }): RestHeaders {
  return answer.replayed === true ? { 'idempotent-replayed': 'true' } : {}
}

/** `replacement`: the body of a PUT, whose answer has an entity tag only if the row is as it was sent (RFC 9110, 9.3.4). */
export function representWritten(
  parsed: ParsedRequest,
  answer: PlanResult,
  format: RowFormat,
  replacement?: unknown,
): HttpReply {
  const { route, visibility } = parsed
  const headers: RestHeaders = {
    'content-type': mediaTypes[format],
    ...('replayed' in answer ? replayed(answer) : {}),
    ...(route.of.kind === 'resource' && route.of.system !== undefined ? { 'cache-control': 'no-store' } : {}),
  }
  const applied = appliedResolution(parsed)
  if (applied !== null) headers['preference-applied'] = applied
  if (answer.kind === 'batch') {
    const isCreated = answer.answers.some((one) => one.kind === 'written' && one.created)
    const seen = `[${answer.answers.map((one) => visibleText(textOf(one), visibility)).join(',')}]`
    return {
      status: isCreated ? 201 : 200,
      headers,
      body: format === 'json' ? seen : listXml(JSON.parse(seen), route.of),
    }
  }
  if (answer.kind !== 'written') throw unexpected(answer)
  const { id, version, created } = answer
  const seen = visibleText(answer.text, visibility)
  const text = format === 'json' ? seen : rowXml(JSON.parse(seen), route.of)
  if (replacement === undefined || isAsSent(seen, replacement)) headers.etag = itemTag(version, text)
  if (created) headers.location = rowPath(route.of, id)
  if (hasKey(parsed)) headers['content-location'] = rowPath(route.of, id)
  return { status: created ? 201 : 200, headers, body: text }
}

function isAsSent(seen: string, sent: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(seen), JSON.parse(JSON.stringify(sent)))
}

/** The path of a row by its id. */
function rowPath({ path }: { path: string }, id: string): string {
  return `/${path}/${encodeURIComponent(id)}`
}

function textOf(answer: PlanResult): string {
  if (answer.kind !== 'written') throw unexpected(answer)
  return answer.text
}

/** A link that was added or removed has no representation. */
export function representLinked(answer: PlanResult): HttpReply {
  if (answer.kind !== 'written') throw unexpected(answer)
  return { status: 204, headers: replayed(answer), body: null }
}

export function representDeleted(parsed: ParsedRequest, answer: PlanResult): HttpReply {
  if (answer.kind !== 'deleted') throw unexpected(answer)
  if (!answer.found) throw notFound(parsed)
  if (answer.isPending === true)
    return { status: 202, headers: { 'preference-applied': 'respond-async', ...replayed(answer) }, body: null }
  return { status: 204, headers: replayed(answer), body: null }
}

/** What a bulk write has written, or would with `dryRun`. */
export function representBulk(answer: PlanResult): HttpReply {
  if (answer.kind !== 'bulk') throw unexpected(answer)
  const { ids, isPending } = answer
  const headers: RestHeaders = { 'content-type': mediaTypes.json, ...replayed(answer) }
  if (isPending === true) headers['preference-applied'] = 'respond-async'
  return { status: isPending === true ? 202 : 200, headers, body: JSON.stringify({ count: ids.length, ids }) }
}

export function representOptions({ methods }: { methods: readonly Method[] }): HttpReply {
  const headers: RestHeaders = { allow: methods.join(', ') }
  if (methods.includes('PATCH')) headers['accept-patch'] = acceptPatch
  return { status: 204, headers, body: null }
}

/** The text, or 304 if the client has it. The HTTP server drops the body for HEAD. */
export function representText(
  request: HttpRequest,
  headers: RestHeaders,
  { etag, modified, text, format }: { etag: string; modified: number | null; text: string; format: RowFormat },
): HttpReply {
  const type = mediaTypes[format]
  if (isNotModified(request.headers, etag, modified)) return notModified(headers, { type, length: text.length })
  headers['content-type'] = type
  return { status: 200, headers, body: text }
}

/** The cursor of the next page; null on the last page. `pageInfo` is the last member (plan-read.ts), and a JSON string would
 *  escape its quotes, so that the page itself need not be parsed. */
function nextCursor(text: string): string | null {
  const tail = text.slice(text.lastIndexOf('"pageInfo"'), -1)
  const { pageInfo } = JSON.parse(`{${tail}}`) as { pageInfo: { hasNextPage: boolean; endCursor: string | null } }
  return pageInfo.hasNextPage ? pageInfo.endCursor : null
}

function unexpected(answer: PlanResult): Error {
  return new Error(`unexpected result of the engine: "${answer.kind}"`)
}

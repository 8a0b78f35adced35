// Groups of rows as a reply: JSON and XML of a page, CSV and NDJSON of all groups.

import { setImmediate } from 'node:timers/promises'
import { andThen, type MaybePromise, xmlDeclaration, xmlElement, xmlText } from '#base'
import { type BodyStream, type HttpReply, type HttpRequest, pageTag } from '#base/http'
import type { Abstract, Resource } from '#model'
import type { BoundPlan, GroupRead, GroupSelection, PlanResult } from '#plan'
import { maxGroups } from '#plan/build'
import type { StreamFormat } from '../request/accept.ts'
import type { ParsedRequest } from '../request/parsed-request.ts'
import { type CsvColumn, csvHeader, csvRow } from './csv.ts'
import { addPreferences, type ReadRepresentation, representText } from './represent.ts'
import { offsetLinks } from './response-headers.ts'
import { countOf, jsonLine, type RowStream } from './stream-rows.ts'

export function representGroups(
  request: HttpRequest,
  { query: { unpagedParts } }: ParsedRequest,
  { plan, values }: BoundPlan<GroupRead>,
  answer: PlanResult,
  { format, caching }: ReadRepresentation,
): HttpReply {
  const { text: json, more, total } = groupsIn(answer)
  const text = format === 'json' ? json : groupsXml(JSON.parse(json), plan.of)
  const etag = pageTag(text)
  const headers: HttpReply['headers'] = { etag, 'cache-control': caching.cacheControl(plan), vary: caching.pageVary }
  if (plan.page !== null) {
    const limit = Number(values[plan.page.limit.index])
    const offset = Number(values[plan.page.offset.index])
    const links = offsetLinks(request.path, unpagedParts, { limit, offset, more })
    if (links !== null) headers.link = links
  }
  addPreferences(headers, { total })
  return representText(request, headers, { etag, modified: null, text, format })
}

function groupsIn(answer: PlanResult): PlanResult & { kind: 'many' } {
  if (answer.kind !== 'many') throw new Error(`unexpected result of the engine: "${answer.kind}"`)
  return answer
}

/** `<postGroups><postGroup>…`, or `<postAggregate>` for the one group. */
function groupsXml(groups: unknown, { single }: Resource | Abstract): string {
  const element = Array.isArray(groups)
    ? xmlElement(`${single}Groups`, groups.map((group) => memberXml(`${single}Group`, group)).join(''))
    : memberXml(`${single}Aggregate`, groups)
  return `${xmlDeclaration}${element}\n`
}

function memberXml(name: string, value: unknown): string {
  if (value === null) return `<${name} nil="true"/>`
  if (typeof value !== 'object') return xmlText(name, value)
  const inner = Object.entries(value).map(([key, member]) => memberXml(key, member))
  return xmlElement(name, inner.join(''))
}

/** Plans and executes the pages of the groups. */
export interface GroupSource {
  groups(parsed: ParsedRequest): BoundPlan<GroupRead>
  execute(boundPlan: BoundPlan<GroupRead>, more: boolean): MaybePromise<PlanResult>
}

/** Streams all groups, page after page; `limit` and `offset` are those of the whole. */
export function streamGroups(
  parsed: ParsedRequest,
  format: StreamFormat,
  source: GroupSource,
): MaybePromise<RowStream<GroupRead>> {
  const { limit, offset } = parsed.query.parameters
  const first = countOf('offset', offset) ?? 0
  const last = first + (countOf('limit', limit) ?? Number.MAX_SAFE_INTEGER)
  const boundPlan = source.groups(pageAt(parsed, first, last))
  const { plan } = boundPlan
  return andThen(source.execute(boundPlan, true), (answer) => {
    const begun = groupsIn(answer)
    return { plan, total: begun.total, body: lines(begun) }
  })

  async function* lines(begun: PlanResult & { kind: 'many' }): BodyStream {
    const columns = csvColumns(plan.selections)
    const print = format === 'csv' ? (group: unknown) => csvRow(group, columns) : jsonLine
    if (format === 'csv') yield csvHeader(columns)
    let at = first
    for (let page = begun; ; ) {
      const parsedPage = JSON.parse(page.text) as unknown
      const groups = Array.isArray(parsedPage) ? parsedPage : [parsedPage]
      if (groups.length > 0) yield groups.map(print).join('')
      at += groups.length
      if (!page.more || at >= last) return
      await setImmediate() // a fast client must not starve other requests
      page = groupsIn(await source.execute(source.groups(pageAt({ ...parsed, count: undefined }, at, last)), true))
    }
  }
}

/** The same request for the page that begins there. One group has no page. */
function pageAt(parsed: ParsedRequest, offset: number, last: number): ParsedRequest {
  const { parameters } = parsed.query
  if (parameters.groupBy === '') return parsed
  const page = { offset: String(offset), limit: String(Math.min(maxGroups, last - offset)) }
  return { ...parsed, query: { ...parsed.query, parameters: { ...parameters, ...page } } }
}

/** A column for each key and measure, named as in `fields`. */
function csvColumns(selections: readonly GroupSelection[]): CsvColumn[] {
  return selections.flatMap((selection) => {
    if (selection.kind === 'object' && selection.key === 'key') return keyColumns(selection.selections, ['key'])
    if (selection.kind !== 'object') return [{ name: `_${selection.key}`, path: [selection.key] }]
    return selection.selections.map(({ key }) => ({
      name: `_${selection.key}.${key}`,
      path: [selection.key, key],
    }))
  })
}

function keyColumns(selections: readonly GroupSelection[], parent: readonly string[]): CsvColumn[] {
  return selections.flatMap((selection) => {
    const path = [...parent, selection.key]
    if (selection.kind === 'object') return keyColumns(selection.selections, path)
    return [{ name: path.slice(1).join('.'), path }]
  })
}

// Streams all rows of a collection (docs/reference/rest.md, R55–R57). It reads page after page by cursor, so that one page at a
// time is in memory. A row that is created or deleted meanwhile may or may not appear; one that keeps its place in the order
// appears exactly once.

import { setImmediate } from 'node:timers/promises'
import { andThen, type MaybePromise, validationError } from '#base'
import type { BodyStream } from '#base/http'
import { type BoundPlan, type Limits, type PageRead, type PlanResult, rowsOf, type TypeSelection } from '#plan'
import type { StreamFormat } from '../request/accept.ts'
import type { PreferredCount } from '../request/headers.ts'
import type { ParsedRequest } from '../request/parsed-request.ts'
import type { ParsedQuery } from '../request/query-string.ts'
import { textToValue } from '../request/text-value.ts'
import { visibleText } from './absent-fields.ts'
import { csvColumns, csvHeader, csvRow } from './csv.ts'

/** Without `limits.page`. */
const defaultPageRowCount = 500

/** Plans and executes the pages of the collection. */
export interface PageSource {
  page(parsed: ParsedRequest): BoundPlan<PageRead>
  execute(boundPlan: BoundPlan<PageRead>): MaybePromise<PlanResult>
}

export interface RowStream<Read = PageRead> {
  /** Of the first page. */
  plan: Read
  /** Null if the request asks for none. */
  total: number | null
  /** How the rows were counted; absent: exactly. */
  count?: PreferredCount | undefined
  /** To how many characters texts are shortened; absent: they are not. */
  cut?: number | undefined
  body: BodyStream
}

interface RowPage {
  nodes: unknown[]
  next: string | null
  total: number | null
}

/** Resolves when the first page is read: errors of the request are thrown before the response begins. */
export function streamRows(
  parsed: ParsedRequest,
  format: StreamFormat,
  limits: Limits,
  pages: PageSource,
): MaybePromise<RowStream> {
  const { skip, take } = rowRangeOf(parsed.query)
  const size = limits.page === 0 ? defaultPageRowCount : limits.page
  const boundPlan = pages.page(pageAfter(parsed, size, parsed.query.parameters.after ?? null))
  return andThen(pages.execute(boundPlan), (answer) => {
    const first = readPage(answer, parsed)
    const { plan } = boundPlan
    return { plan, total: first.total, count: parsed.count, cut: parsed.cut, body: rows(first, rowsOf(plan.shape)) }
  })

  async function* rows(first: RowPage, cases: readonly TypeSelection[]): BodyStream {
    const columns = format === 'csv' ? csvColumns(cases) : []
    const print = format === 'csv' ? (row: unknown) => csvRow(row, columns) : jsonLine
    if (format === 'csv') yield csvHeader(columns)
    let passed = 0
    for (let page: RowPage | null = first; page !== null; page = await follow(page, passed)) {
      const selected = page.nodes.slice(Math.max(0, skip - passed), Math.max(0, skip + take - passed))
      passed += page.nodes.length
      if (selected.length > 0) yield selected.map(print).join('')
    }
  }

  async function follow({ next }: RowPage, passed: number): Promise<RowPage | null> {
    if (next === null || passed >= skip + take) return null
    await setImmediate() // a fast client must not starve other requests
    const page = pageAfter({ ...parsed, count: undefined }, size, next) // only the first page counts the rows
    return readPage(await pages.execute(pages.page(page)), parsed)
  }
}

export function jsonLine(row: unknown): string {
  return `${JSON.stringify(row)}\n`
}

/** How many rows to skip and to send. `limit` may exceed the page size: a stream has no pages. */
function rowRangeOf({ parameters: { offset, limit, first, after } }: ParsedQuery): { skip: number; take: number } {
  if ((offset ?? limit) !== undefined && (first ?? after) !== undefined) {
    const path = first === undefined ? 'after' : 'first'
    const message = 'is for cursor pages, limit and offset are for offset pages; use one of the two.'
    throw validationError([{ path, code: 'UNKNOWN', message }])
  }
  return {
    skip: countOf('offset', offset) ?? 0,
    take: countOf('limit', limit) ?? countOf('first', first) ?? Number.MAX_SAFE_INTEGER,
  }
}

export function countOf(path: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const count = textToValue({ kind: 'scalar', name: 'Int' }, text)
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count
  throw validationError([{ path, code: 'TYPE', message: 'must be a whole number, 0 or more.' }])
}

/** The same request for one page of `size` rows after the cursor. */
function pageAfter(parsed: ParsedRequest, size: number, after: string | null): ParsedRequest {
  const { limit: _limit, offset: _offset, after: _after, ...words } = parsed.query.parameters
  const page = { first: String(size), ...(after === null ? {} : { after }) }
  return { ...parsed, query: { ...parsed.query, parameters: { ...words, ...page } } }
}

function readPage(answer: PlanResult, { visibility }: ParsedRequest): RowPage {
  if (answer.kind !== 'many') throw new Error(`unexpected result of the engine: "${answer.kind}"`)
  const { edges, pageInfo, totalCount } = JSON.parse(visibleText(answer.text, visibility)) as {
    totalCount?: number
    edges: { node: unknown }[]
    pageInfo: { hasNextPage: boolean; endCursor: string | null }
  }
  const next = pageInfo.hasNextPage ? pageInfo.endCursor : null
  return { nodes: edges.map(({ node }) => node), next, total: totalCount ?? null }
}

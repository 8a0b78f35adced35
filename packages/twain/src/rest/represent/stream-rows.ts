// All rows of a collection as one stream (docs/reference/rest.md, R55–R57): page after page behind the cursor of the one before, so
// that memory holds one page, whatever there is. A row that comes or goes meanwhile may or may not be seen; one that stays,
// and keeps its place in the order, is seen once.

import { setImmediate } from 'node:timers/promises'
import { andThen, type BodyStream, type MaybePromise, validationError } from '#base'
import type { BoundPlan, Limits, PageRead, PlanResult, TypeSelection } from '#plan'
import type { StreamFormat } from '../request/accept.ts'
import type { ParsedRequest } from '../request/parsed-request.ts'
import type { ParsedQuery } from '../request/query-string.ts'
import { textToValue } from '../request/text-value.ts'
import { csvColumns, csvHeader, csvRow } from './csv.ts'
import { visibleText } from './visible-text.ts'

/** Where no limit says how many rows a page has. */
const defaultPageRowCount = 500

/** What is asked of the collection, in pages. */
export interface PageSource {
  /** The plan of a page behind a cursor; null begins. */
  page(parsed: ParsedRequest): BoundPlan<PageRead>
  execute(boundPlan: BoundPlan<PageRead>): MaybePromise<PlanResult>
}

/** `first` is the answer to its first page, by this plan. */
export interface RowStream {
  plan: PageRead
  first: PlanResult & { kind: 'many' }
  body: BodyStream
}

interface RowPage {
  nodes: unknown[]
  next: string | null
}

/** The stream, once its first page is there: what is wrong with the request is found out before anything is sent. */
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
    if (answer.kind !== 'many') throw new Error(`the engine answered with "${answer.kind}", which was not asked for`)
    return { plan: boundPlan.plan, first: answer, body: rows(readPage(answer, parsed), typesOf(boundPlan.plan)) }
  })

  async function* rows(first: RowPage, cases: readonly TypeSelection[]): BodyStream {
    const columns = format === 'csv' ? csvColumns(cases) : []
    const spell = format === 'csv' ? (row: unknown) => csvRow(row, columns) : jsonLine
    if (format === 'csv') yield csvHeader(columns)
    let passed = 0
    for (let page: RowPage | null = first; page !== null; page = await follow(page, passed)) {
      const wanted = page.nodes.slice(Math.max(0, skip - passed), Math.max(0, skip + take - passed))
      passed += page.nodes.length
      if (wanted.length > 0) yield wanted.map(spell).join('')
    }
  }

  async function follow({ next }: RowPage, passed: number): Promise<RowPage | null> {
    if (next === null || passed >= skip + take) return null
    await setImmediate() // a client that reads fast must not keep others from their turn
    return readPage(await pages.execute(pages.page(pageAfter(parsed, size, next))), parsed)
  }
}

function jsonLine(row: unknown): string {
  return `${JSON.stringify(row)}\n`
}

/** How many rows are passed over, and how many are given. A stream has no pages, so `limit` may be any number. */
function rowRangeOf({ parameters: { offset, limit, first, after } }: ParsedQuery): { skip: number; take: number } {
  if ((offset ?? limit) !== undefined && (first ?? after) !== undefined) {
    const path = first === undefined ? 'after' : 'first'
    const message = 'goes with cursor pages, limit and offset with offset pages; one of the two is meant.'
    throw validationError([{ path, code: 'UNKNOWN', message }])
  }
  return {
    skip: countOf('offset', offset) ?? 0,
    take: countOf('limit', limit) ?? countOf('first', first) ?? Number.MAX_SAFE_INTEGER,
  }
}

function countOf(path: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const count = textToValue({ kind: 'scalar', name: 'Int' }, text)
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count
  throw validationError([{ path, code: 'TYPE', message: 'must be a whole number, 0 or more.' }])
}

/** The same question as a page of `size` rows behind the cursor. */
function pageAfter(parsed: ParsedRequest, size: number, after: string | null): ParsedRequest {
  const { limit: _limit, offset: _offset, after: _after, ...words } = parsed.query.parameters
  const page = { first: String(size), ...(after === null ? {} : { after }) }
  return { ...parsed, query: { ...parsed.query, parameters: { ...words, ...page } } }
}

function typesOf({ shape }: PageRead): readonly TypeSelection[] {
  if (shape.kind === 'list') return shape.types
  const edges = shape.selections.find((selection) => selection.kind === 'edges')
  return edges?.selections.find((selection) => selection.kind === 'node')?.types ?? []
}

function readPage(answer: PlanResult, { visibility }: ParsedRequest): RowPage {
  if (answer.kind !== 'many') throw new Error(`the engine answered with "${answer.kind}", which was not asked for`)
  const { edges, pageInfo } = JSON.parse(visibleText(answer.text, visibility)) as {
    edges: { node: unknown }[]
    pageInfo: { hasNextPage: boolean; endCursor: string | null }
  }
  return { nodes: edges.map(({ node }) => node), next: pageInfo.hasNextPage ? pageInfo.endCursor : null }
}

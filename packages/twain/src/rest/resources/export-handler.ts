// `GET /users/{id}/export` (docs/reference/rest.md, R310–R313): what an account takes along, as NDJSON. The module auth decides who gets
// which rows; this file translates. One page at a time is in memory.

import type { AccountExport, AccountExportPage } from '#auth'
import type { BodyStream, HttpReply, HttpRequest, Viewer } from '#base/http'
import type { Engine } from '#engine'
import type { DeletedRows } from '#plan'
import { PlanBuilder } from '#plan/build'
import type { ReadPlanner } from '../plan/plan-read.ts'
import { fileHeaders } from '../represent/content-disposition.ts'
import { mediaTypes } from '../represent/represent.ts'
import { jsonLine } from '../represent/stream-rows.ts'
import { acceptNdjson } from '../request/accept.ts'
import { deletedParameters, readDeletedRows } from '../request/deleted-rows.ts'
import { hasKey, notFound, type ParsedRequest } from '../request/parsed-request.ts'
import { expectParameters } from '../request/query-string.ts'
import type { Executor } from './executor.ts'

/** Without `limits.page`. */
const defaultPageRowCount = 500

export class ExportHandler {
  readonly #engine: Engine
  readonly #executor: Executor
  readonly #planner: ReadPlanner
  readonly #exported: AccountExport

  constructor(engine: Engine, executor: Executor, planner: ReadPlanner, exported: AccountExport) {
    this.#engine = engine
    this.#executor = executor
    this.#planner = planner
    this.#exported = exported
  }

  /** Resolves when the first page is read: errors of the request are thrown before the response begins. */
  async answer(request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    acceptNdjson(request)
    const deleted = this.#readQuery(parsed)
    const id = await this.#idOf(parsed, viewer)
    const first = await this.#page(id, null, deleted, request, viewer)
    const next = (after: string) => this.#page(id, after, deleted, request, viewer)
    const headers = {
      ...fileHeaders(`${parsed.route.of.path}-${id}.ndjson`, mediaTypes.ndjson),
      'cache-control': 'no-store',
    }
    return { status: 200, headers, body: request.method === 'HEAD' ? null : lines(first, next) }
  }

  #readQuery({ query }: ParsedRequest): DeletedRows['rows'] | null {
    const builder = new PlanBuilder()
    builder.problems.push(...query.problems)
    expectParameters(query, deletedParameters(this.#engine.model), builder)
    const deleted = readDeletedRows(query.filters, builder)
    builder.finish(this.#engine.limits)
    return deleted
  }

  async #idOf(parsed: ParsedRequest, viewer: Viewer): Promise<string> {
    if (!hasKey(parsed)) return parsed.id
    const found = await this.#engine.execute(this.#planner.owner(parsed), viewer, { isDefaultSelection: true })
    if (found.kind !== 'one' || found.text === null || found.id === undefined) throw notFound(parsed)
    return found.id
  }

  #page(
    id: string,
    after: string | null,
    deleted: DeletedRows['rows'] | null,
    request: HttpRequest,
    viewer: Viewer,
  ): Promise<AccountExportPage> {
    const { page } = this.#engine.limits
    return this.#exported.page({
      id,
      first: page === 0 ? defaultPageRowCount : page,
      after,
      place: 'after',
      deleted,
      viewer,
      caller: request.context,
      onPlan: (boundPlan) => this.#executor.recordUsage(request, boundPlan, true),
    })
  }
}

async function* lines(first: AccountExportPage, next: (after: string) => Promise<AccountExportPage>): BodyStream {
  for (let page: AccountExportPage | null = first; page !== null; ) {
    const { rows, hasNextPage }: AccountExportPage = page
    if (rows.length > 0) yield rows.map(({ row }) => jsonLine(row)).join('')
    page = hasNextPage ? await next(rows.at(-1)!.cursor) : null
  }
}

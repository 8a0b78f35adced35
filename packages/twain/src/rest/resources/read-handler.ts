// GET and HEAD: a row, a page of a collection, or a stream of all its rows.

import { admitAccess, rowAccess, type Tokens } from '#auth'
import { andThen, type MaybePromise } from '#base'
import type { HttpReply, HttpRequest, Viewer } from '#base/http'
import type { Engine } from '#engine'
import type { DeliveryMessage } from '#events'
import type { Resource } from '#model'
import type { BoundPlan, GroupRead } from '#plan'
import { readAs } from '../plan/plan-access.ts'
import type { ReadPlanner } from '../plan/plan-read.ts'
import { representGroups, streamGroups } from '../represent/groups.ts'
import {
  representAccess,
  representHistory,
  representItem,
  representPage,
  representSecret,
  representStream,
} from '../represent/represent.ts'
import type { CacheHeaders } from '../represent/response-headers.ts'
import { streamRows } from '../represent/stream-rows.ts'
import { acceptCollection, acceptJson, acceptRow, type StreamFormat } from '../request/accept.ts'
import { preferredCount, preferredCut } from '../request/headers.ts'
import { notFound, type ParsedRequest } from '../request/parsed-request.ts'
import { type Executor, executeOptions, isDefaultRepresentation } from './executor.ts'

/** What the server sends for a delivery; null if there is no such delivery. */
export type ReadMessage = (delivery: string, asker: Viewer) => Promise<DeliveryMessage | null>

export class ReadHandler {
  readonly #engine: Engine
  readonly #executor: Executor
  readonly #planner: ReadPlanner
  readonly #caching: CacheHeaders
  readonly #tokens: Tokens | null
  readonly #readMessage: ReadMessage | null

  constructor(
    engine: Engine,
    executor: Executor,
    planner: ReadPlanner,
    caching: CacheHeaders,
    { tokens, readMessage }: { tokens: Tokens | null; readMessage: ReadMessage | null },
  ) {
    this.#engine = engine
    this.#executor = executor
    this.#planner = planner
    this.#caching = caching
    this.#tokens = tokens
    this.#readMessage = readMessage
  }

  answer(request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): MaybePromise<HttpReply> {
    if (parsed.route.kind === 'item') return this.#item(request, parsed, viewer)
    if (parsed.route.kind === 'history') return this.#history(request, parsed, viewer)
    if (parsed.route.kind === 'access') return this.#access(request, parsed, parsed.route.of, viewer)
    if (parsed.route.kind === 'message') return this.#message(request, parsed, viewer)
    if (parsed.query.parameters.groupBy !== undefined) return this.#groups(request, parsed, viewer)
    return this.#page(request, parsed, viewer)
  }

  #item(request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): MaybePromise<HttpReply> {
    const options = { format: acceptRow(request), caching: this.#caching }
    const boundPlan = this.#planner.item(parsed)
    const answer = this.#executor.execute(request, boundPlan, viewer, executeOptions(parsed))
    return andThen(answer, (found) => representItem(request, parsed, boundPlan.plan, found, options))
  }

  #history(request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): MaybePromise<HttpReply> {
    acceptJson(request)
    const boundPlan = this.#planner.history(parsed)
    const answer = this.#executor.execute(request, boundPlan, viewer, executeOptions(parsed))
    return andThen(answer, (found) => representHistory(request, parsed, boundPlan.plan, found, this.#caching))
  }

  async #access(request: HttpRequest, parsed: ParsedRequest, of: Resource, viewer: Viewer): Promise<HttpReply> {
    admitAccess(viewer, this.#engine.model)
    acceptJson(request)
    const boundPlan = this.#planner.access(parsed)
    const found = await this.#executor.execute(request, boundPlan, viewer, { isDefaultSelection: false })
    if (found.kind !== 'one' || found.text === null) throw notFound(parsed)
    const row = { of, id: found.id ?? parsed.id }
    const parts = { engine: this.#engine, tokens: this.#tokens }
    return representAccess(request, await rowAccess(row, readAs(parsed), viewer, parts))
  }

  async #message(request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    acceptJson(request)
    const boundPlan = this.#planner.message(parsed)
    const found = await this.#executor.execute(request, boundPlan, viewer, { isDefaultSelection: false })
    if (found.kind !== 'one' || found.text === null || this.#readMessage === null) throw notFound(parsed)
    const message = await this.#readMessage(parsed.id, viewer)
    if (message === null) throw notFound(parsed)
    return representSecret(message)
  }

  #page(request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): MaybePromise<HttpReply> {
    const format = acceptCollection(request)
    if (format === 'ndjson' || format === 'csv') return this.#stream(format, request, parsed, viewer)
    const counted = withCut(withCount(parsed, request), request)
    const boundPlan = this.#planner.page(counted)
    const more = boundPlan.plan.page.kind === 'offset'
    const answer = this.#executor.execute(request, boundPlan, viewer, { ...executeOptions(parsed), more })
    const options = { format, caching: this.#caching }
    return andThen(answer, (found) => representPage(request, counted, boundPlan, found, options))
  }

  #groups(request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): MaybePromise<HttpReply> {
    const format = acceptCollection(request)
    const counted = withCount(parsed, request)
    const execute = (boundPlan: BoundPlan<GroupRead>, more: boolean) =>
      this.#executor.execute(request, boundPlan, viewer, { isDefaultSelection: false, more })
    if (format === 'ndjson' || format === 'csv') {
      const source = { groups: (of: ParsedRequest) => this.#planner.groups(of), execute }
      return andThen(streamGroups(counted, format, source), (groups) => representStream(groups, format, this.#caching))
    }
    const boundPlan = this.#planner.groups(counted)
    const options = { format, caching: this.#caching }
    return andThen(execute(boundPlan, boundPlan.plan.page !== null), (found) =>
      representGroups(request, parsed, boundPlan, found, options),
    )
  }

  #stream(format: StreamFormat, request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): MaybePromise<HttpReply> {
    const stream = streamRows(withCut(withCount(parsed, request), request), format, this.#engine.limits, {
      page: (of) => this.#planner.page(of),
      execute: (boundPlan) => {
        this.#executor.recordUsage(request, boundPlan, isDefaultRepresentation(parsed))
        const answer = this.#engine.execute(boundPlan, viewer, { ...executeOptions(parsed), caller: request.context })
        return this.#executor.withoutFailures(request, answer)
      },
    })
    return andThen(stream, (rows) => representStream(rows, format, this.#caching))
  }
}

function withCount(parsed: ParsedRequest, request: HttpRequest): ParsedRequest {
  const count = preferredCount(request)
  return count === undefined ? parsed : { ...parsed, count }
}

function withCut(parsed: ParsedRequest, request: HttpRequest): ParsedRequest {
  const cut = preferredCut(request)
  return cut === undefined ? parsed : { ...parsed, cut }
}

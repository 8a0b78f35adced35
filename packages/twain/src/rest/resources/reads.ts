// GET and HEAD: a row, a page of a collection, or the whole of it as a stream.

import { andThen, type HttpReply, type HttpRequest, type MaybePromise, type Viewer } from '#base'
import type { Engine } from '#engine'
import { executeOptions, isWhole } from '../plan/execute-options.ts'
import type { ReadPlanner } from '../plan/plan-read.ts'
import type { Caching } from '../represent/cache-control.ts'
import { representItem, representPage, representStream } from '../represent/represent.ts'
import { streamRows } from '../represent/stream-rows.ts'
import { acceptCollection, acceptRow, type StreamFormat } from '../request/accept.ts'
import type { ParsedRequest } from '../request/parsed-request.ts'
import { wantsCount } from '../request/prefer.ts'
import type { Executor } from './executor.ts'

export class ReadDoor {
  readonly #engine: Engine
  readonly #executor: Executor
  readonly #planner: ReadPlanner
  readonly #caching: Caching

  constructor(engine: Engine, executor: Executor, planner: ReadPlanner, caching: Caching) {
    this.#engine = engine
    this.#executor = executor
    this.#planner = planner
    this.#caching = caching
  }

  answer(request: HttpRequest, asked: ParsedRequest, viewer: Viewer): MaybePromise<HttpReply> {
    return asked.route.kind === 'item' ? this.#item(request, asked, viewer) : this.#page(request, asked, viewer)
  }

  #item(request: HttpRequest, asked: ParsedRequest, viewer: Viewer): MaybePromise<HttpReply> {
    const telling = { format: acceptRow(request), caching: this.#caching }
    const boundPlan = this.#planner.item(asked)
    const answer = this.#executor.execute(request, boundPlan, viewer, executeOptions(asked))
    return andThen(answer, (found) => representItem(request, asked, boundPlan.plan, found, telling))
  }

  #page(request: HttpRequest, asked: ParsedRequest, viewer: Viewer): MaybePromise<HttpReply> {
    const format = acceptCollection(request)
    if (format === 'ndjson' || format === 'csv') return this.#stream(format, request, asked, viewer)
    const total = wantsCount(request)
    const boundPlan = this.#planner.page(asked)
    const more = boundPlan.plan.page.kind === 'offset'
    const answer = this.#executor.execute(request, boundPlan, viewer, { ...executeOptions(asked), more, total })
    const telling = { format, caching: this.#caching }
    return andThen(answer, (found) => representPage(request, asked, boundPlan, found, telling))
  }

  #stream(format: StreamFormat, request: HttpRequest, asked: ParsedRequest, viewer: Viewer): MaybePromise<HttpReply> {
    let total = wantsCount(request) // asked of the first page only
    const stream = streamRows(asked, format, this.#engine.limits, {
      page: (of) => this.#planner.page(of),
      execute: (boundPlan) => {
        this.#executor.note(request, boundPlan.plan, isWhole(asked))
        const answer = this.#engine.execute(boundPlan, viewer, { ...executeOptions(asked), total })
        total = false
        return this.#executor.seen(request, answer)
      },
    })
    return andThen(stream, (rows) => representStream(rows, format, this.#caching))
  }
}

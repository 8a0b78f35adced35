// POST, PUT, PATCH and DELETE: admit → read the body → plan → execute → represent.

import { ApiError, type HttpReply, type HttpRequest, type MaybePromise, unreachable, type Viewer } from '#base'
import type { Engine } from '#engine'
import { kebabCase } from '#model'
import type { PlanResult, WriteKind } from '#plan'
import type { Naming } from '#plan/explain'
import { executeOptions, isWhole, writeOptions } from '../plan/execute-options.ts'
import type { ReadPlanner } from '../plan/plan-read.ts'
import type { WritePlanner } from '../plan/plan-write.ts'
import { representDeleted, representLinked, representWritten } from '../represent/represent.ts'
import { acceptRow } from '../request/accept.ts'
import { readDocument, readPatchBody } from '../request/body.ts'
import { readKeyed } from '../request/idempotent-request.ts'
import { concrete, notFound, type ParsedRequest } from '../request/parsed-request.ts'
import { expectNoConditions, type WriteConditions, writeConditions } from '../request/preconditions.ts'
import { parseQuery } from '../request/query-string.ts'
import type { Executor } from './executor.ts'
import { Patches } from './patches.ts'

type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const actions = { POST: 'create', PUT: 'replace', PATCH: 'update', DELETE: 'delete' } as const

export class WriteDoor {
  readonly #engine: Engine
  readonly #executor: Executor
  readonly #reads: ReadPlanner
  readonly #writes: WritePlanner
  readonly #patches: Patches

  constructor(engine: Engine, executor: Executor, reads: ReadPlanner, writes: WritePlanner) {
    this.#engine = engine
    this.#executor = executor
    this.#reads = reads
    this.#writes = writes
    this.#patches = new Patches(engine, reads, writes)
  }

  answer(method: WriteMethod, request: HttpRequest, asked: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    this.#admit(asked.route.kind === 'link' ? 'update' : actions[method], asked, viewer)
    if (request.headers['idempotency-key'] === undefined) return this.#write(method, request, asked, viewer)
    return this.#writeOnce(method, request, asked, viewer)
  }

  /** Before the body is read, and whatever the id: who could never write here hears nothing else. */
  #admit(action: WriteKind['action'], { route: { of } }: ParsedRequest, viewer: Viewer): void {
    if (of.kind === 'resource') this.#engine.admit({ of, action }, viewer)
  }

  async #writeOnce(method: WriteMethod, given: HttpRequest, asked: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    const { once, request } = await readKeyed(given, viewer, `${method} ${formerPath(given.path, asked)}`)
    return this.#write(method, request, once === null ? asked : { ...asked, idempotencyKey: once }, viewer)
  }

  #write(method: WriteMethod, request: HttpRequest, asked: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    const isLink = asked.route.kind === 'link'
    switch (method) {
      case 'POST':
        return this.#create(request, asked, viewer)
      case 'PUT':
        return isLink ? this.#link('add', request, asked, viewer) : this.#replace(request, asked, viewer)
      case 'PATCH':
        return this.#update(request, asked, viewer)
      case 'DELETE':
        return isLink ? this.#link('remove', request, asked, viewer) : this.#delete(request, asked, viewer)
      default:
        return unreachable(method)
    }
  }

  async #create(request: HttpRequest, asked: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    const format = acceptRow(request)
    expectNoConditions(request)
    const body = await readDocument(request, concrete(asked))
    const boundPlan = Array.isArray(body) ? this.#writes.createAll(asked, body) : this.#writes.create(asked, body)
    await this.#expectList(asked, viewer)
    try {
      return representWritten(
        asked,
        await this.#executor.execute(request, boundPlan, viewer, executeOptions(asked)),
        format,
      )
    } catch (error) {
      throw refersToNoOwner(error, asked) ? notFound(asked) : error
    }
  }

  /** Into a list that its viewer can't see nothing is put: it is not there. Only where lines narrow who may see it. */
  async #expectList(asked: ParsedRequest, viewer: Viewer): Promise<void> {
    if (asked.route.kind !== 'nested' || !asked.sight.maybeHidden(asked.route.field)) return
    await this.#engine.execute(this.#reads.page({ ...asked, query: noRows }), viewer)
  }

  async #replace(request: HttpRequest, asked: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    const format = acceptRow(request)
    const conditions = writeConditions(request)
    const boundPlan = this.#writes.replace(asked, await readDocument(request, concrete(asked)), conditions)
    return representWritten(
      asked,
      await this.#executor.execute(request, boundPlan, viewer, executeOptions(asked)),
      format,
    )
  }

  async #update(request: HttpRequest, asked: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    const format = acceptRow(request)
    const conditions = writeConditions(request)
    const { kind, body } = await readPatchBody(request)
    const answer =
      kind === 'merge'
        ? await this.#merge(request, asked, body, conditions, viewer)
        : await this.#patch(request, asked, body, conditions, viewer)
    return representWritten(asked, answer, format)
  }

  #merge(
    request: HttpRequest,
    asked: ParsedRequest,
    body: unknown,
    conditions: WriteConditions | null,
    viewer: Viewer,
  ): MaybePromise<PlanResult> {
    const boundPlan = this.#writes.update(asked, body, true, conditions)
    return this.#executor.execute(request, boundPlan, viewer, executeOptions(asked))
  }

  #patch(
    request: HttpRequest,
    asked: ParsedRequest,
    body: unknown,
    conditions: WriteConditions | null,
    viewer: Viewer,
  ): MaybePromise<PlanResult> {
    const note = (plan: Naming) => this.#executor.note(request, plan, isWhole(asked))
    return this.#executor.seen(
      request,
      this.#patches.apply(asked, body, conditions, viewer, executeOptions(asked), note),
    )
  }

  async #delete(request: HttpRequest, asked: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    const boundPlan = this.#writes.delete(asked, writeConditions(request))
    return representDeleted(asked, await this.#executor.execute(request, boundPlan, viewer, writeOptions(asked)))
  }

  async #link(
    change: 'add' | 'remove',
    request: HttpRequest,
    asked: ParsedRequest,
    viewer: Viewer,
  ): Promise<HttpReply> {
    const boundPlan = this.#writes.link(asked, change, writeConditions(request))
    this.#executor.note(request, boundPlan.plan, true)
    try {
      return representLinked(await this.#engine.execute(boundPlan, viewer, writeOptions(asked)))
    } catch (error) {
      throw refersToNoFarEnd(error, asked) ?? error
    }
  }
}

/** The path as it was before a rename: who sends a write again finds it made, whatever its path is called meanwhile. */
function formerPath(path: string, { route }: ParsedRequest): string {
  const owner = route.kind === 'nested' ? route.field.owner : route.of
  const field = 'field' in route ? route.field.alias : undefined
  const [start = '', collection = '', id, nested, ...rest] = path.split('/')
  const former = [start, owner.formerPaths[0] ?? collection]
  if (id !== undefined) former.push(id)
  if (nested !== undefined) former.push(field === undefined ? nested : kebabCase(field), ...rest)
  return former.join('/')
}

/** The row of a nested path is the new row's reference, so the write itself finds out whether it is there for this viewer. */
function refersToNoOwner(error: unknown, { route }: ParsedRequest): boolean {
  if (route.kind !== 'nested' || route.field.kind !== 'many') return false
  const { name } = route.field.via
  const isOwner = (path: string) => path === name || /^\d+$/.test(path.slice(0, -name.length - 1))
  return error instanceof ApiError && error.problems.some(({ path, code }) => isOwner(path) && code === 'REFERENCE')
}

/** R8: a link to nothing is not a conflict but a path that leads nowhere. */
function refersToNoFarEnd(error: unknown, { route, linkedId: far }: ParsedRequest): ApiError | null {
  if (route.kind !== 'link' || !(error instanceof ApiError)) return null
  const problem = error.problems.find(({ path, code }) => path === `${route.field.name}.0` && code === 'REFERENCE')
  if (problem === undefined) return null
  return new ApiError(
    'NOT_FOUND',
    problem.message.startsWith('There is no') ? problem.message : `${far}: ${problem.message}`,
  )
}

const noRows = parseQuery('limit=0')

// POST, PUT, PATCH and DELETE: admit → read the body → plan → execute → represent.

import type { Tokens } from '#auth'
import { ApiError, type MaybePromise, unreachable } from '#base'
import { anonymous, type HttpReply, type HttpRequest, prefersAsync, type Viewer } from '#base/http'
import type { Engine, ExecuteOptions } from '#engine'
import { firstName, hasOneName, kebabCase } from '#model/names'
import { type BoundPlan, isGuest, type PlanResult, type SignUp, type WriteKind, type WritePlan } from '#plan'
import type { AnyBoundPlan } from '#plan/explain'
import { planBulkRequest } from '../plan/plan-bulk.ts'
import type { ReadPlanner } from '../plan/plan-read.ts'
import type { WritePlanner } from '../plan/plan-write.ts'
import { representBulk, representDeleted, representLinked, representWritten } from '../represent/represent.ts'
import { acceptJson, acceptRow } from '../request/accept.ts'
import {
  type CreateBody,
  readCreateBody,
  readJsonBody,
  readOptionalJsonBody,
  readPatchBody,
  readRowBody,
} from '../request/body.ts'
import { rowAction } from '../request/deleted-rows.ts'
import { readIdempotentRequest } from '../request/idempotent-request.ts'
import { hasConflict, preferredResolution } from '../request/on-conflict.ts'
import { hasKey, notFound, type ParsedRequest, resourceOf } from '../request/parsed-request.ts'
import {
  expectNoPreconditions,
  expectWhole,
  readWritePreconditions,
  type WritePreconditions,
} from '../request/preconditions.ts'
import { parseQuery } from '../request/query-string.ts'
import { type Executor, executeOptions, isDefaultRepresentation, writeOptions } from './executor.ts'
import { JsonPatchWriter } from './json-patch-writer.ts'
import { LenientCreates, type LenientPlace } from './lenient-creates.ts'

type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const actions = { POST: 'create', PUT: 'replace', PATCH: 'update', DELETE: 'delete' } as const

export class WriteHandler {
  readonly #engine: Engine
  readonly #executor: Executor
  readonly #reads: ReadPlanner
  readonly #writes: WritePlanner
  readonly #patches: JsonPatchWriter
  readonly #lenientCreates: LenientCreates
  /** Null: an account is there before its address is proven. */
  readonly #signUps: Tokens['signUps']

  constructor(
    engine: Engine,
    executor: Executor,
    reads: ReadPlanner,
    writes: WritePlanner,
    { folder, onError }: LenientPlace,
    signUps: Tokens['signUps'],
  ) {
    this.#engine = engine
    this.#signUps = signUps
    this.#executor = executor
    this.#reads = reads
    this.#writes = writes
    this.#patches = new JsonPatchWriter(engine, reads, writes)
    this.#lenientCreates = new LenientCreates({ engine, executor, writes, folder, onError })
  }

  answer(method: WriteMethod, request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    this.#admit(actionOf(method, parsed), parsed, viewer)
    if (method === 'POST' && this.#lenientCreates.appliesTo(request, parsed) && rowAction(parsed) === null) {
      return this.#createLeniently(request, parsed, viewer)
    }
    if (request.headers['idempotency-key'] === undefined) return this.#write(method, request, parsed, viewer)
    return this.#writeIdempotently(method, request, parsed, viewer)
  }

  /** Before the body is parsed: a viewer who can never write here gets no other error. */
  #admit(action: WriteKind['action'], { route: { of } }: ParsedRequest, viewer: Viewer): void {
    if (of.kind === 'resource') this.#engine.admit({ of, action }, viewer)
  }

  async #writeIdempotently(
    method: WriteMethod,
    original: HttpRequest,
    parsed: ParsedRequest,
    viewer: Viewer,
  ): Promise<HttpReply> {
    const { idempotencyKey, request } = await readIdempotentRequest(
      original,
      viewer,
      `${method} ${firstPath(original.path, parsed)}`,
    )
    return this.#write(method, request, idempotencyKey === null ? parsed : { ...parsed, idempotencyKey }, viewer)
  }

  #write(method: WriteMethod, request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    const isLink = parsed.route.kind === 'link'
    switch (method) {
      case 'POST':
        if (rowAction(parsed) === 'restore') return this.#restore(request, parsed, viewer)
        if (rowAction(parsed) === 'revert') return this.#revert(request, parsed, viewer)
        return isRedelivery(parsed) ? this.#redeliver(request, parsed, viewer) : this.#create(request, parsed, viewer)
      case 'PUT':
        expectWhole(request)
        return isLink ? this.#link('add', request, parsed, viewer) : this.#replace(request, parsed, viewer)
      case 'PATCH':
        if (parsed.route.kind === 'collection') return this.#updateAll(request, parsed, viewer)
        return this.#update(request, parsed, viewer)
      case 'DELETE':
        if (parsed.route.kind === 'collection') return this.#writeAll(request, parsed, undefined, viewer)
        return isLink ? this.#link('remove', request, parsed, viewer) : this.#delete(request, parsed, viewer)
      default:
        return unreachable(method)
    }
  }

  async #create(request: HttpRequest, original: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    const format = acceptRow(request)
    expectNoPreconditions(request)
    const reading = readCreateBody(request, resourceOf(original), original.visibility.account)
    const body = reading instanceof Promise ? await reading : reading
    const isNested = original.route.kind === 'nested'
    const parsed = withResolution(isNested ? await this.#withOwnerId(original, viewer) : original, request)
    const boundPlan = this.#planCreate(parsed, body)
    if (body.kind !== 'records' && this.#isSignUp(boundPlan, parsed, viewer))
      return this.#signUp(request, boundPlan as BoundPlan<WritePlan>, body.value as Record<string, unknown>, viewer)
    if (isNested) await this.#expectList(parsed, viewer)
    try {
      return representWritten(
        parsed,
        await this.#executor.execute(request, boundPlan, viewer, executeOptions(parsed)),
        format,
      )
    } catch (error) {
      throw isMissingOwner(error, parsed) ? notFound(parsed) : error
    }
  }

  #createLeniently(request: HttpRequest, original: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    return this.#lenientCreates.answer(request, original, viewer, {
      operation: `POST ${firstPath(request.path, original)}`,
      locate: async (parsed) => {
        const located = withResolution(await this.#withSeenOwner(parsed, viewer), request)
        await this.#expectList(located, viewer)
        return located
      },
      createOne: (received, parsed) =>
        received.headers['idempotency-key'] === undefined
          ? this.#write('POST', received, parsed, viewer)
          : this.#writeIdempotently('POST', received, parsed, viewer),
    })
  }

  /** One account, by itself: the store refuses other writes of a guest that would create one. */
  #isSignUp({ plan }: BoundPlan, { route }: ParsedRequest, viewer: Viewer): boolean {
    if (this.#signUps === null || plan.kind !== 'write' || plan.action !== 'create') return false
    const isAccount = plan.of === this.#engine.model.account?.resource
    return isAccount && route.kind === 'collection' && isGuest(plan.of, viewer)
  }

  /** R270 */
  async #signUp(
    request: HttpRequest,
    boundPlan: BoundPlan<WritePlan>,
    input: Record<string, unknown>,
    viewer: Viewer,
  ): Promise<HttpReply> {
    this.#executor.recordUsage(request, boundPlan, true)
    const made = await this.#signUps!.begin(boundPlan, input, viewer, request.context)
    return { status: 202, headers: { ...secretHeaders }, body: JSON.stringify(made) }
  }

  /** Creates the account of a sign-up whose address is proven. */
  async createSignedUp(
    request: HttpRequest,
    route: ParsedRequest['route'],
    input: Record<string, unknown>,
    signUp: SignUp,
  ): Promise<{ id: string; reply: HttpReply }> {
    // Its password was hashed when it was sent.
    const visibility = { ...this.#engine.visibility(anonymous), account: null }
    const parsed: ParsedRequest = { route, id: '', keyValues: [], linkedId: '', query: parseQuery(''), visibility }
    const boundPlan = this.#writes.create(parsed, input)
    const bound = { ...boundPlan, plan: { ...boundPlan.plan, signUp } }
    const made = await this.#executor.execute(request, bound, anonymous, executeOptions(parsed))
    if (made.kind !== 'written') throw new Error(`a create answered with ${made.kind}`)
    const reply = representWritten(parsed, made, 'json')
    return { id: made.id, reply: { ...reply, headers: { ...reply.headers, 'cache-control': 'no-store' } } }
  }

  #planCreate(parsed: ParsedRequest, body: CreateBody): BoundPlan {
    if (body.kind === 'records') return this.#writes.createAll(parsed, body.inputs, body)
    const { value } = body
    const isSeveral = Array.isArray(value) && resourceOf(parsed).system === undefined
    return isSeveral ? this.#writes.createAll(parsed, value) : this.#writes.create(parsed, value)
  }

  /** A new row in a list refers to its owner by the id: the owner of a path with a key is read first. */
  async #withOwnerId(parsed: ParsedRequest, viewer: Viewer): Promise<ParsedRequest> {
    return hasKey(parsed) ? this.#withSeenOwner(parsed, viewer) : parsed
  }

  /** Throws if the viewer can't see the owner. */
  async #withSeenOwner(parsed: ParsedRequest, viewer: Viewer): Promise<ParsedRequest> {
    if (parsed.route.kind !== 'nested') return parsed
    const { by: _, ...route } = parsed.route
    const owner = await this.#engine.execute(this.#reads.owner(parsed), viewer, freshOwner)
    if (owner.kind !== 'one' || owner.text === null) throw notFound(parsed)
    return hasKey(parsed) ? { ...parsed, route, id: owner.id ?? '', keyValues: [] } : parsed
  }

  /** `{"delivery": id}` at the deliveries of a webhook (R138). */
  async #redeliver(request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    const format = acceptRow(request)
    expectNoPreconditions(request)
    const boundPlan = this.#writes.redeliver(parsed, await readJsonBody(request))
    const answer = await this.#executor.execute(request, boundPlan, viewer, executeOptions(parsed))
    return { ...representWritten(parsed, answer, format), status: 202 }
  }

  /** A POST without a body, at the restorations of a deleted row. */
  async #restore(request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    const format = acceptRow(request)
    const conditions = readWritePreconditions(request)
    const boundPlan = this.#writes.restore(parsed, await readOptionalJsonBody(request), conditions)
    const answer = await this.#executor.execute(request, boundPlan, viewer, executeOptions(parsed))
    return representWritten(parsed, answer, format)
  }

  /** `{"version": 3}` at the reversions of a row (R178). */
  async #revert(request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    const format = acceptRow(request)
    const conditions = readWritePreconditions(request)
    const boundPlan = this.#writes.revert(parsed, await readJsonBody(request), conditions)
    const answer = await this.#executor.execute(request, boundPlan, viewer, executeOptions(parsed))
    return representWritten(parsed, answer, format)
  }

  /** A create in a nested list that the viewer may not see is a 404. Only checked if the list has a read rule. */
  async #expectList(parsed: ParsedRequest, viewer: Viewer): Promise<void> {
    if (parsed.route.kind !== 'nested' || !parsed.visibility.maybeHidden(parsed.route.field)) return
    await this.#engine.execute(this.#reads.page({ ...parsed, query: noRows }), viewer)
  }

  async #replace(request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    const format = acceptRow(request)
    const conditions = readWritePreconditions(request)
    const body = await readRowBody(request, resourceOf(parsed))
    const boundPlan = this.#writes.replace(parsed, body, conditions)
    const answer = await this.#executor.execute(request, boundPlan, viewer, executeOptions(parsed))
    return representWritten(parsed, answer, format, body)
  }

  async #update(request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    const format = acceptRow(request)
    const conditions = readWritePreconditions(request)
    const { kind, body } = await readPatchBody(request)
    const answer =
      kind === 'merge'
        ? await this.#merge(request, parsed, body, conditions, viewer)
        : await this.#patch(request, parsed, body, conditions, viewer)
    return representWritten(parsed, answer, format)
  }

  async #updateAll(request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    const { kind, body } = await readPatchBody(request)
    if (kind === 'merge') return this.#writeAll(request, parsed, { tree: body }, viewer)
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'A JSON Patch changes one row.', {
      hint: 'Send the fields to change with "Content-Type: application/merge-patch+json".',
    })
  }

  /** The rows of a filter (R67). */
  async #writeAll(
    request: HttpRequest,
    parsed: ParsedRequest,
    body: { tree: unknown } | undefined,
    viewer: Viewer,
  ): Promise<HttpReply> {
    acceptJson(request)
    expectNoPreconditions(request, 'many')
    const { boundPlan, isDryRun } = planBulkRequest(parsed, body, this.#engine.limits)
    const options = { ...writeOptions(parsed), isDryRun, isAsync: prefersAsync(request) }
    return representBulk(await this.#executor.execute(request, boundPlan, viewer, options))
  }

  #merge(
    request: HttpRequest,
    parsed: ParsedRequest,
    body: unknown,
    conditions: WritePreconditions | null,
    viewer: Viewer,
  ): MaybePromise<PlanResult> {
    const boundPlan = this.#writes.update(parsed, body, true, conditions)
    return this.#executor.execute(request, boundPlan, viewer, executeOptions(parsed))
  }

  #patch(
    request: HttpRequest,
    parsed: ParsedRequest,
    body: unknown,
    conditions: WritePreconditions | null,
    viewer: Viewer,
  ): MaybePromise<PlanResult> {
    const recordUsage = (boundPlan: AnyBoundPlan) =>
      this.#executor.recordUsage(request, boundPlan, isDefaultRepresentation(parsed))
    return this.#executor.withoutFailures(
      request,
      this.#patches.apply(
        parsed,
        body,
        conditions,
        viewer,
        { ...executeOptions(parsed), caller: request.context },
        recordUsage,
      ),
    )
  }

  async #delete(request: HttpRequest, parsed: ParsedRequest, viewer: Viewer): Promise<HttpReply> {
    const boundPlan = this.#writes.delete(
      parsed,
      readWritePreconditions(request),
      await this.#confirmation(request, parsed),
    )
    const options = prefersAsync(request) ? { ...writeOptions(parsed), isAsync: true } : writeOptions(parsed)
    return representDeleted(parsed, await this.#executor.execute(request, boundPlan, viewer, options))
  }

  /** The body of a delete of an account; undefined without one. Other deletes ignore a body, as most servers do. */
  async #confirmation(request: HttpRequest, { route }: ParsedRequest): Promise<unknown> {
    const isAccount = route.of === this.#engine.model.account?.resource
    return isAccount ? readOptionalJsonBody(request) : undefined
  }

  async #link(
    change: 'add' | 'remove',
    request: HttpRequest,
    parsed: ParsedRequest,
    viewer: Viewer,
  ): Promise<HttpReply> {
    const boundPlan = this.#writes.link(parsed, change, readWritePreconditions(request))
    this.#executor.recordUsage(request, boundPlan, true)
    try {
      return representLinked(await this.#engine.execute(boundPlan, viewer, writeOptions(parsed)))
    } catch (error) {
      throw missingLinkedRow(error, parsed) ?? error
    }
  }
}

/** The answer has a secret. */
const secretHeaders = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' }

function actionOf(method: WriteMethod, parsed: ParsedRequest): WriteKind['action'] {
  const { route, query } = parsed
  if (route.kind === 'link') return 'update'
  const action = rowAction(parsed)
  if (action !== null) return action === 'revert' ? 'update' : action
  return method === 'POST' && hasConflict(query) ? 'upsert' : actions[method]
}

function withResolution(parsed: ParsedRequest, request: HttpRequest): ParsedRequest {
  const resolution = preferredResolution(request)
  return resolution === null ? parsed : { ...parsed, resolution }
}

function isRedelivery({ route: { of } }: ParsedRequest): boolean {
  return of.kind === 'resource' && of.system?.isRedelivered === true
}

/** The path before a rename: idempotency keys must match retries that are sent to the new path. */
function firstPath(path: string, { route }: ParsedRequest): string {
  const [owner, list] = 'field' in route ? [route.field.owner, route.field] : [route.of, null]
  const parts = path.split('/')
  parts[1] = owner.previousPaths[0] ?? parts[1] ?? ''
  if (list !== null && !hasOneName(list)) parts[3] = kebabCase(firstName(list))
  return parts.join('/')
}

/** The new row references the row of the nested path: the write itself finds out whether the viewer can see it. */
function isMissingOwner(error: unknown, { route }: ParsedRequest): boolean {
  if (route.kind !== 'nested' || route.field.kind !== 'many') return false
  const { name } = route.field.via
  const isOwner = (path: string) => path === name || /^\d+$/.test(path.slice(0, -name.length - 1))
  return error instanceof ApiError && error.problems.some(({ path, code }) => isOwner(path) && code === 'REFERENCE')
}

/** R8: a link to a missing row is a 404, not a conflict. */
function missingLinkedRow(error: unknown, { route }: ParsedRequest): ApiError | null {
  if (route.kind !== 'link' || !(error instanceof ApiError)) return null
  const problem = error.problems.find(({ path, code }) => path === `${route.field.name}.0` && code === 'REFERENCE')
  return problem === undefined ? null : new ApiError('NOT_FOUND', problem.message)
}

const noRows = parseQuery('limit=0')

/** A write follows the read. */
const freshOwner: ExecuteOptions = { isDefaultSelection: true, fresh: true }

// `POST /batch`: several writes in one transaction, all or none (docs/reference/rest.md, R160–R165). `$0.id` in a path, or as an
// id in a body, is the id of the row of operation 0.

import { type ApiError, isRecord, type Problem, uuidv7, validationError } from '#base'
import { type HttpReply, type HttpRequest, idempotencyKeyOf, readIdempotencyKey, type Viewer } from '#base/http'
import type { Engine } from '#engine'
import type { BoundPlan, PlanResult, WritePlan } from '#plan'
import { idOf, resolveEarlierId, withEarlierIds, withUsedAliases } from '#plan/build'
import type { WritePlanner } from '../plan/plan-write.ts'
import { representDeleted, representLinked, representOptions, representWritten } from '../represent/represent.ts'
import { acceptJson } from '../request/accept.ts'
import { readJsonBody } from '../request/body.ts'
import { rowAction } from '../request/deleted-rows.ts'
import { withBody } from '../request/idempotent-request.ts'
import { hasKey, type ParsedRequest } from '../request/parsed-request.ts'
import { expectNoPreconditions, readWritePreconditions } from '../request/preconditions.ts'
import { parseQuery } from '../request/query-string.ts'
import { allowedMethod, type Router } from '../request/route.ts'
import { isDefaultRepresentation, type RecordUsage } from './executor.ts'

const route = { methods: ['POST', 'OPTIONS'] } as const

export function isBatchPath(path: string): boolean {
  return path === '/batch'
}

interface BatchOperation {
  place: string
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  body: unknown
  headers: Record<string, string>
}

interface PlannedBatchOperation {
  operation: BatchOperation
  parsed: ParsedRequest
  boundPlan: BoundPlan<WritePlan>
  isDefaultSelection: boolean
}

export class BatchHandler {
  readonly #engine: Engine
  readonly #router: Router
  readonly #writes: WritePlanner
  readonly #recordUsage: RecordUsage

  constructor(engine: Engine, router: Router, writes: WritePlanner, recordUsage: RecordUsage) {
    this.#engine = engine
    this.#router = router
    this.#writes = writes
    this.#recordUsage = recordUsage
  }

  async answer(request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    if (allowedMethod(request.method, route) === 'OPTIONS') return representOptions(route)
    acceptJson(request)
    const key = readIdempotencyKey(request.headers['idempotency-key'])
    const bytes = await request.body()
    const idempotencyKey = key === null ? null : idempotencyKeyOf(key, viewer, 'POST /batch', [bytes])
    const operations = this.#read(await readJsonBody(withBody(request, bytes)))
    const planned: PlannedBatchOperation[] = []
    const earlier = new Map<string, string | null>()
    const parts = operations.map((operation, index) => ({
      place: operation.place,
      plan: () => {
        const operationPlan = this.#plan(operation, earlier, viewer)
        planned[index] = operationPlan
        this.#recordUsage(request, operationPlan.boundPlan, operationPlan.isDefaultSelection)
        return operationPlan
      },
    }))
    const answer = await this.#engine.transact(parts, viewer, idempotencyKey, request.context)
    const replies = answer.answers.map((one, index) => replyText(represent(planned[index]!, one)))
    const headers: HttpReply['headers'] = { 'content-type': 'application/json; charset=utf-8' }
    if (answer.replayed === true) headers['idempotent-replayed'] = 'true'
    return { status: 200, headers, body: `[${replies.join(',')}]` }
  }

  /** Reports all mistakes together. */
  #read(body: unknown): BatchOperation[] {
    const maxCount = this.#engine.limits.transaction
    if (!Array.isArray(body) || body.length === 0)
      throw typeProblem('', 'must be an array with at least one operation.')
    if (maxCount > 0 && body.length > maxCount)
      throw typeProblem('', `has ${body.length} operations; the maximum is ${maxCount}.`)
    const problems: Problem[] = []
    const operations = body.map((item, index) => readOperation(item, String(index), problems))
    if (problems.length > 0) throw validationError(problems)
    return operations as BatchOperation[]
  }

  #plan(operation: BatchOperation, earlier: Map<string, string | null>, viewer: Viewer): PlannedBatchOperation {
    const { place, method, headers } = operation
    const before = new Map(earlier)
    // An operation that can not be planned gets an id too: references to it are not reported as further mistakes.
    const fresh = uuidv7()
    earlier.set(place, fresh)
    const [path = '', query = ''] = operation.path.split('?', 2)
    const resolvedPath = withEarlierPath(path, before)
    const redirect = this.#router.redirect(resolvedPath)
    const { route: found, id, keyValues, linkedId } = this.#router.find(redirect?.target ?? resolvedPath)
    allowedMethod(method, found)
    if (found.kind === 'collection' && method !== 'POST') {
      throw typeProblem('path', `names no row; ${method} of a filter can't be part of a batch.`)
    }
    const parsed: ParsedRequest = {
      route: found,
      id,
      keyValues,
      linkedId,
      query: parseQuery(query),
      visibility: this.#engine.visibility(viewer),
    }
    if (found.kind === 'nested' && parsed.visibility.maybeHidden(found.field)) {
      throw typeProblem('path', `is a list with a read rule; create the row at /${found.of.path}.`)
    }
    if (found.kind === 'nested' && hasKey(parsed)) {
      throw typeProblem('path', `names the row of the list by a key; create the row at /${found.of.path}.`)
    }
    const named = withEarlierIds(this.#planWrite(operation, parsed, headers), before)
    const boundPlan = named.plan.action === 'create' ? withId(named, fresh) : named
    earlier.set(place, idOf(boundPlan))
    return {
      operation,
      parsed,
      boundPlan: withUsedAliases(boundPlan, redirect?.aliases ?? []),
      isDefaultSelection: isDefaultRepresentation(parsed),
    }
  }

  #planWrite(
    { method, body }: BatchOperation,
    parsed: ParsedRequest,
    headers: Record<string, string>,
  ): BoundPlan<WritePlan> {
    const isLink = parsed.route.kind === 'link'
    switch (method) {
      case 'POST':
        if (rowAction(parsed) === 'restore')
          return this.#writes.restore(parsed, body, readWritePreconditions({ headers }))
        if (rowAction(parsed) === 'revert')
          return this.#writes.revert(parsed, body, readWritePreconditions({ headers }))
        expectNoPreconditions({ headers })
        return this.#writes.create(parsed, body)
      case 'PUT':
        if (isLink) return this.#writes.link(parsed, 'add', readWritePreconditions({ headers }))
        return this.#writes.replace(parsed, body, readWritePreconditions({ headers }))
      case 'PATCH':
        return this.#writes.update(parsed, body, true, readWritePreconditions({ headers }))
      case 'DELETE':
        if (isLink) return this.#writes.link(parsed, 'remove', readWritePreconditions({ headers }))
        return this.#writes.delete(parsed, readWritePreconditions({ headers }))
    }
  }
}

/** A create with an id that is chosen here. */
function withId(boundPlan: BoundPlan<WritePlan>, id: string): BoundPlan<WritePlan> {
  const { plan, values, places } = boundPlan
  const parameter = { index: values.length, accepts: { kind: 'type', type: { kind: 'scalar', name: 'ID' } } } as const
  return { ...boundPlan, plan: { ...plan, id: parameter }, values: [...values, id], places: [...places, 'id'] }
}

function withEarlierPath(path: string, earlier: ReadonlyMap<string, string | null>): string {
  const problems: Problem[] = []
  const steps = path.split('/').map((step) => resolveEarlierId(step, earlier, 'path', problems))
  if (problems.length > 0) throw validationError(problems)
  return steps.join('/')
}

const methods = ['POST', 'PUT', 'PATCH', 'DELETE']
const members = ['method', 'path', 'body', 'headers']
const conditions = ['if-match', 'if-none-match', 'if-unmodified-since']

function readOperation(item: unknown, place: string, problems: Problem[]): BatchOperation | null {
  const before = problems.length
  const problem = (path: string, message: string) => problems.push({ path: `${place}${path}`, code: 'TYPE', message })
  if (!isRecord(item)) {
    problem('', 'must be an object with method, path and body.')
    return null
  }
  for (const name of Object.keys(item)) {
    if (members.includes(name)) continue
    problems.push({
      path: `${place}.${name}`,
      code: 'UNKNOWN',
      message: `is not a member; there are ${members.join(', ')}.`,
    })
  }
  const { method, path, body, headers = {} } = item
  if (!methods.includes(String(method))) problem('.method', `must be one of ${methods.join(', ')}.`)
  if (typeof path !== 'string' || !path.startsWith('/')) problem('.path', 'must be a path such as /posts/$0.id.')
  if (!isRecord(headers)) problem('.headers', `must be an object with ${conditions.join(', ')}.`)
  const read: Record<string, string> = {}
  for (const [name, value] of Object.entries(isRecord(headers) ? headers : {})) {
    const lower = name.toLowerCase()
    if (!conditions.includes(lower) || typeof value !== 'string') {
      problem(`.headers.${name}`, `is not supported here; there are ${conditions.join(', ')}, as strings.`)
    } else read[lower] = value
  }
  if (problems.length > before) return null
  return { place, method: method as BatchOperation['method'], path: String(path), body, headers: read }
}

function typeProblem(path: string, message: string): ApiError {
  return validationError([{ path, code: 'TYPE', message }])
}

function represent({ operation, parsed }: PlannedBatchOperation, answer: PlanResult): HttpReply {
  if (answer.kind === 'deleted') return representDeleted(parsed, answer)
  if (parsed.route.kind === 'link') return representLinked(answer)
  return representWritten(parsed, answer, 'json', operation.method === 'PUT' ? operation.body : undefined)
}

/** The body is the JSON text of the store. */
function replyText({ status, headers, body }: HttpReply): string {
  const { 'content-type': _, ...sent } = headers
  const row = typeof body === 'string' ? `,"body":${body}` : ''
  return `{"status":${status},"headers":${JSON.stringify(sent)}${row}}`
}

// `POST /batch`: several writes in one transaction, all of them or none (docs/reference/rest.md, R160–R165). `$0.id` in a path, or where
// a body has an id, is that of the row of operation 0.

import {
  type ApiError,
  type HttpReply,
  type HttpRequest,
  idempotencyKeyOf,
  isRecord,
  type Problem,
  readIdempotencyKey,
  uuidv7,
  type Viewer,
  validationError,
} from '#base'
import type { Engine } from '#engine'
import type { BoundPlan, PlanResult, WritePlan } from '#plan'
import { resolveEarlierId, withEarlierIds } from '#plan/build'
import type { WritePlanner } from '../plan/plan-write.ts'
import { representDeleted, representLinked, representOptions, representWritten } from '../represent/represent.ts'
import { acceptJson } from '../request/accept.ts'
import { readJsonBody } from '../request/body.ts'
import { withBody } from '../request/idempotent-request.ts'
import type { ParsedRequest } from '../request/parsed-request.ts'
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
  parsed: ParsedRequest
  boundPlan: BoundPlan<WritePlan>
  isDefaultSelection: boolean
}

export class BatchHandler {
  readonly #engine: Engine
  readonly #router: Router
  readonly #writes: WritePlanner
  readonly #recordUsage: RecordUsage

  constructor(engine: Engine, router: Router, writes: WritePlanner, note: RecordUsage) {
    this.#engine = engine
    this.#router = router
    this.#writes = writes
    this.#recordUsage = note
  }

  async answer(request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    if (allowedMethod(request.method, route) === 'OPTIONS') return representOptions(route)
    acceptJson(request)
    const key = readIdempotencyKey(request.headers['idempotency-key'])
    const bytes = await request.body()
    const once = key === null ? null : idempotencyKeyOf(key, viewer, 'POST /batch', [bytes])
    const operations = this.#read(await readJsonBody(withBody(request, bytes)))
    const planned: PlannedBatchOperation[] = []
    const earlier = new Map<string, string>()
    const parts = operations.map((operation, index) => ({
      place: operation.place,
      plan: () => {
        const made = this.#plan(operation, earlier, viewer)
        planned[index] = made
        this.#recordUsage(request, made.boundPlan.plan, made.isDefaultSelection)
        return made
      },
    }))
    const answer = await this.#engine.transact(parts, viewer, once)
    const replies = answer.answers.map((one, index) => replyText(represent(planned[index]!, one)))
    const headers: HttpReply['headers'] = { 'content-type': 'application/json; charset=utf-8' }
    if (answer.replayed === true) headers['idempotent-replayed'] = 'true'
    return { status: 200, headers, body: `[${replies.join(',')}]` }
  }

  /** Every place that is wrong at once. */
  #read(body: unknown): BatchOperation[] {
    const most = this.#engine.limits.transaction
    if (!Array.isArray(body) || body.length === 0)
      throw typeProblem('', 'must be an array of operations, one at least.')
    if (most > 0 && body.length > most) throw typeProblem('', `holds ${body.length} operations; there may be ${most}.`)
    const problems: Problem[] = []
    const operations = body.map((given, index) => readOperation(given, String(index), problems))
    if (problems.length > 0) throw validationError(problems)
    return operations as BatchOperation[]
  }

  #plan(operation: BatchOperation, earlier: Map<string, string>, viewer: Viewer): PlannedBatchOperation {
    const { place, method, headers } = operation
    const before = new Map(earlier)
    // What can't be planned has a row all the same, so that those behind it hear of their own mistakes alone.
    const fresh = uuidv7()
    earlier.set(place, fresh)
    const [path = '', query = ''] = operation.path.split('?', 2)
    const asGiven = withEarlierPath(path, before)
    const { route: found, id, linkedId: far } = this.#router.find(this.#router.redirectTarget(asGiven) ?? asGiven)
    allowedMethod(method, found)
    const parsed: ParsedRequest = {
      route: found,
      id,
      linkedId: far,
      query: parseQuery(query),
      visibility: this.#engine.visibility(viewer),
    }
    if (found.kind === 'nested' && parsed.visibility.maybeHidden(found.field)) {
      throw typeProblem('path', `names a list that not everyone sees; make the row at /${found.of.path}.`)
    }
    const named = withEarlierIds(this.#planWrite(operation, parsed, headers), before)
    const boundPlan = method === 'POST' ? withId(named, fresh) : named
    earlier.set(place, String(boundPlan.values[boundPlan.plan.id!.index]))
    return { parsed, boundPlan, isDefaultSelection: isDefaultRepresentation(parsed) }
  }

  #planWrite(
    { method, body }: BatchOperation,
    parsed: ParsedRequest,
    headers: Record<string, string>,
  ): BoundPlan<WritePlan> {
    const isLink = parsed.route.kind === 'link'
    switch (method) {
      case 'POST':
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

/** A create under an id that is made here. */
function withId({ plan, values, places }: BoundPlan<WritePlan>, id: string): BoundPlan<WritePlan> {
  const parameter = { index: values.length, accepts: { kind: 'type', type: { kind: 'scalar', name: 'ID' } } } as const
  return { plan: { ...plan, id: parameter }, values: [...values, id], places: [...places, 'id'] }
}

function withEarlierPath(path: string, earlier: ReadonlyMap<string, string>): string {
  const problems: Problem[] = []
  const steps = path.split('/').map((step) => resolveEarlierId(step, earlier, 'path', problems))
  if (problems.length > 0) throw validationError(problems)
  return steps.join('/')
}

const methods = ['POST', 'PUT', 'PATCH', 'DELETE']
const members = ['method', 'path', 'body', 'headers']
const conditions = ['if-match', 'if-none-match', 'if-unmodified-since']

function readOperation(given: unknown, place: string, problems: Problem[]): BatchOperation | null {
  const before = problems.length
  const problem = (path: string, message: string) => problems.push({ path: `${place}${path}`, code: 'TYPE', message })
  if (!isRecord(given)) {
    problem('', 'must be an object with method, path and body.')
    return null
  }
  for (const name of Object.keys(given)) {
    if (members.includes(name)) continue
    problems.push({
      path: `${place}.${name}`,
      code: 'UNKNOWN',
      message: `is no member; there are ${members.join(', ')}.`,
    })
  }
  const { method, path, body, headers = {} } = given
  if (!methods.includes(String(method))) problem('.method', `must be one of ${methods.join(', ')}.`)
  if (typeof path !== 'string' || !path.startsWith('/')) problem('.path', 'must be a path such as /posts/$0.id.')
  if (!isRecord(headers)) problem('.headers', `must be an object; there can be ${conditions.join(', ')}.`)
  const read: Record<string, string> = {}
  for (const [name, value] of Object.entries(isRecord(headers) ? headers : {})) {
    const lower = name.toLowerCase()
    if (!conditions.includes(lower) || typeof value !== 'string') {
      problem(`.headers.${name}`, `can not be given here; there can be ${conditions.join(', ')}, as texts.`)
    } else read[lower] = value
  }
  if (problems.length > before) return null
  return { place, method: method as BatchOperation['method'], path: String(path), body, headers: read }
}

function typeProblem(path: string, message: string): ApiError {
  return validationError([{ path, code: 'TYPE', message }])
}

function represent({ parsed, boundPlan }: PlannedBatchOperation, answer: PlanResult): HttpReply {
  if (boundPlan.plan.action === 'delete') return representDeleted(parsed, answer)
  return parsed.route.kind === 'link' ? representLinked(answer) : representWritten(parsed, answer, 'json')
}

/** The row is the text that the store made. */
function replyText({ status, headers, body }: HttpReply): string {
  const { 'content-type': _, ...told } = headers
  const row = typeof body === 'string' ? `,"body":${body}` : ''
  return `{"status":${status},"headers":${JSON.stringify(told)}${row}}`
}

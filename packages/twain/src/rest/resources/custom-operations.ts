// Custom operations (docs/reference/rest.md, R118, R119, R203): a field of `Query` is a GET with its arguments in the query, a field of
// `Mutation` a POST with its arguments in the body. A field of `Subscription` is a GET that answers with an event stream.

import { didYouMean, isRecord } from '#base'
import {
  type HttpReply,
  type HttpRequest,
  idempotencyKeyOf,
  matchesEntityTag,
  notModified,
  pageTag,
  readIdempotencyKey,
  type Viewer,
} from '#base/http'
import type { Engine } from '#engine'
import { type Events, streamHeaders } from '#events'
import type { CustomOperation, StoredType } from '#model'
import type { BoundPlan, CustomCall, CustomResult } from '#plan'
import {
  allValueFields,
  defaultSelection,
  PlanBuilder,
  planArguments,
  planNamedRows,
  type Visibility,
  valueTypeIn,
} from '#plan/build'
import { selectTypes } from '../plan/fields.ts'
import {
  addFailureHeaders,
  printFailures,
  type ReportCodeError,
  visibleText,
  withoutFailureMarkers,
} from '../represent/absent-fields.ts'
import { mediaTypes, representOptions } from '../represent/represent.ts'
import type { CacheHeaders } from '../represent/response-headers.ts'
import { customResultXml } from '../represent/write-xml.ts'
import { acceptRow, type RowFormat } from '../request/accept.ts'
import { readArgumentsBody } from '../request/body.ts'
import { withBody } from '../request/idempotent-request.ts'
import { decodePercentOrFail } from '../request/query-string.ts'
import { allowedMethod, type Method } from '../request/route.ts'
import { textToValue } from '../request/text-value.ts'
import { expectStreamAccepted, representStream } from './custom-stream.ts'
import type { RecordUsage } from './executor.ts'

const queryMethods: readonly Method[] = ['GET', 'HEAD', 'OPTIONS']
const mutationMethods: readonly Method[] = ['POST', 'OPTIONS']

export class CustomOperations {
  readonly #engine: Engine
  readonly #caching: CacheHeaders
  readonly #onError: ReportCodeError | null
  readonly #recordUsage: RecordUsage
  readonly #events: Events | null
  readonly #byPath: ReadonlyMap<string, CustomOperation>

  constructor(
    engine: Engine,
    caching: CacheHeaders,
    onError: ReportCodeError | null,
    recordUsage: RecordUsage,
    events: Events | null,
  ) {
    this.#events = events
    this.#engine = engine
    this.#caching = caching
    this.#onError = onError
    this.#recordUsage = recordUsage
    this.#byPath = new Map(engine.model.operations.map((operation) => [`/${operation.path}`, operation]))
  }

  /** The handler of the path; undefined if no custom operation has it. */
  find(path: string): ((request: HttpRequest, viewer: Viewer) => Promise<HttpReply>) | undefined {
    const operation = this.#byPath.get(path)
    return operation && ((request, viewer) => this.#answer(operation, request, viewer))
  }

  /** Whether the path is that of a mutation that the viewer may call: then its code has refused the request, and is not run again. */
  hasRun({ path }: HttpRequest, viewer: Viewer): boolean {
    const operation = this.#byPath.get(path)
    return operation?.root === 'Mutation' && this.#engine.mayCall(operation, viewer)
  }

  async #answer(operation: CustomOperation, request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    const methods = operation.root === 'Mutation' ? mutationMethods : queryMethods
    const method = allowedMethod(request.method, { methods })
    if (method === 'OPTIONS') return representOptions({ methods })
    this.#engine.admitCall(operation, viewer)
    if (operation.root === 'Subscription') return this.#stream(operation, request, viewer)
    const format = acceptRow(request)
    const visibility = this.#engine.visibility(viewer)
    const key = method === 'POST' ? readIdempotencyKey(request.headers['idempotency-key']) : null
    const sent = key === null ? null : await request.body()
    const { parameters, body } = await readInput(operation, sent === null ? request : withBody(request, sent))
    const boundPlan = this.#plan(operation, parameters, body, visibility)
    const options = { isDefaultSelection: !parameters.has('fields') }
    this.#recordUsage(request, boundPlan, options.isDefaultSelection)
    const keyOption =
      key === null
        ? {}
        : { idempotencyKey: idempotencyKeyOf(key, viewer, `POST ${request.path}`, [request.query, sent!]) }
    const { text, failures, replayed } = await this.#engine.call(boundPlan, viewer, { ...options, ...keyOption })
    const seen = visibleText(failures === undefined ? text : withoutFailureMarkers(text), visibility)
    const shown = format === 'json' ? seen : customResultXml(JSON.parse(seen), operation)
    const reply = this.#represent(request, boundPlan.plan, shown, format)
    if (replayed === true) reply.headers['idempotent-replayed'] = 'true'
    if (failures === undefined) return reply
    return addFailureHeaders(reply, printFailures(failures, this.#onError, request.context?.id))
  }

  async #stream(operation: CustomOperation, request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    if (this.#events === null) throw new Error('there are no events to stream')
    expectStreamAccepted(request)
    const parameters = new Map(readParameters(request.query))
    parameters.delete('ticket') // authentication has already used it
    const visibility = this.#engine.visibility(viewer)
    const boundPlan = this.#plan(operation, parameters, null, visibility)
    const options = { isDefaultSelection: !parameters.has('fields') }
    this.#recordUsage(request, boundPlan, options.isDefaultSelection)
    if (request.method === 'HEAD') return { status: 200, headers: streamHeaders, body: null }
    const stream = await this.#engine.stream(boundPlan, viewer, options)
    return representStream(stream, request, { viewer, visibility, events: this.#events, onError: this.#onError })
  }

  #plan(
    operation: CustomOperation,
    parameters: QueryParameters,
    body: ArgumentsBody,
    visibility: Visibility,
  ): BoundPlan<CustomCall> {
    const builder = new PlanBuilder(visibility)
    expectKnownArguments(operation, parameters, body, builder)
    const args = planArguments(operation, builder, '', (name) => {
      if (body !== null) return body.get(name)
      const texts = parameters.get(name)
      const { type } = operation.args.find((one) => one.name === name)!
      return texts === undefined ? undefined : argumentValue(type, texts)
    })
    const result = resultOf(operation, parameters.get('fields')?.at(-1), builder)
    builder.finish(this.#engine.limits)
    const plan: CustomCall = { kind: 'call', operation, args, result }
    return builder.bind(plan)
  }

  #represent(
    { method, headers: { 'if-none-match': known } }: HttpRequest,
    plan: CustomCall,
    text: string,
    format: RowFormat,
  ): HttpReply {
    const type = mediaTypes[format]
    const headers = { 'content-type': type }
    if (method === 'POST') return { status: 200, headers: { ...headers, 'cache-control': 'no-store' }, body: text }
    const etag = pageTag(text)
    const cacheHeaders = { etag, 'cache-control': this.#caching.cacheControl(plan), vary: this.#caching.itemVary }
    if (matchesEntityTag(etag, known)) return notModified(cacheHeaders, { type, length: text.length })
    return { status: 200, headers: { ...headers, ...cacheHeaders }, body: text }
  }
}

/** A parameter can appear several times, for a list. */
type QueryParameters = ReadonlyMap<string, string[]>
type ArgumentsBody = ReadonlyMap<string, unknown> | null

async function readInput(
  operation: CustomOperation,
  request: HttpRequest,
): Promise<{ parameters: QueryParameters; body: ArgumentsBody }> {
  const parameters = readParameters(request.query)
  if (operation.root === 'Query') return { parameters, body: null }
  const body = await readArgumentsBody(request, operation)
  return { parameters, body: new Map(Object.entries(isRecord(body) ? body : { '': body })) }
}

function readParameters(query: string): QueryParameters {
  const parameters = new Map<string, string[]>()
  for (const part of query.split('&')) {
    if (part === '') continue
    const [name = '', ...rest] = part.split('=')
    const key = decodePercentOrFail(name, 'The query')
    const texts = parameters.get(key) ?? []
    texts.push(decodePercentOrFail(rest.join('=').replaceAll('+', ' '), 'The query'))
    parameters.set(key, texts)
  }
  return parameters
}

function expectKnownArguments(
  operation: CustomOperation,
  parameters: QueryParameters,
  body: ArgumentsBody,
  builder: PlanBuilder,
): void {
  const names = operation.args.map(({ name }) => name)
  const inQuery = [...(body === null ? names : []), ...(operation.type.kind === 'stored' ? [] : ['fields'])]
  for (const name of parameters.keys()) {
    if (!inQuery.includes(name))
      builder.problem(name, 'UNKNOWN', `is not a parameter of this path.${didYouMean(name, inQuery)}`)
  }
  for (const name of body?.keys() ?? []) {
    if (name === '') builder.problem('', 'TYPE', `must be an object with ${names.join(', ') || 'no members'}.`)
    else if (!names.includes(name))
      builder.problem(name, 'UNKNOWN', `is not an argument of this operation.${didYouMean(name, names)}`)
  }
}

/** `?ids=a,b` and `?ids=a&ids=b` are lists; lists and objects can also be JSON. */
function argumentValue(type: StoredType, texts: readonly string[]): unknown {
  if (type.kind !== 'list') return textToValue(type, texts.at(-1)!)
  const [first = ''] = texts
  if (texts.length === 1 && first.startsWith('[')) return textToValue(type, first)
  const items = texts.flatMap((text) => (text === '' ? [] : text.split(',')))
  return items.map((item) => textToValue(type.of, item))
}

function resultOf({ type }: CustomOperation, fields: string | undefined, builder: PlanBuilder): CustomResult {
  if (type.kind === 'stored') {
    const value = valueTypeIn(type.type)
    return value === null ? { kind: 'leaf' } : { kind: 'value', selections: allValueFields(value) }
  }
  return planNamedRows(type.of, builder, 'fields', () =>
    fields === undefined
      ? [{ of: type.of, selections: defaultSelection(type.of, builder.visibility) }]
      : selectTypes(type.of, fields, builder),
  )
}

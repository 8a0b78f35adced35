// What own code answers, as REST has it (docs/reference/rest.md, R118, R119): a field of `Query` is read with GET at its noun, one of
// `Mutation` is a request that is made with POST. Arguments are parameters, or the members of the body.

import {
  didYouMean,
  type HttpReply,
  type HttpRequest,
  idempotencyKeyOf,
  isRecord,
  matchesEntityTag,
  pageTag,
  readIdempotencyKey,
  type Viewer,
} from '#base'
import type { Engine } from '#engine'
import type { CustomOperation, StoredType } from '#model'
import type { BoundPlan, CustomCall, CustomResult } from '#plan'
import {
  defaultSelection,
  PlanBuilder,
  planArguments,
  planNamedRows,
  type Visibility,
  valueIn,
  wholeValue,
} from '#plan/build'
import { pickCases } from '../plan/fields.ts'
import type { Caching } from '../represent/cache-control.ts'
import { type OnError, spellFailures, tellFailures, withoutMarks } from '../represent/failed-fields.ts'
import { mediaTypes, representOptions } from '../represent/represent.ts'
import { seenText } from '../represent/visible-text.ts'
import { ownXml } from '../represent/xml/write-xml.ts'
import { acceptRow, type Format } from '../request/accept.ts'
import { readArguments } from '../request/body.ts'
import { decodeText } from '../request/percent.ts'
import { allowedMethod, type Method } from '../request/route.ts'
import { textToValue } from '../request/text-value.ts'
import { withBody } from '../request/with-body.ts'
import type { NoteUse } from './record-usage.ts'

const asked: readonly Method[] = ['GET', 'HEAD', 'OPTIONS']
const made: readonly Method[] = ['POST', 'OPTIONS']

export class OwnOperations {
  readonly #engine: Engine
  readonly #caching: Caching
  readonly #onError: OnError | null
  readonly #note: NoteUse
  readonly #byPath: ReadonlyMap<string, CustomOperation>

  constructor(engine: Engine, caching: Caching, onError: OnError | null, note: NoteUse) {
    this.#engine = engine
    this.#caching = caching
    this.#onError = onError
    this.#note = note
    this.#byPath = new Map(engine.model.operations.map((operation) => [`/${operation.path}`, operation]))
  }

  /** What answers there; undefined where there is nothing of this kind. */
  find(path: string): ((request: HttpRequest, viewer: Viewer) => Promise<HttpReply>) | undefined {
    const operation = this.#byPath.get(path)
    return operation && ((request, viewer) => this.#answer(operation, request, viewer))
  }

  async #answer(operation: CustomOperation, request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    const methods = operation.root === 'Query' ? asked : made
    const method = allowedMethod(request.method, { methods })
    if (method === 'OPTIONS') return representOptions({ methods })
    const format = acceptRow(request)
    const visibility = this.#engine.visibility(viewer)
    const key = method === 'POST' ? readIdempotencyKey(request.headers['idempotency-key']) : null
    const sent = key === null ? null : await request.body()
    const { parameters, body } = await readGiven(operation, sent === null ? request : withBody(request, sent))
    const boundPlan = this.#plan(operation, parameters, body, visibility)
    const options = { whole: !parameters.has('fields') }
    this.#note(request, boundPlan.plan, options.whole)
    const once =
      key === null
        ? {}
        : { idempotencyKey: idempotencyKeyOf(key, viewer, `POST ${request.path}`, [request.query, sent!]) }
    const { text, failures, replayed } = await this.#engine.call(boundPlan, viewer, { ...options, ...once })
    const seen = seenText(failures === undefined ? text : withoutMarks(text), visibility)
    const shown = format === 'json' ? seen : ownXml(JSON.parse(seen), operation)
    const reply = this.#represent(request, boundPlan.plan, shown, format)
    if (replayed === true) reply.headers['idempotent-replayed'] = 'true'
    if (failures === undefined) return reply
    return tellFailures(reply, spellFailures(failures, this.#onError, request.context?.id))
  }

  #plan(operation: CustomOperation, parameters: Parameters, body: Body, visibility: Visibility): BoundPlan<CustomCall> {
    const builder = new PlanBuilder(visibility)
    expectKnown(operation, parameters, body, builder)
    const args = planArguments(operation.args, builder, '', (name) => {
      if (body !== null) return body.get(name)
      const texts = parameters.get(name)
      const { type } = operation.args.find((one) => one.name === name)!
      return texts === undefined ? undefined : givenValue(type, texts)
    })
    const result = resultOf(operation, parameters.get('fields')?.at(-1), builder)
    builder.finish(this.#engine.limits)
    const plan: CustomCall = { kind: 'call', operation, args, result }
    return { plan, values: builder.values(), places: builder.places }
  }

  #represent(
    { method, headers: { 'if-none-match': known } }: HttpRequest,
    plan: CustomCall,
    text: string,
    format: Format,
  ): HttpReply {
    const headers = { 'content-type': mediaTypes[format] }
    if (method === 'POST') return { status: 200, headers: { ...headers, 'cache-control': 'no-store' }, body: text }
    const etag = pageTag(text)
    const kept = { etag, 'cache-control': this.#caching.control(plan), vary: this.#caching.item }
    if (matchesEntityTag(etag, known)) return { status: 304, headers: kept, body: null }
    return { status: 200, headers: { ...headers, ...kept }, body: text }
  }
}

/** Each may be given several times, for a list. */
type Parameters = ReadonlyMap<string, string[]>
type Body = ReadonlyMap<string, unknown> | null

async function readGiven(
  operation: CustomOperation,
  request: HttpRequest,
): Promise<{ parameters: Parameters; body: Body }> {
  const parameters = readParameters(request.query)
  if (operation.root === 'Query') return { parameters, body: null }
  const body = await readArguments(request, operation)
  return { parameters, body: new Map(Object.entries(isRecord(body) ? body : { '': body })) }
}

function readParameters(query: string): Parameters {
  const parameters = new Map<string, string[]>()
  for (const part of query.split('&')) {
    if (part === '') continue
    const [name = '', ...rest] = part.split('=')
    const key = decodeText(name, 'The query')
    const texts = parameters.get(key) ?? []
    texts.push(decodeText(rest.join('=').replaceAll('+', ' '), 'The query'))
    parameters.set(key, texts)
  }
  return parameters
}

function expectKnown(operation: CustomOperation, parameters: Parameters, body: Body, builder: PlanBuilder): void {
  const names = operation.args.map(({ name }) => name)
  const inQuery = [...(body === null ? names : []), ...(operation.type.kind === 'stored' ? [] : ['fields'])]
  for (const name of parameters.keys()) {
    if (!inQuery.includes(name))
      builder.problem(name, 'UNKNOWN', `is no parameter of this path.${didYouMean(name, inQuery)}`)
  }
  for (const name of body?.keys() ?? []) {
    if (name === '') builder.problem('', 'TYPE', `must be an object with ${names.join(', ') || 'nothing in it'}.`)
    else if (!names.includes(name)) builder.problem(name, 'UNKNOWN', `is not taken here.${didYouMean(name, names)}`)
  }
}

/** `?ids=a,b` and `?ids=a&ids=b` are lists; what is no plain value is JSON. */
function givenValue(type: StoredType, texts: readonly string[]): unknown {
  if (type.kind !== 'list') return textToValue(type, texts.at(-1)!)
  const [first = ''] = texts
  if (texts.length === 1 && first.startsWith('[')) return textToValue(type, first)
  const items = texts.flatMap((text) => (text === '' ? [] : text.split(',')))
  return items.map((item) => textToValue(type.of, item))
}

function resultOf({ type }: CustomOperation, fields: string | undefined, builder: PlanBuilder): CustomResult {
  if (type.kind === 'stored') {
    const value = valueIn(type.type)
    return value === null ? { kind: 'leaf' } : { kind: 'value', selections: wholeValue(value) }
  }
  return planNamedRows(type.of, builder, 'fields', () =>
    fields === undefined
      ? [{ of: type.of, selections: defaultSelection(type.of, builder.visibility) }]
      : pickCases(type.of, fields, builder),
  )
}

// Checks a reply against what the OpenAPI document promises for the request.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { csvProblem } from './csv.ts'
import { ApiDocument, anyType, type Schema } from './openapi-document.ts'
import type { FuzzRequest } from './requests.ts'
import { xmlProblem } from './xml.ts'

export interface FuzzReply {
  status: number
  headers: Record<string, string>
  body: string
}

export class ReplyCheck {
  readonly #ajv: Ajv2020
  readonly #document: ApiDocument
  readonly #known = new Map<string, ValidateFunction>()

  static readonly #opened = new WeakMap<object, ReplyCheck>()

  /** One for each document: its validators take long to compile. */
  static of(json: object): ReplyCheck {
    const check = ReplyCheck.#opened.get(json) ?? new ReplyCheck(new ApiDocument(json))
    ReplyCheck.#opened.set(json, check)
    return check
  }

  private constructor(document: ApiDocument) {
    this.#document = document
    this.#ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: false })
    formats.default(this.#ajv)
    this.#ajv.addFormat('int32', true)
    this.#ajv.addSchema(document.json, 'document')
  }

  /** A sentence for a broken promise; null when there is none. */
  problem(request: FuzzRequest, reply: FuzzReply): string | null {
    const { operation, wrong, loose, accept } = request
    if (reply.status >= 500) return `a ${reply.status}`
    const types = operation.answers.get(reply.status)
    if (types === undefined) return `the status ${reply.status} is not documented`
    if (types.size === 0) return reply.body === '' ? null : 'a body that is not documented'
    const type = (reply.headers['content-type'] ?? '').split(';')[0]!
    const place = types.get(type)
    if (place === undefined && types.has(anyType)) return null // the bytes of an upload
    if (place === undefined) return `the content type "${type}" is not documented for ${reply.status}`
    const invalid = this.#invalid(place, type, reply.body)
    if (invalid !== null) return invalid
    if (accept !== null && reply.status < 300 && type !== accept) return `it is "${type}", not "${accept}"`
    // No OpenAPI schema describes GraphQL requests: GraphQL reports mistakes in an answer of its own, with 200.
    const isRest = operation.answers.get(400)?.has('application/problem+json') === true
    if (isRest && wrong === null && !loose && reply.status === 400) return 'what the document allows is refused'
    const isRefused = reply.status >= 300 || refusesRows(request, reply)
    if (isRest && mustFail.has(wrong ?? '') && !isRefused) return `it is taken although it has a wrong ${wrong}`
    return null
  }

  #invalid(place: string, type: string, body: string): string | null {
    if (type === 'text/csv') return csvProblem(body)
    if (type.endsWith('xml')) return xmlProblem(body, this.#document.at(place) as Schema, this.#document)
    if (type === 'application/x-ndjson') {
      const { $ref } = this.#document.at(place) as Schema
      return this.#invalidLines(`${$ref ?? place}/x-itemSchema`, body)
    }
    return type.endsWith('json') ? this.#invalidJson(place, body) : null
  }

  #invalidLines(place: string, body: string): string | null {
    const lines = body.split('\n')
    if (lines.pop() !== '') return 'the last line does not end'
    return lines.map((line) => this.#invalidJson(place, line)).find((problem) => problem !== null) ?? null
  }

  #invalidJson(place: string, body: string): string | null {
    let check = this.#known.get(place)
    if (check === undefined) {
      check = this.#ajv.compile({ $ref: `document${place}` })
      this.#known.set(place, check)
    }
    let value: unknown
    try {
      value = JSON.parse(body)
    } catch {
      return 'the body is no JSON'
    }
    return check(value) ? null : `the body does not fit its schema: ${this.#ajv.errorsText(check.errors)}`
  }
}

/** Mistakes that no server may ignore. */
const mustFail: ReadonlySet<string> = new Set([
  'unknown member',
  'missing member',
  'another type',
  'nothing',
  'content type',
  'no JSON',
  'parameter',
])

/** A lenient create says for each row what became of it. */
function refusesRows({ headers }: FuzzRequest, { body }: FuzzReply): boolean {
  return /handling=lenient/.test(headers.prefer ?? '') && /"status":4\d\d/.test(body)
}

// `Prefer: handling=lenient` on a POST with many rows (docs/reference/rest.md, R79): receive the whole body → plan and write a
// portion → send its result lines → the next portion.
//
// 1. Nothing is written before the body is complete.
// 2. A portion is one transaction, and bad rows are left out of it. Its lines are sent after its commit. A client that stops
//    reading stops the writing: the portions that were written stay.
// 3. The first portion is written before the reply begins. So the failures of the whole request have their own status.
// 4. With an idempotency key, each portion has a record of its own, in its transaction. A repeated request gets the lines of
//    the portions that were written, and writes the others.

import { ApiError, uuidv7, validationError } from '#base'
import {
  type BodyStream,
  extendFingerprint,
  type HttpReply,
  type HttpRequest,
  type IdempotencyKey,
  idempotencyKeyOf,
  readContentType,
  readIdempotencyKey,
  stepIdempotencyKey,
  type Viewer,
} from '#base/http'
import { type EachOutcome, type Engine, maxPortionRows, rowNotTried, type TransactionPart } from '#engine'
import { BadFile, type DataFormat, type InputRow, isBadRow, type RowFailure, rowReader, splitRecords } from '#records'
import type { WritePlanner } from '../plan/plan-write.ts'
import type { ReportCodeError } from '../represent/absent-fields.ts'
import { mediaTypes } from '../represent/represent.ts'
import { type RowPlace, type RowResult, refusedRow, resultLine } from '../represent/result-lines.ts'
import { acceptNdjson } from '../request/accept.ts'
import { expectCreateType } from '../request/body.ts'
import { prefersLenient } from '../request/headers.ts'
import { withBody } from '../request/idempotent-request.ts'
import { appliedResolution } from '../request/on-conflict.ts'
import { type ParsedRequest, resourceOf } from '../request/parsed-request.ts'
import { expectNoPreconditions } from '../request/preconditions.ts'
import { bodyColumns, unreadableBody } from '../request/record-body.ts'
import { type SpooledBody, spoolBody } from '../request/spooled-body.ts'
import type { Executor } from './executor.ts'

const formats: Readonly<Record<string, DataFormat>> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
}

/** docs/reference/limits.md states these. */
const maxPortionBytes = 1024 * 1024
/** Bodies that a node receives or writes at the same time: each takes `limits.importBytes` of the disk. */
const maxBodies = 4

export interface LenientPlace {
  /** Where bodies wait. */
  folder: string
  /** Null: errors that are no ApiError end the reply. */
  onError: ReportCodeError | null
}

interface LenientOptions extends LenientPlace {
  engine: Engine
  executor: Executor
  writes: WritePlanner
}

/** What the other creates do too. */
export interface CreateSteps {
  /** The request with the id of its owner. Rejects if the viewer can't see the owner or the list. */
  locate(parsed: ParsedRequest): Promise<ParsedRequest>
  /** Creates one row of JSON. */
  createOne(request: HttpRequest, parsed: ParsedRequest): Promise<HttpReply>
  /** The method and the path, for an idempotency key. */
  operation: string
}

export class LenientCreates {
  readonly #options: LenientOptions
  #bodies = 0

  constructor(options: LenientOptions) {
    this.#options = options
  }

  /** Whether the preference can be applied: other bodies are created as without it. */
  appliesTo(request: HttpRequest, { route }: ParsedRequest): boolean {
    if (!prefersLenient(request) || route.of.kind !== 'resource' || route.of.system !== undefined) return false
    return (route.kind === 'collection' || route.kind === 'nested') && formatOf(request) !== undefined
  }

  async answer(request: HttpRequest, original: ParsedRequest, viewer: Viewer, steps: CreateSteps): Promise<HttpReply> {
    acceptNdjson(request)
    expectNoPreconditions(request)
    expectCreateType(request)
    const key = readIdempotencyKey(request.headers['idempotency-key'])
    this.#options.writes.expectLenient(original)
    const body = await this.#receive(request)
    try {
      if (!body.isList) return await this.#createOne(body, request, original, steps)
      const parsed = await steps.locate(original)
      const sent = [request.query, request.headers['content-type'] ?? '', 'lenient', body.digest]
      const idempotencyKey = key === null ? null : idempotencyKeyOf(key, viewer, steps.operation, sent)
      const run = new LenientRun(body, request, parsed, viewer, idempotencyKey, this.#options)
      const first = await run.first()
      const headers: HttpReply['headers'] = {
        'content-type': mediaTypes.ndjson,
        'cache-control': 'no-store',
        'preference-applied': ['handling=lenient', appliedResolution(parsed)].filter((one) => one !== null).join(', '),
        ...(first.replayed && { 'idempotent-replayed': 'true' }),
      }
      return { status: 200, headers, body: closingStream(run.lines(first), () => body.close()) }
    } catch (error) {
      await body.close()
      throw error
    }
  }

  async #receive(request: HttpRequest): Promise<SpooledBody> {
    if (this.#bodies >= maxBodies) throw tooManyBodies()
    const { engine, folder } = this.#options
    const { importBytes, bodyBytes } = engine.limits
    this.#bodies++
    const free = () => {
      this.#bodies--
    }
    try {
      const limits = { importBytes, maxRecordBytes: bodyBytes }
      const body = await spoolBody(request, formatOf(request)!, limits, folder)
      return { ...body, close: once(() => body.close().finally(free)) }
    } catch (error) {
      free()
      throw error
    }
  }

  /** A JSON object is one row, as without the preference. */
  async #createOne(
    body: SpooledBody,
    request: HttpRequest,
    parsed: ParsedRequest,
    { createOne }: CreateSteps,
  ): Promise<HttpReply> {
    const bytes: Uint8Array[] = []
    for await (const chunk of body.chunks()) bytes.push(chunk)
    await body.close()
    return createOne(withBody(request, Buffer.concat(bytes)), parsed)
  }
}

function formatOf({ headers }: HttpRequest): DataFormat | undefined {
  const { type } = readContentType(headers['content-type'])
  return Object.hasOwn(formats, type) ? formats[type] : undefined
}

interface ReadRow {
  row: InputRow | RowFailure
  place: RowPlace
}

interface WrittenPortion {
  results: RowResult[]
  replayed: boolean
}

/** The portions of one body, in their order. */
class LenientRun {
  readonly #request: HttpRequest
  readonly #parsed: ParsedRequest
  readonly #viewer: Viewer
  readonly #key: IdempotencyKey | null
  readonly #options: LenientOptions
  readonly #portions: AsyncGenerator<readonly ReadRow[]>
  #number = 0

  constructor(
    body: SpooledBody,
    request: HttpRequest,
    parsed: ParsedRequest,
    viewer: Viewer,
    key: IdempotencyKey | null,
    options: LenientOptions,
  ) {
    this.#request = request
    this.#parsed = parsed
    this.#viewer = viewer
    this.#key = key
    this.#options = options
    this.#portions = this.#read(body)
  }

  async first(): Promise<WrittenPortion> {
    const { value: rows, done } = await this.#portions.next()
    if (done === true) throw validationError([{ path: '', code: 'LENGTH', message: 'must have at least one row.' }])
    return this.#write(rows)
  }

  /** The lines of the first portion, which was written, and then of the others. */
  async *lines(first: WrittenPortion): AsyncGenerator<string> {
    yield this.#print(first.results)
    let failure: ApiError | null = null
    for await (const rows of this.#portions) {
      if (failure === null) {
        try {
          yield this.#print((await this.#write(rows)).results)
          continue
        } catch (error) {
          yield this.#print(this.#failed(rows, this.#masked(error)))
          failure = rowNotTried()
          continue
        }
      }
      yield this.#print(this.#failed(rows, failure))
    }
  }

  async *#read({ format, chunks }: SpooledBody): AsyncGenerator<readonly ReadRow[]> {
    const { visibility } = this.#parsed
    const of = resourceOf(this.#parsed)
    const { limits } = this.#options.engine
    const maxRows = maxPortionRows(limits, of === visibility.account)
    const reader = rowReader(format, bodyColumns(format, of, visibility.account))
    let portion: ReadRow[] = []
    let bytes = 0
    let index = 0
    try {
      for await (const records of splitRecords(chunks(), format, limits.bodyBytes || undefined)) {
        for (const record of records) {
          const row = reader.read(record)
          if (row === null) continue
          portion.push({ row, place: format === 'json' ? { index: index++ } : { line: row.line } })
          bytes += record.text.length
          if (portion.length < maxRows && bytes < maxPortionBytes) continue
          yield portion
          portion = []
          bytes = 0
        }
      }
    } catch (error) {
      throw error instanceof BadFile ? unreadableBody(error, format) : error
    }
    if (portion.length > 0) yield portion
  }

  async #write(rows: readonly ReadRow[]): Promise<WrittenPortion> {
    const { engine } = this.#options
    const parts = rows.flatMap(({ row }) => (isBadRow(row) ? [] : [this.#part(row)]))
    const key = this.#portionKey(rows)
    const { outcomes, replayed = false } =
      parts.length === 0 ? { outcomes: [] } : await engine.transactEach(parts, this.#viewer, key, this.#request.context)
    const inTurn = outcomes.values()
    const results = rows.map(({ row, place }): RowResult => {
      return { place, outcome: isBadRow(row) ? refusedRow(validationError(row.problems)) : inTurn.next().value! }
    })
    return { results, replayed }
  }

  #part({ line, input }: InputRow): TransactionPart {
    const { writes, executor } = this.#options
    const plan = () => {
      const boundPlan = writes.createPlain(this.#parsed, input)
      executor.recordUsage(this.#request, boundPlan, true)
      return { boundPlan, isDefaultSelection: true }
    }
    return { place: String(line), plan }
  }

  /** The limits may change between two requests with one key: then the portions do, too, and the key is refused. */
  #portionKey(rows: readonly ReadRow[]): IdempotencyKey | null {
    const key = this.#key
    if (key === null) return null
    const places = [rows[0]!.place, rows.at(-1)!.place]
    return extendFingerprint(stepIdempotencyKey(key, `portion ${this.#number++}`), [JSON.stringify(places)])
  }

  #failed(rows: readonly ReadRow[], error: ApiError): RowResult[] {
    const outcome: EachOutcome = refusedRow(error)
    return rows.map(({ place }) => ({ place, outcome }))
  }

  #masked(error: unknown): ApiError {
    if (error instanceof ApiError) return error
    const { onError } = this.#options
    if (onError === null) throw error
    const id = uuidv7()
    onError(error, id, this.#request.context?.id)
    return new ApiError('INTERNAL', `The server has failed; the log has the details under ${id}.`)
  }

  #print(results: readonly RowResult[]): string {
    return results.map((result) => resultLine(result, this.#request)).join('')
  }
}

function tooManyBodies(): ApiError {
  return new ApiError('UNAVAILABLE', `The server writes the rows of ${maxBodies} other bodies.`, {
    headers: { 'retry-after': '5' },
  })
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => (done ??= work())
}

/** Closes at the end of the stream, also if nobody reads it: a generator that was never started runs no `finally`. */
function closingStream(lines: AsyncGenerator<string>, close: () => Promise<void>): BodyStream {
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        try {
          const turn = await lines.next()
          if (turn.done === true) await close()
          return turn
        } catch (error) {
          await close()
          throw error
        }
      },
      async return() {
        await lines.return(undefined)
        await close()
        return { done: true, value: undefined }
      },
    }),
  }
}

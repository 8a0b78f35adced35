// The REST door on one screen: route → read the request → plan → execute → represent. docs/rest.md is its specification,
// and the clauses (R1…) that this room's comments and tests cite are that page's.

import type { Tokens } from '#auth'
import {
  type Door,
  Fault,
  type Gauge,
  type HttpReply,
  type HttpRequest,
  type MaybePromise,
  movedReply,
  onceOf,
  readIdempotencyKey,
  recovered,
  unreachable,
  type Viewer,
  whenThere,
  withHint,
} from '#base'
import { clientOf, type Engine, type Wants } from '#engine'
import type { Events, Webhooks } from '#events'
import type { Files } from '#files'
import { kebabCase } from '#model'
import { type Answer, isOpen, type Naming, type Question, RefusedRead, type WriteKind } from '#plan'
import { acceptCollection, acceptRow, type StreamFormat } from './accept.ts'
import { type Asked, concrete, notFound } from './asked.ts'
import { BatchDoor, isBatchPath } from './batch.ts'
import { readDocument, readPatchBody } from './body.ts'
import { Caching } from './caching.ts'
import { answerChanges, isChangesPath } from './changes.ts'
import { expectNoConditions, type WriteConditions, writeConditions } from './conditions.ts'
import { failuresOf, type OnError, spellFailures, tellFailures, withoutFailed } from './failed-fields.ts'
import { FileDoor, isFilePath } from './files.ts'
import type { NoteUse } from './note-use.ts'
import { isPagePath, Pages } from './openapi/pages.ts'
import { OwnOperations } from './own-operations.ts'
import { Patches } from './patches.ts'
import { ReadPlanner } from './plan-read.ts'
import { WritePlanner } from './plan-write.ts'
import { wantsCount } from './prefer.ts'
import { representProblem } from './problem.ts'
import { parseQuery } from './query-string.ts'
import {
  representDeleted,
  representItem,
  representLinked,
  representOptions,
  representPage,
  representStream,
  representWritten,
} from './represent.ts'
import { allowedMethod, type Found, Router } from './route.ts'
import { answerContract, isContractPath } from './served-contract.ts'
import { streamRows } from './stream-rows.ts'
import { TellingDeprecations } from './telling-deprecations.ts'
import { answerTokens, isTokenPath } from './tokens.ts'
import { answerWebhooks, isWebhookPath } from './webhooks.ts'
import { withBody } from './with-body.ts'

export interface RestOptions {
  /** Null, or left out, where no field is of the type `File`. */
  files?: Files | null
  /** Null, or left out, where nothing is told of changes. */
  events?: Events | null
  /** Null, or left out, where there are none. */
  webhooks?: Webhooks | null
  /** The contract that is being served, as JSON, for those who write it; null, or left out: nobody is told. */
  contract?: (() => Promise<string>) | null
  /** Where the door puts what it tells in numbers. */
  gauges?: Gauge[]
  /** Told of what own code throws, with the id that the answer shows. Left out: it is thrown. */
  onError?: OnError | null
}

/** `tokens` is null where nobody can sign in. */
export function createRest(engine: Engine, tokens: Tokens | null, options: RestOptions = {}): Door {
  const rest = new Rest(engine, tokens, options)
  options.gauges?.push(...rest.gauges())
  return (request, viewer) => rest.answer(request, viewer)
}

class Rest {
  readonly #engine: Engine
  readonly #tokens: Tokens | null
  readonly #events: Events | null
  readonly #webhooks: Webhooks | null
  readonly #files: FileDoor | null
  readonly #contract: (() => Promise<string>) | null
  readonly #router: Router
  readonly #caching: Caching
  readonly #reads: ReadPlanner
  readonly #writes: WritePlanner
  readonly #pages: Pages
  readonly #patches: Patches
  readonly #batch: BatchDoor
  readonly #onError: OnError | null
  /** Whether own code answers anything: elsewhere nobody looks for what it failed with. */
  readonly #computes: boolean
  readonly #own: OwnOperations | null
  /** What own code failed with while a request was answered, as the header says it. */
  readonly #failures = new WeakMap<HttpRequest, string>()
  /** Null where the contract deprecates nothing. */
  readonly #deprecations: TellingDeprecations | null

  constructor(engine: Engine, tokens: Tokens | null, options: RestOptions) {
    const { files = null, events = null, webhooks = null, onError = null } = options
    this.#engine = engine
    this.#tokens = tokens
    this.#events = events
    this.#webhooks = webhooks
    this.#files = files && new FileDoor(engine, files)
    this.#contract = options.contract ?? null
    this.#router = new Router(engine.model, (path) => this.#isOurs(path))
    this.#caching = new Caching(engine.model)
    this.#reads = new ReadPlanner(engine.limits)
    this.#writes = new WritePlanner(engine.limits)
    this.#pages = new Pages(engine.model, engine.limits)
    this.#patches = new Patches(engine, this.#reads, this.#writes)
    const note: NoteUse = (request, plan, whole) => this.#note(request, plan, whole)
    this.#batch = new BatchDoor(engine, this.#router, this.#writes, note)
    this.#onError = onError
    this.#own = engine.model.operations.length > 0 ? new OwnOperations(engine, this.#caching, onError, note) : null
    this.#deprecations = engine.deprecations && new TellingDeprecations(engine.deprecations)
    this.#computes = engine.model.resources.some(({ computed }) => computed.size > 0)
  }

  gauges(): Gauge[] {
    return this.#reads.gauges()
  }

  answer(request: HttpRequest, viewer: Viewer): MaybePromise<HttpReply> {
    const reply = recovered(
      () => this.#perform(request, viewer),
      (error) => this.#failed(error, request),
    )
    const seen = this.#computes ? whenThere(reply, (there) => this.#withFailures(request, there)) : reply
    const told = this.#deprecations === null ? seen : this.#deprecations.tell(request, seen)
    const stages = request.exchange?.stages ?? null
    if (stages === null) return told
    return whenThere(told, (there) => {
      stages.mark('format')
      return there
    })
  }

  #withFailures(request: HttpRequest, reply: HttpReply): HttpReply {
    const failures = this.#failures.get(request)
    return failures === undefined ? reply : tellFailures(reply, failures)
  }

  #failed(error: unknown, request: HttpRequest): HttpReply {
    if (error instanceof RefusedRead) return representProblem(this.#tellRefused(error), request)
    if (error instanceof Fault) return representProblem(error, request)
    throw error
  }

  /** Before it is executed: what a request names it uses, whatever comes of it. */
  #note(request: HttpRequest, plan: Naming, whole: boolean): void {
    this.#engine.usage.count(plan, clientOf(request.headers), whole)
    this.#deprecations?.note(request, plan)
  }

  /** The paths that are no resource's. */
  #isOurs(path: string): boolean {
    if (isBatchPath(path) || isChangesPath(path) || isWebhookPath(path) || this.#own?.find(path) !== undefined)
      return true
    return (this.#tokens !== null && isTokenPath(path)) || (this.#files !== null && isFilePath(path))
  }

  #perform(request: HttpRequest, viewer: Viewer): MaybePromise<HttpReply> {
    const found = this.#router.plain(request.path)
    return found === null ? this.#performElsewhere(request, viewer) : this.#performAt(found, request, viewer)
  }

  #performElsewhere(request: HttpRequest, viewer: Viewer): MaybePromise<HttpReply> {
    if (isPagePath(request.path)) return this.#pages.answer(request)
    if (this.#tokens !== null && isTokenPath(request.path)) return answerTokens(request, viewer, this.#tokens)
    if (this.#files !== null && isFilePath(request.path)) return this.#files.answer(request, viewer)
    if (this.#events !== null && isChangesPath(request.path)) {
      return answerChanges(request, viewer, this.#engine, this.#events)
    }
    if (this.#webhooks !== null && isWebhookPath(request.path)) {
      return answerWebhooks(request, viewer, this.#webhooks, this.#engine.limits)
    }
    if (isBatchPath(request.path)) return this.#batch.answer(request, viewer)
    if (this.#contract !== null && isContractPath(request.path)) {
      return answerContract(request, viewer, isOpen(this.#engine.model), this.#contract)
    }
    const own = this.#own?.find(request.path)
    if (own !== undefined) return own(request, viewer)
    const moved = this.#router.moved(request.path)
    if (moved !== null) return movedReply(request, moved) // R7
    return this.#performAt(this.#router.find(request.path), request, viewer)
  }

  #performAt({ route, id, far }: Found, request: HttpRequest, viewer: Viewer): MaybePromise<HttpReply> {
    const method = allowedMethod(request.method, route)
    if (method === 'OPTIONS') return representOptions(route)
    const asked: Asked = { route, id, far, query: parseQuery(request.query), sight: this.#engine.sight(viewer) }
    request.exchange?.stages?.mark('parse')
    if (method === 'GET' || method === 'HEAD') {
      return route.kind === 'item' ? this.#readItem(request, asked, viewer) : this.#readPage(request, asked, viewer)
    }
    this.#admit(route.kind === 'link' ? 'update' : actions[method], asked, viewer)
    const key = request.headers['idempotency-key']
    return key === undefined
      ? this.#write(method, request, asked, viewer)
      : this.#writeOnce(method, request, asked, viewer, key)
  }

  #write(method: WriteMethod, request: HttpRequest, asked: Asked, viewer: Viewer): Promise<HttpReply> {
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

  /** R150: the key counts for this viewer, method and path; what else the request says must be the same. */
  async #writeOnce(
    method: WriteMethod,
    request: HttpRequest,
    asked: Asked,
    viewer: Viewer,
    given: string,
  ): Promise<HttpReply> {
    const key = readIdempotencyKey(given)!
    const { headers, path, query } = request
    const body = await request.body()
    const once = onceOf(key, viewer, `${method} ${formerPath(path, asked)}`, [
      query,
      headers['content-type'] ?? '',
      body,
    ])
    return this.#write(method, withBody(request, body), { ...asked, once }, viewer)
  }

  /** Before the body is read, and whatever the id: who could never write here hears nothing else. */
  #admit(action: WriteKind['action'], { route: { of } }: Asked, viewer: Viewer): void {
    if (of.kind === 'resource') this.#engine.admit({ of, action }, viewer)
  }

  #tellRefused(refused: RefusedRead): Fault {
    const { refusedReads } = this.#engine
    refusedReads.tell(refused.fields)
    return withHint(refused, refusedReads.hint(refused.fields))
  }

  #readItem(request: HttpRequest, asked: Asked, viewer: Viewer): MaybePromise<HttpReply> {
    const telling = { format: acceptRow(request), caching: this.#caching }
    const question = this.#reads.item(asked)
    const answer = this.#execute(request, question, viewer, wants(asked))
    return whenThere(answer, (found) => representItem(request, asked, question.plan, found, telling))
  }

  #readPage(request: HttpRequest, asked: Asked, viewer: Viewer): MaybePromise<HttpReply> {
    const format = acceptCollection(request)
    if (format === 'ndjson' || format === 'csv') return this.#stream(format, request, asked, viewer)
    const total = wantsCount(request)
    const question = this.#reads.page(asked)
    const more = question.plan.page.kind === 'offset'
    const answer = this.#execute(request, question, viewer, { ...wants(asked), more, total })
    const telling = { format, caching: this.#caching }
    return whenThere(answer, (found) => representPage(request, asked, question, found, telling))
  }

  #stream(format: StreamFormat, request: HttpRequest, asked: Asked, viewer: Viewer): MaybePromise<HttpReply> {
    let total = wantsCount(request) // asked of the first page only
    const stream = streamRows(asked, format, this.#engine.limits, {
      page: (of) => this.#reads.page(of),
      execute: (question) => {
        this.#note(request, question.plan, isWhole(asked))
        const answer = this.#engine.execute(question, viewer, { ...wants(asked), total })
        total = false
        return this.#seen(request, answer)
      },
    })
    return whenThere(stream, (rows) => representStream(rows, format, this.#caching))
  }

  async #create(request: HttpRequest, asked: Asked, viewer: Viewer): Promise<HttpReply> {
    const format = acceptRow(request)
    expectNoConditions(request)
    const body = await readDocument(request, concrete(asked))
    const question = Array.isArray(body) ? this.#writes.createAll(asked, body) : this.#writes.create(asked, body)
    await this.#expectList(asked, viewer)
    try {
      return representWritten(asked, await this.#execute(request, question, viewer, wants(asked)), format)
    } catch (error) {
      throw refersToNoOwner(error, asked) ? notFound(asked) : error
    }
  }

  /** Into a list that its viewer can't see nothing is put: it is not there. Only where lines narrow who may see it. */
  async #expectList(asked: Asked, viewer: Viewer): Promise<void> {
    if (asked.route.kind !== 'nested' || !asked.sight.mayMiss(asked.route.field)) return
    await this.#engine.execute(this.#reads.page({ ...asked, query: noRows }), viewer)
  }

  async #replace(request: HttpRequest, asked: Asked, viewer: Viewer): Promise<HttpReply> {
    const format = acceptRow(request)
    const conditions = writeConditions(request)
    const question = this.#writes.replace(asked, await readDocument(request, concrete(asked)), conditions)
    return representWritten(asked, await this.#execute(request, question, viewer, wants(asked)), format)
  }

  async #update(request: HttpRequest, asked: Asked, viewer: Viewer): Promise<HttpReply> {
    const format = acceptRow(request)
    const conditions = writeConditions(request)
    const { kind, body } = await readPatchBody(request)
    const answer =
      kind === 'merge'
        ? await this.#execute(request, this.#writes.update(asked, body, true, conditions), viewer, wants(asked))
        : await this.#patch(request, asked, body, conditions, viewer)
    return representWritten(asked, answer, format)
  }

  #patch(
    request: HttpRequest,
    asked: Asked,
    body: unknown,
    conditions: WriteConditions | null,
    viewer: Viewer,
  ): MaybePromise<Answer> {
    const note = (plan: Naming) => this.#note(request, plan, isWhole(asked))
    return this.#seen(request, this.#patches.apply(asked, body, conditions, viewer, wants(asked), note))
  }

  async #delete(request: HttpRequest, asked: Asked, viewer: Viewer): Promise<HttpReply> {
    const question = this.#writes.delete(asked, writeConditions(request))
    return representDeleted(asked, await this.#execute(request, question, viewer, wantsOfWrite(asked)))
  }

  #execute(request: HttpRequest, question: Question, viewer: Viewer, wants?: Wants): MaybePromise<Answer> {
    const stages = request.exchange?.stages ?? null
    this.#note(request, question.plan, wants?.whole === true)
    if (stages === null) return this.#seen(request, this.#engine.execute(question, viewer, wants))
    stages.mark('plan')
    return whenThere(this.#engine.execute(question, viewer, wants), (answer) => {
      stages.mark('store')
      return this.#seen(request, answer)
    })
  }

  /** Without what own code failed with, which is told beside it. */
  #seen(request: HttpRequest, answer: MaybePromise<Answer>): MaybePromise<Answer> {
    if (!this.#computes) return answer
    return whenThere(answer, (found) => {
      const failures = failuresOf(found)
      if (failures.length === 0) return found
      this.#failures.set(request, spellFailures(failures, this.#onError, request.exchange?.id))
      return withoutFailed(found)
    })
  }

  async #link(change: 'add' | 'remove', request: HttpRequest, asked: Asked, viewer: Viewer): Promise<HttpReply> {
    const question = this.#writes.link(asked, change, writeConditions(request))
    this.#note(request, question.plan, true)
    try {
      return representLinked(await this.#engine.execute(question, viewer, wantsOfWrite(asked)))
    } catch (error) {
      throw refersToNoFarEnd(error, asked) ?? error
    }
  }
}

/** The path as it was before a rename: who sends a write again finds it made, whatever its path is called meanwhile. */
function formerPath(path: string, { route }: Asked): string {
  const owner = route.kind === 'nested' ? route.field.owner : route.of
  const field = 'field' in route ? route.field.was : undefined
  const [start = '', collection = '', id, nested, ...rest] = path.split('/')
  const former = [start, owner.was[0] ?? collection]
  if (id !== undefined) former.push(id)
  if (nested !== undefined) former.push(field === undefined ? nested : kebabCase(field), ...rest)
  return former.join('/')
}

/** The row of a nested path is the new row's reference, so the write itself finds out whether it is there for this viewer. */
function refersToNoOwner(error: unknown, { route }: Asked): boolean {
  if (route.kind !== 'nested' || route.field.kind !== 'many') return false
  const { name } = route.field.via
  const isOwner = (path: string) => path === name || /^\d+$/.test(path.slice(0, -name.length - 1))
  return error instanceof Fault && error.problems.some(({ path, code }) => isOwner(path) && code === 'REFERENCE')
}

/** R8: a link to nothing is not a conflict but a path that leads nowhere. */
function refersToNoFarEnd(error: unknown, { route, far }: Asked): Fault | null {
  if (route.kind !== 'link' || !(error instanceof Fault)) return null
  const problem = error.problems.find(({ path, code }) => path === `${route.field.name}.0` && code === 'REFERENCE')
  if (problem === undefined) return null
  return new Fault(
    'NOT_FOUND',
    problem.message.startsWith('There is no') ? problem.message : `${far}: ${problem.message}`,
  )
}

const noRows = parseQuery('limit=0')

const defaultRepresentation: Wants = { whole: true }
const chosenFields: Wants = { whole: false }

/** Only what the request chose itself is judged by depth and cost. */
function wants(asked: Asked): Wants {
  const chosen = isWhole(asked) ? defaultRepresentation : chosenFields
  return asked.once === undefined ? chosen : { ...chosen, once: asked.once }
}

function isWhole({ query: { words } }: Asked): boolean {
  return words.fields === undefined
}

/** Of one that answers with no row. */
function wantsOfWrite({ once }: Asked): Wants {
  return once === undefined ? defaultRepresentation : { ...defaultRepresentation, once }
}

type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const actions = { POST: 'create', PUT: 'replace', PATCH: 'update', DELETE: 'delete' } as const

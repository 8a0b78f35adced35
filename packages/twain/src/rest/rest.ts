// The REST door on one screen: route → read the request → plan → execute → represent. docs/rest.md is its specification,
// and the clauses (R1…) that this room's comments and tests cite are that page's.

import type { Tokens } from '#auth'
import {
  type Door,
  Fault,
  type HttpReply,
  type HttpRequest,
  type MaybePromise,
  unreachable,
  type Viewer,
  whenThere,
  withHint,
} from '#base'
import type { Engine, Wants } from '#engine'
import type { Files } from '#files'
import { RefusedRead, type WriteKind } from '#plan'
import { acceptJson } from './accept.ts'
import { type Asked, notFound } from './asked.ts'
import { readBody } from './body.ts'
import { type Caching, cachingOf } from './caching.ts'
import { FileDoor, isFilePath } from './files.ts'
import { expectedVersion } from './if-match.ts'
import { ReadPlanner } from './plan-read.ts'
import { WritePlanner } from './plan-write.ts'
import { wantsCount } from './prefer.ts'
import { representProblem } from './problem.ts'
import { parseQuery } from './query-string.ts'
import { representDeleted, representItem, representOptions, representPage, representWritten } from './represent.ts'
import { allowedMethod, Router } from './route.ts'
import { answerTokens, isTokenPath } from './tokens.ts'

/** `tokens` is null where nobody can sign in, `files` where no field is of the type `File`. */
export function createRest(engine: Engine, tokens: Tokens | null, files: Files | null = null): Door {
  const rest = new Rest(engine, tokens, files)
  return (request, viewer) => rest.answer(request, viewer)
}

class Rest {
  readonly #engine: Engine
  readonly #tokens: Tokens | null
  readonly #files: FileDoor | null
  readonly #router: Router
  readonly #caching: Caching
  readonly #reads: ReadPlanner
  readonly #writes: WritePlanner

  constructor(engine: Engine, tokens: Tokens | null, files: Files | null) {
    this.#engine = engine
    this.#tokens = tokens
    this.#files = files && new FileDoor(engine, files)
    this.#router = new Router(engine.model)
    this.#caching = cachingOf(engine.model)
    this.#reads = new ReadPlanner(engine.limits)
    this.#writes = new WritePlanner(engine.limits)
  }

  async answer(request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    try {
      return await this.#perform(request, viewer)
    } catch (error) {
      if (error instanceof RefusedRead) return representProblem(this.#tellRefused(error), request)
      if (error instanceof Fault) return representProblem(error, request)
      throw error
    }
  }

  #perform(request: HttpRequest, viewer: Viewer): MaybePromise<HttpReply> {
    if (this.#tokens !== null && isTokenPath(request.path)) return answerTokens(request, viewer, this.#tokens)
    if (this.#files !== null && isFilePath(request.path)) return this.#files.answer(request, viewer)
    const { route, id } = this.#router.find(request.path)
    const method = allowedMethod(request.method, route)
    if (method === 'OPTIONS') return representOptions(route)
    const asked: Asked = { route, id, query: parseQuery(request.query), sight: this.#engine.sight(viewer) }
    switch (method) {
      case 'GET':
      case 'HEAD':
        return route.kind === 'item' ? this.#readItem(request, asked, viewer) : this.#readPage(request, asked, viewer)
      case 'POST':
        this.#admit('create', asked, viewer)
        return this.#create(request, asked, viewer)
      case 'PUT':
        this.#admit('replace', asked, viewer)
        return this.#replace(request, asked, viewer)
      case 'PATCH':
        this.#admit('update', asked, viewer)
        return this.#update(request, asked, viewer)
      case 'DELETE':
        this.#admit('delete', asked, viewer)
        return this.#delete(request, asked, viewer)
      default:
        return unreachable(method)
    }
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
    acceptJson(request)
    const answer = this.#engine.execute(this.#reads.item(asked), viewer, wants(asked))
    return whenThere(answer, (found) => representItem(request, asked, found, this.#caching))
  }

  #readPage(request: HttpRequest, asked: Asked, viewer: Viewer): MaybePromise<HttpReply> {
    acceptJson(request)
    const counted = wantsCount(request)
    const question = this.#reads.page(asked)
    const more = question.plan.page.kind === 'offset'
    const answer = this.#engine.execute(question, viewer, { ...wants(asked), more, total: counted })
    return whenThere(answer, (found) => representPage(request, asked, question, found, this.#caching))
  }

  async #create(request: HttpRequest, asked: Asked, viewer: Viewer): Promise<HttpReply> {
    acceptJson(request)
    const question = this.#writes.create(asked, await readBody(request))
    await this.#expectList(asked, viewer)
    try {
      return representWritten(asked, await this.#engine.execute(question, viewer, wants(asked)))
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
    acceptJson(request)
    const version = expectedVersion(request)
    const question = this.#writes.replace(asked, await readBody(request), version)
    return representWritten(asked, await this.#engine.execute(question, viewer, wants(asked)))
  }

  async #update(request: HttpRequest, asked: Asked, viewer: Viewer): Promise<HttpReply> {
    acceptJson(request)
    const version = expectedVersion(request)
    const question = this.#writes.update(asked, await readBody(request), version)
    return representWritten(asked, await this.#engine.execute(question, viewer, wants(asked)))
  }

  async #delete(request: HttpRequest, asked: Asked, viewer: Viewer): Promise<HttpReply> {
    const question = this.#writes.delete(asked, expectedVersion(request))
    return representDeleted(asked, await this.#engine.execute(question, viewer))
  }
}

/** The row of a nested path is the new row's reference, so the write itself finds out whether it is there for this viewer. */
function refersToNoOwner(error: unknown, { route }: Asked): boolean {
  if (route.kind !== 'nested' || route.field.kind !== 'many') return false
  const { name } = route.field.via
  return error instanceof Fault && error.problems.some(({ path, code }) => path === name && code === 'REFERENCE')
}

const noRows = parseQuery('limit=0')

const defaultRepresentation: Wants = { whole: true }
const chosenFields: Wants = { whole: false }

/** Only what the request chose itself is judged by depth and cost. */
function wants(asked: Asked): Wants {
  return asked.query.words.fields === undefined ? defaultRepresentation : chosenFields
}

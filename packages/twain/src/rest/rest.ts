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
} from '#base'
import type { Engine, Wants } from '#engine'
import { acceptJson } from './accept.ts'
import { type Asked, notFound } from './asked.ts'
import { readBody } from './body.ts'
import { type Caching, cachingOf } from './caching.ts'
import { expectedVersion } from './if-match.ts'
import { isPagePath, Pages } from './openapi/pages.ts'
import { ReadPlanner } from './plan-read.ts'
import { WritePlanner } from './plan-write.ts'
import { wantsCount } from './prefer.ts'
import { representProblem } from './problem.ts'
import { parseQuery } from './query-string.ts'
import { representDeleted, representItem, representOptions, representPage, representWritten } from './represent.ts'
import { allowedMethod, Router } from './route.ts'
import { answerTokens, isTokenPath } from './tokens.ts'

/** `tokens` is null where nobody can sign in. */
export function createRest(engine: Engine, tokens: Tokens | null): Door {
  const rest = new Rest(engine, tokens)
  return (request, viewer) => rest.answer(request, viewer)
}

class Rest {
  readonly #engine: Engine
  readonly #tokens: Tokens | null
  readonly #router: Router
  readonly #caching: Caching
  readonly #reads: ReadPlanner
  readonly #writes: WritePlanner
  readonly #pages: Pages

  constructor(engine: Engine, tokens: Tokens | null) {
    this.#engine = engine
    this.#tokens = tokens
    this.#router = new Router(engine.model)
    this.#caching = cachingOf(engine.model)
    this.#reads = new ReadPlanner(engine.limits)
    this.#writes = new WritePlanner(engine.limits)
    this.#pages = new Pages(engine.model, engine.limits)
  }

  async answer(request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    try {
      return await this.#perform(request, viewer)
    } catch (error) {
      if (error instanceof Fault) return representProblem(error, request)
      throw error
    }
  }

  #perform(request: HttpRequest, viewer: Viewer): MaybePromise<HttpReply> {
    if (isPagePath(request.path)) return this.#pages.answer(request)
    if (this.#tokens !== null && isTokenPath(request.path)) return answerTokens(request, viewer, this.#tokens)
    const { route, id } = this.#router.find(request.path)
    const method = allowedMethod(request.method, route)
    if (method === 'OPTIONS') return representOptions(route)
    const asked: Asked = { route, id, query: parseQuery(request.query), sight: this.#engine.sight(viewer) }
    switch (method) {
      case 'GET':
      case 'HEAD':
        return route.kind === 'item' ? this.#readItem(request, asked, viewer) : this.#readPage(request, asked, viewer)
      case 'POST':
        return this.#create(request, asked, viewer)
      case 'PUT':
        return this.#replace(request, asked, viewer)
      case 'PATCH':
        return this.#update(request, asked, viewer)
      case 'DELETE':
        return this.#delete(request, asked, viewer)
      default:
        return unreachable(method)
    }
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
    try {
      return representWritten(asked, await this.#engine.execute(question, viewer, wants(asked)))
    } catch (error) {
      throw refersToNoOwner(error, asked) ? notFound(asked) : error
    }
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

const defaultRepresentation: Wants = { whole: true }
const chosenFields: Wants = { whole: false }

/** Only what the request chose itself is judged by depth and cost. */
function wants(asked: Asked): Wants {
  return asked.query.words.fields === undefined ? defaultRepresentation : chosenFields
}

// The GraphQL door on one screen: read the request → parse and validate the document → coerce the variables → plan →
// execute → format. What a document and a shape of variables led to is kept, so that the next request only brings values.

import type { Tokens } from '#auth'
import {
  type Door,
  Fault,
  type Gauge,
  type HttpReply,
  type HttpRequest,
  type MaybePromise,
  type Viewer,
  whenThere,
} from '#base'
import type { Engine } from '#engine'
import type { Files } from '#files'
import type { Model } from '#model'
import { CachePolicies, leastPolicy, type Sight, spellPolicy } from '#plan'
import { openContract } from './contract.ts'
import { Documents } from './document.ts'
import { execute, type RootResult, type Run } from './execute.ts'
import { formatErrors, formatResults } from './format.ts'
import { type GraphqlRequest, graphqlMethods, readOperations, readRequest } from './http-request.ts'
import { Introspection } from './introspection.ts'
import { chooseMediaType, type MediaType } from './media-type.ts'
import { OperationPlanner, type PlannedOperation } from './plan-operation.ts'
import { anyError, faultError, type OnError, RequestErrors } from './request-errors.ts'
import { Unseen } from './unseen.ts'
import { isUpload, readUploads, type Uploads } from './uploads.ts'
import { coerceVariables } from './variables.ts'

export interface GraphqlOptions {
  /** Told of every error that is not a Fault, with the id that the answer shows. Left out: such an error is thrown. */
  onError?: OnError | null
  /** Null, or left out, where no field is of the type `File`. */
  files?: Files | null
  /** Where the door puts what it tells in numbers. */
  gauges?: Gauge[]
}

/** `tokens` is null where nobody can sign in. */
export function createGraphql(engine: Engine, tokens: Tokens | null, options: GraphqlOptions = {}): Door {
  const door = new Graphql(engine, tokens, options)
  options.gauges?.push(...door.gauges())
  return (request, viewer) => door.answer(request, viewer)
}

class Graphql {
  readonly #engine: Engine
  readonly #tokens: Tokens | null
  readonly #files: Files | null
  readonly #documents: Documents
  readonly #planner: OperationPlanner
  readonly #introspection: Introspection
  readonly #onError: OnError | null
  readonly #unseen: Unseen
  readonly #isRuled: boolean
  readonly #policies: CachePolicies

  constructor(engine: Engine, tokens: Tokens | null, { onError = null, files = null }: GraphqlOptions) {
    this.#engine = engine
    this.#tokens = tokens
    this.#files = files
    const contract = openContract(engine.model)
    this.#documents = new Documents(contract, engine.limits)
    this.#planner = new OperationPlanner(contract, engine.limits)
    this.#introspection = new Introspection(contract)
    this.#onError = onError
    this.#unseen = new Unseen(engine.model, engine.limits)
    this.#isRuled = isRuled(engine.model)
    this.#policies = new CachePolicies(engine.model)
  }

  gauges(): Gauge[] {
    return [...this.#documents.gauges(), ...this.#planner.gauges()]
  }

  async answer(request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    if (request.method === 'OPTIONS') return { status: 204, headers: { allow: graphqlMethods }, body: null }
    let media: MediaType = 'application/json'
    const caching = this.#caching(request.method)
    let uploads: Uploads | null = null
    try {
      media = chooseMediaType(request.headers.accept)
      if (isUpload(request)) uploads = await readUploads(request, viewer, this.#files, this.#engine.limits)
      const asked = uploads === null ? await readRequest(request) : readOperations(uploads.operations)
      const { text, control } = await this.#perform(asked, request, viewer, uploads)
      return reply(200, media, text, control === null ? caching : { ...caching, 'cache-control': control })
    } catch (error) {
      // The document or its variables are wrong: a GraphQL response of its own, which application/json says with 200
      // (GraphQL over HTTP, section 6.4).
      if (error instanceof RequestErrors) {
        return reply(media === 'application/json' ? 200 : 400, media, formatErrors(error.errors), caching)
      }
      const { status, headers } = error instanceof Fault ? error : { status: 500, headers: {} }
      return reply(status, media, formatErrors([anyError(error, this.#onError)]), { ...caching, ...headers })
    } finally {
      if (uploads !== null) await uploads.release()
    }
  }

  #perform(
    asked: GraphqlRequest,
    { method, address, exchange }: HttpRequest,
    viewer: Viewer,
    uploads: Uploads | null,
  ): MaybePromise<{ text: string; control: string | null }> {
    const { query, variables: given, operationName } = asked
    const stages = exchange?.stages ?? null
    const sight = this.#engine.sight(viewer)
    const operation = this.#asSeen(asked, sight, () => this.#documents.find(query, operationName, stages))
    if (operation.kind === 'mutation' && method !== 'POST') {
      throw new Fault('METHOD_NOT_ALLOWED', 'A mutation is asked with POST.', { headers: { allow: 'POST' } })
    }
    const { values: variables, shape } = this.#asSeen(asked, sight, () => coerceVariables(operation.variables, given))
    stages?.mark('validate')
    const planned = this.#planner.plan(operation, variables, shape, sight)
    const unseen = planned.meetsHidden ? this.#unseen.wrongWith(asked, sight) : null
    if (unseen !== null) throw asRequestErrors(unseen)
    const run: Run = {
      operation,
      variables,
      viewer,
      address,
      engine: this.#engine,
      tokens: this.#tokens,
      uploads,
      introspection: this.#introspection,
      onError: this.#onError,
      refuses: sight.refuses,
      refused: null,
    }
    return whenThere(execute(planned, run), (done) => {
      if (run.refused !== null) this.#engine.refusedReads.tell(run.refused)
      stages?.mark('execute')
      const text = formatResults(done)
      stages?.mark('format')
      return { text, control: this.#control(planned, done, method) }
    })
  }

  /** What is wrong with a request is told in the words of the contract as its viewer sees it. */
  #asSeen<T>(asked: GraphqlRequest, sight: Sight, step: () => T): T {
    try {
      return step()
    } catch (error) {
      throw asRequestErrors(this.#unseen.wrongWith(asked, sight) ?? error)
    }
  }

  /** How long the answer may be kept, where that is said of all that is in it (`@cacheControl`); null: as it is for others. */
  #control({ isSecret, roots }: PlannedOperation, results: readonly RootResult[], method: string): string | null {
    if (isSecret) return 'no-store'
    if (method === 'POST') return null
    const reads = roots.flatMap((root) => (root.kind === 'read' ? [this.#policies.of(root.plan)] : []))
    const isWhole = reads.length === roots.length && results.every((result) => !('error' in result))
    const policy = leastPolicy(reads)
    return isWhole && policy.maxAge > 0 ? spellPolicy(policy) : null
  }

  /** With rules an answer depends on who asks, so that no shared cache may give it to someone else. */
  #caching(method: string): Headers {
    if (!this.#isRuled) return { vary: 'accept' }
    const vary = 'accept, authorization'
    return method === 'POST' ? { vary } : { vary, 'cache-control': 'private, no-cache' }
  }
}

/** A Fault of the document or of the variables is a GraphQL response, not a failure of the transport. */
function asRequestErrors(error: unknown): unknown {
  return error instanceof Fault ? new RequestErrors([faultError(error)]) : error
}

function reply(status: number, media: MediaType, body: string, headers: Headers): HttpReply {
  return { status, headers: { 'content-type': `${media}; charset=utf-8`, ...headers }, body }
}

type Headers = Record<string, string>

function isRuled({ account, resources }: Model): boolean {
  return account !== null || resources.some(({ rules }) => rules.length > 0)
}

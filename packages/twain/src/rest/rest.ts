// The REST API on one screen: finds the handler of a request. The paths of resources have ReadHandler and WriteHandler, which
// parse the request → plan → execute → represent. docs/reference/rest.md is the specification: comments and tests of this module
// cite its clauses (R1…).

import { hash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { AccountExport, type Tokens } from '#auth'
import { ApiError, type CacheBudget, type MaybePromise, type Monitor, recoverWith, withHint } from '#base'
import {
  type ApiHandler,
  bodyText,
  type HttpReply,
  type HttpRequest,
  plainRequest,
  redirectReply,
  type Viewer,
} from '#base/http'
import type { DeniedRequest, Engine, SchemaInspector } from '#engine'
import type { Events, Webhooks } from '#events'
import type { Files } from '#files'
import type { Mailbox } from '#mail'
import { isFile } from '#model'
import { hasExport, hasInvitations } from '#model/names'
import { answerModel, DocumentationPages, isModelPath, isPagePath } from './openapi/documentation-pages.ts'
import { ForbiddenRead } from './plan/forbidden-read.ts'
import { ReadPlanner } from './plan/plan-read.ts'
import { WritePlanner } from './plan/plan-write.ts'
import type { ReportCodeError } from './represent/absent-fields.ts'
import { representProblem } from './represent/problem.ts'
import { representOptions } from './represent/represent.ts'
import { CacheHeaders } from './represent/response-headers.ts'
import { noteReserved, noteRoute } from './request/noted-route.ts'
import { type ParsedRequest, RowNotFound } from './request/parsed-request.ts'
import { parseQuery } from './request/query-string.ts'
import { allowedMethod, type FoundRoute, type Route, Router } from './request/route.ts'
import { answerAccessMatrix, isAccessMatrixPath } from './resources/access-matrix-handler.ts'
import { BatchHandler, isBatchPath } from './resources/batch-handler.ts'
import { answerChanges, isChangesPath } from './resources/changes.ts'
import { CodeHandler, isCodePath } from './resources/code-handler.ts'
import { CustomOperations } from './resources/custom-operations.ts'
import { endSessions } from './resources/end-sessions.ts'
import { Executor, type RecordUsage } from './resources/executor.ts'
import { ExportHandler } from './resources/export-handler.ts'
import { FileHandler } from './resources/file-handler.ts'
import { InvitationHandler, isInvitationPath } from './resources/invitation-handler.ts'
import { isMonitorPath, MonitorHandler } from './resources/monitor-handler.ts'
import { isProviderPath, ProviderHandler } from './resources/provider-handler.ts'
import { ReadHandler } from './resources/read-handler.ts'
import { isSchemaPath, SchemaHandler } from './resources/schema-handler.ts'
import { linkIdentity, signIn } from './resources/sign-in.ts'
import { WriteHandler } from './resources/write-handler.ts'

export interface RestOptions {
  /** Null or absent if no field has the type `File`. */
  files?: Files | null
  /** Null or absent: there is no `/changes`. */
  events?: Events | null
  /** Null or absent: the paths of the schema itself do not exist. */
  servedSchema?: SchemaInspector | null
  /** Where `twain dev` keeps mails. Null or absent: the service keeps none. */
  mailbox?: Mailbox | null
  /** Null or absent: the server does not watch itself. */
  monitor?: Monitor | null
  /** Null or absent: deliveries of webhooks have no messages. */
  webhooks?: Pick<Webhooks, 'message'> | null
  /** Whether GraphQL runs trusted documents only; default: false. */
  isTrustedOnly?: boolean
  /** The public origins of the service. Absent or empty: links are relative. */
  origins?: readonly string[]
  caches?: CacheBudget
  /** Where large bodies wait until they are complete. Absent: the folder of the system for temporary files. */
  spoolFolder?: string
  /** Reports errors of custom code, with the id that the response shows. Absent: they are thrown. */
  onError?: ReportCodeError | null
}

/** `tokens`: null without an account type. */
export function createRest(engine: Engine, tokens: Tokens | null, options: RestOptions = {}): ApiHandler {
  const rest = new Rest(engine, tokens, options)
  return (request, viewer) => rest.answer(request, viewer)
}

/** A create that was stored can be NOT_FOUND too, if its row was deleted before it was read back. */
function createsRow({ method }: HttpRequest, route: Route): boolean {
  if (method === 'PUT') return route.kind === 'item'
  return method === 'POST' && !(route.kind === 'item' && route.action !== undefined)
}

function deniedRequest({ path, context }: HttpRequest): DeniedRequest {
  return { path, id: context?.id }
}

class Rest {
  readonly #engine: Engine
  readonly #tokens: Tokens | null
  readonly #events: Events | null
  readonly #schema: SchemaHandler | null
  readonly #router: Router
  readonly #executor: Executor
  readonly #planner: ReadPlanner
  readonly #reads: ReadHandler
  readonly #writes: WriteHandler
  /** Null without an account type, or if the schema file uses the names of exports. */
  readonly #exports: ExportHandler | null
  readonly #batch: BatchHandler
  readonly #files: FileHandler | null
  /** Null if logins are no addresses. */
  readonly #codes: CodeHandler | null
  /** Null without an account type. */
  readonly #providers: ProviderHandler | null
  /** Null if logins are no addresses, or the schema file uses the names of invitations. */
  readonly #invitations: InvitationHandler | null
  readonly #monitor: MonitorHandler
  readonly #pages: DocumentationPages
  readonly #served: { isTrustedOnly: boolean; keepsMails: boolean }
  /** Null if the schema declares no custom operation. */
  readonly #customOperations: CustomOperations | null

  constructor(engine: Engine, tokens: Tokens | null, options: RestOptions) {
    const { files = null, events = null, webhooks = null, onError = null } = options
    const { model, limits } = engine
    this.#engine = engine
    this.#tokens = tokens
    this.#events = events
    this.#schema = options.servedSchema ? new SchemaHandler(options.servedSchema) : null
    this.#router = new Router(model, (path) => this.#isReservedPath(path))
    this.#executor = new Executor(engine, onError)
    this.#planner = new ReadPlanner(limits, options.caches)
    const writes = new WritePlanner(limits, options.caches)
    const caching = new CacheHeaders(model)
    const recordUsage: RecordUsage = (request, boundPlan, whole) =>
      this.#executor.recordUsage(request, boundPlan, whole)
    this.#reads = new ReadHandler(engine, this.#executor, this.#planner, caching, {
      tokens,
      readMessage: webhooks && ((delivery, asker) => webhooks.message(delivery, asker)),
    })
    const spool = { folder: options.spoolFolder ?? tmpdir(), onError }
    this.#writes = new WriteHandler(engine, this.#executor, this.#planner, writes, spool, tokens?.signUps ?? null)
    this.#batch = new BatchHandler(engine, this.#router, writes, recordUsage)
    this.#files = files && new FileHandler(engine, files)
    const { account } = model
    this.#exports =
      account !== null && hasExport(model)
        ? new ExportHandler(engine, this.#executor, this.#planner, new AccountExport(engine, account))
        : null
    const codes = tokens?.codes ?? null
    this.#codes =
      codes &&
      new CodeHandler(codes, options.mailbox ?? null, (request, input, signUp) => {
        const { route } = this.#router.find(`/${model.account!.resource.path}`)
        return this.#writes.createSignedUp(request, route, input, signUp)
      })
    const keepsMails = codes !== null && options.mailbox != null
    this.#served = { isTrustedOnly: options.isTrustedOnly ?? false, keepsMails }
    this.#providers = tokens && new ProviderHandler(tokens.providers)
    const invitations = tokens?.invitations ?? null
    this.#invitations = invitations && hasInvitations(model) ? new InvitationHandler(invitations, engine) : null
    this.#monitor = new MonitorHandler(options.monitor ?? null, limits)
    this.#pages = new DocumentationPages(model, limits, options.origins ?? [], {
      read: (target, viewer) => this.#readPath(target, viewer),
      suffix: () => this.#exampleSuffix(),
    })
    this.#customOperations =
      model.operations.length > 0 ? new CustomOperations(engine, caching, onError, recordUsage, events) : null
  }

  answer(request: HttpRequest, viewer: Viewer): MaybePromise<HttpReply> {
    const reply = recoverWith(
      () => this.#performByPresentRights(request, viewer),
      (error) => this.#failed(error, request),
    )
    return this.#executor.finishReply(request, reply)
  }

  async #readPath(target: string, viewer: Viewer): Promise<unknown> {
    try {
      const reply = await this.#perform(plainRequest('GET', target), viewer)
      return JSON.parse(await bodyText(reply))
    } catch (error) {
      if (error instanceof ApiError) return null
      throw error
    }
  }

  async #exampleSuffix(): Promise<string> {
    if (this.#events === null) return '1a2b'
    const cursor = this.#events.cursor(await this.#events.point('now'))
    return hash('sha256', cursor, 'hex').slice(0, 4)
  }

  #failed(error: unknown, request: HttpRequest): HttpReply {
    if (error instanceof ForbiddenRead) return representProblem(this.#explainDenial(error, request), request)
    if (!(error instanceof ApiError)) throw error
    this.#engine.denials.logError(error, deniedRequest(request))
    return representProblem(error, request)
  }

  #explainDenial(error: ForbiddenRead, request: HttpRequest): ApiError {
    const { denials } = this.#engine
    denials.logRead(error.fields, deniedRequest(request))
    return withHint(error, denials.hint(error.fields))
  }

  /** Whether the path belongs to no resource. */
  #isReservedPath(path: string): boolean {
    return (
      isPagePath(path) ||
      (this.#schema !== null && isSchemaPath(path)) ||
      isModelPath(path) ||
      isAccessMatrixPath(path) ||
      isBatchPath(path) ||
      isChangesPath(path) ||
      isMonitorPath(path) ||
      this.#isCodePath(path) ||
      (this.#providers !== null && isProviderPath(path)) ||
      (this.#invitations !== null && isInvitationPath(path)) ||
      this.#customOperations?.find(path) !== undefined
    )
  }

  #isCodePath(path: string): boolean {
    return this.#codes !== null && isCodePath(path, this.#engine.model.account!)
  }

  /** A refusal reads the rights of the account afresh, and counts only if they have not grown. */
  #performByPresentRights(request: HttpRequest, viewer: Viewer): MaybePromise<HttpReply> {
    const tokens = this.#tokens
    if (tokens === null || viewer.account === null) return this.#perform(request, viewer)
    return recoverWith<HttpReply>(
      () => this.#perform(request, viewer),
      async (error) => {
        const isRepeated = request.isStreamed !== true && this.#isRefusal(error, request, viewer)
        const fresh = isRepeated ? await tokens.refreshed(viewer) : null
        if (fresh === null) throw error
        return this.#perform(request, fresh)
      },
    )
  }

  /** Whether other rights could have given the request another answer, and nothing of it is stored. */
  #isRefusal(error: unknown, request: HttpRequest, viewer: Viewer): boolean {
    if (!(error instanceof ApiError)) return false
    if (error instanceof ForbiddenRead) return true // before anything ran
    if (error.code === 'FORBIDDEN') return this.#customOperations?.hasRun(request, viewer) !== true
    if (error.code !== 'NOT_FOUND') return false
    if (isBatchPath(request.path)) return error.place !== undefined // a part that failed has undone all of them
    const route = this.#router.routeOf(request.path)
    if (route === null || (createsRow(request, route) && !(error instanceof RowNotFound))) return false
    const list = 'field' in route ? route.field : undefined
    if (list !== undefined && this.#engine.couldSeeMore(list.owner, viewer, list)) return true
    return route.kind !== 'nested' && this.#engine.couldSeeMore(list?.to ?? route.of, viewer)
  }

  #perform(request: HttpRequest, viewer: Viewer): MaybePromise<HttpReply> {
    const found = this.#router.findPlain(request.path)
    return found === null ? this.#performReserved(request, viewer) : this.#performRoute(found, request, viewer)
  }

  #performReserved(request: HttpRequest, viewer: Viewer): MaybePromise<HttpReply> {
    if (isPagePath(request.path)) return this.#pages.answer(noteReserved(request), viewer)
    if (this.#events !== null && isChangesPath(request.path)) {
      return answerChanges(noteReserved(request), viewer, this.#engine, this.#events)
    }
    if (this.#isCodePath(request.path)) return this.#codes!.answer(noteReserved(request), viewer)
    if (this.#providers !== null && isProviderPath(request.path)) return this.#providers.answer(noteReserved(request))
    if (this.#invitations !== null && isInvitationPath(request.path))
      return this.#invitations.answer(noteReserved(request), viewer)
    if (isMonitorPath(request.path)) return this.#monitor.answer(noteReserved(request), viewer)
    if (isBatchPath(request.path)) return this.#batch.answer(noteReserved(request), viewer)
    if (this.#schema !== null && isSchemaPath(request.path)) return this.#schema.answer(noteReserved(request), viewer)
    if (isModelPath(request.path))
      return answerModel(noteReserved(request), viewer, this.#engine, this.#tokens, this.#served)
    if (isAccessMatrixPath(request.path)) return answerAccessMatrix(noteReserved(request), viewer, this.#engine.model)
    const customOperation = this.#customOperations?.find(request.path)
    if (customOperation !== undefined) return customOperation(noteReserved(request), viewer)
    const redirect = this.#router.redirect(request.path) // R7
    if (redirect !== null) {
      this.#executor.recordNames(request, redirect.aliases)
      return redirectReply(request, redirect.target)
    }
    return this.#performRoute(this.#router.find(request.path), request, viewer)
  }

  #performRoute(
    { route, id, keyValues, linkedId }: FoundRoute,
    request: HttpRequest,
    viewer: Viewer,
  ): MaybePromise<HttpReply> {
    noteRoute(request, route.template)
    const method = allowedMethod(request.method, route)
    if (method === 'OPTIONS') return representOptions(route)
    if ('own' in route && route.own?.includes(method)) return this.#performOwn(route, id, request, viewer)
    const isOfRow = route.kind === 'nested' && isFile(route.of) // the rules of the row apply
    if (!isOfRow) this.#engine.admitRead(route.of, viewer)
    const parsed: ParsedRequest = {
      route,
      id,
      keyValues,
      linkedId,
      query: parseQuery(request.query),
      visibility: this.#engine.visibility(viewer),
    }
    request.context?.stages?.mark('parse')
    if (route.kind === 'export') return this.#exports!.answer(request, parsed, viewer)
    if (method === 'GET' || method === 'HEAD') return this.#reads.answer(request, parsed, viewer)
    return this.#writes.answer(method, request, parsed, viewer)
  }

  /** A request to a type of the server itself that is no read or write of rows. */
  #performOwn({ kind, of }: Route, id: string, request: HttpRequest, viewer: Viewer): MaybePromise<HttpReply> {
    if (isFile(of) && this.#files !== null) {
      return kind === 'item' ? this.#files.read(request, id, viewer) : this.#files.upload(request, viewer)
    }
    if (this.#tokens === null) throw new Error(`${of.name} has no handler of its own`)
    if (of.name === 'Identity') return linkIdentity(request, this.#tokens, viewer)
    if (request.method === 'DELETE') return endSessions(request, this.#tokens, viewer)
    return signIn(request, this.#tokens, (paths) => this.#executor.recordNames(request, paths))
  }
}

// Connects the modules of a service: model → store → engine → REST and GraphQL. The only file that imports them all.

import { type Auth, type AuthSettings, createAuth, keyWriter, tokenWriter } from '#auth'
import { CacheBudget, type Gauge, type Log, stackOf, steadyClock } from '#base'
import type { ApiHandler } from '#base/http'
import { mayReadThenWrite, runCode } from '#code'
import { openEngine, startUsageWriter, Usage } from '#engine'
import {
  ChangeHandlers,
  createEvents,
  type EventSettings,
  openCursors,
  runTraced,
  type WebhookSettings,
  Webhooks,
} from '#events'
import { defaultFileSettings, type FileSettings, Files, openBytes, openFileSignatures, startFileCleanup } from '#files'
import {
  type CountOperation,
  createGraphiql,
  createSockets,
  defaultGraphqlSettings,
  type GraphqlSettings,
  type GraphqlSockets,
  openGraphql,
} from '#graphql'
import { type HttpSettings, originsOf } from '#http'
import { DeleteWorker, JobAdmin, Jobs, type QueueSettings } from '#jobs'
import { Deprecations, deprecationReasons } from '#plan/explain'
import { createRest } from '#rest'
import { type OpenOptions, openStore, printLastSchema } from '#store'
import { createOperatorApi, RowImporter } from '#transfer'
import { createAccount } from './create-account.ts'
import { warnOfLoweredLimits } from './lowered-limits.ts'
import { type CodedSchema, readDocuments } from './read-files.ts'

/** Store options that come from the schema, not from the operator. */
type SchemaOptions = 'model' | 'sdl' | 'isSerializable' | 'maxGroupedWrites' | 'maxTransactionMs'

/** The location of the data and the operator's settings. */
export interface ServiceEnvironment extends Omit<OpenOptions, SchemaOptions | 'origin'> {
  /** Default: no public origin, so that links are relative. */
  http?: Pick<HttpSettings, 'origin'> & Partial<Pick<HttpSettings, 'basePath' | 'static'>>
  /** Default: `defaultAuthSettings`. */
  auth?: AuthSettings
  /** Default: files are stored in the data folder. */
  files?: FileSettings
  /** Default: `defaultGraphqlSettings`. */
  graphql?: GraphqlSettings
  /** Default: `defaultEventSettings`. */
  events?: EventSettings
  /** Default: `defaultWebhookSettings`. */
  webhooks?: WebhookSettings
  /** Default: `defaultQueueSettings`. */
  queue?: QueueSettings
  /** Milliseconds since 1970. Default: `Date.now`. */
  clock?: () => number
  /** Counts each GraphQL operation, for the metrics. */
  countOperation?: CountOperation
  /** Whether denied requests are explained in the log, and in the answer too. */
  denials?: { inAnswer: boolean }
}

/** The running service of one schema. */
export interface Runtime {
  rest: ApiHandler
  graphql: ApiHandler
  /** For the operator's commands. */
  operator: ApiHandler
  sockets: GraphqlSockets
  /** Null if GraphiQL is not served. */
  graphiql: ApiHandler | null
  /** Null if the schema has no files. */
  files: Files | null
  viewerOf: Auth['viewerOf']
  /** False if the store can no longer write. */
  ready(): boolean
  /** Ends event streams and WebSockets; their clients reconnect. */
  endStreams(): void
  /** The metrics of its modules. */
  gauges: readonly Gauge[]
  close(): Promise<void>
}

/** Throws StartRefused if the store can't apply the schema; then nothing stays open. */
export async function compose(schema: CodedSchema, environment: ServiceEnvironment): Promise<Runtime> {
  const { model, sdl } = schema
  const { limits, log, auth: settings, graphql = defaultGraphqlSettings, clock, denials, tracing = null } = environment
  const { introspection, graphiql, trustedDocuments: documents, trustedDocumentsOnly: trustedOnly } = graphql
  const trusted = documents === null ? new Map() : await readDocuments(documents)
  const origins = publicAddresses(environment.http)
  const origin = origins[0] ?? null
  const isSerializable = mayReadThenWrite(schema.code)
  const caches = new CacheBudget(limits.cacheBytes)
  const store = await openStore({ ...environment, origin, model, sdl, isSerializable, caches })
  const closed = async (error: unknown): Promise<never> => {
    await store.close()
    throw error
  }
  await warnOfLoweredLimits(limits, store.servedLimits, log).catch(closed)
  const now = clock ?? Date.now
  // What ends at some time ends by this clock, also after the system clock was set back.
  const steady = clock ?? steadyClock({ onStepBack: (milliseconds) => reportStepBack(milliseconds, log) })
  const auth = await createAuth({
    model,
    credentials: store.credentials,
    log,
    settings,
    clock: steady,
    makeAccount: (identity) => createAccount(identity, engine),
    checkSignIn: schema.code.signIn === null ? null : async (account, method) => code.signIn?.(account, method),
    caches,
  }).catch(closed)
  const signatures = model.file === null ? null : await openFileSignatures(store.credentials, steady).catch(closed)
  const cursors = await openCursors(store.changes, store.credentials, now).catch(closed)
  const code = runCode(schema.code, { model, engine: () => engine, seconds: limits.codeSeconds, log, caches })
  const usage = new Usage()
  const reasons = deprecationReasons(model)
  const since = await store.usage.deprecatedSince([...reasons.keys()], now()).catch(closed)
  const engine = openEngine({
    model,
    store,
    limits,
    usage,
    deprecations: reasons.size === 0 ? null : new Deprecations(reasons, since),
    passwords: auth.tokens ?? undefined,
    systemWriters: {
      BackgroundJob: new JobAdmin(store.jobs).write,
      ApiKey: keyWriter(store.credentials, now),
      Token: tokenWriter(store.credentials, steady),
      Webhook: (write) => webhooks.write(write),
      WebhookDelivery: (write) => webhooks.writeDelivery(write),
    },
    cursorAt: (position) => cursors.write(store.changes.point(position)),
    code,
    signFile: signatures === null ? undefined : (id) => signatures.sign(id),
    denials: denials && {
      ...denials,
      log: (rules, denied, { id, path }) => log.info({ rules, request_id: id, 'url.path': path }, `${denied} denied`),
    },
  })
  const files =
    model.file === null || store.files === null || signatures === null
      ? null
      : new Files({
          file: model.file,
          engine,
          records: store.files,
          bytes: await openBytes({
            settings: environment.files ?? defaultFileSettings,
            data: environment.data,
            chunks: store.files.chunks,
            clock: now,
          }).catch(closed),
          signatures,
          clock: now,
        })
  const counting = startUsageWriter(usage, store.usage, log, now)
  const sweeping = files && startFileCleanup(files, log)
  // A GraphQL answer reports a bug at the path of its field. Only the log has the details.
  const onError = (error: unknown, id: string, request: string | undefined) => {
    tracing?.recordError(error)
    log.error({ error_id: id, request_id: request, 'exception.stacktrace': stackOf(error) }, 'request failed')
  }
  const events = createEvents({ engine, store, cursors, settings: environment.events, origin, caches, log })
  const webhooks = new Webhooks({
    storeLoader: store.webhooks,
    jobs: store.jobs,
    engine,
    events,
    changes: store.changes,
    owners: auth.owners,
    settings: environment.webhooks,
    log,
    tracing,
    clock: now,
  })
  const servedSchema = async () => {
    await counting.write()
    return printLastSchema(sdl, await store.usage.last())
  }
  const jobs = new Jobs({
    store: store.jobs,
    definitions: [...schema.code.jobs.values()],
    run: (job) =>
      runTraced(tracing, {
        name: `process ${job.name}`,
        kind: 'consumer',
        attributes: {
          'messaging.operation.name': 'process',
          'messaging.operation.type': 'process',
          'messaging.destination.name': job.name,
          'messaging.message.id': job.id,
        },
        parent: null, // a job runs later, and may run again
        run: () => code.runJob(job),
      }),
    settings: environment.queue,
    log,
  })
  const { changeHandlers: handlers } = code
  const { handlerPositions: positions, changes } = store
  const handling = { positions, events, changes, log, tracing, clock: now }
  const changeHandlers = handlers && (await ChangeHandlers.open({ ...handlers, ...handling }).catch(closed))
  const deletes = new DeleteWorker({ store, log })
  await Promise.all([jobs.start(), deletes.start()]).catch(async (error) => {
    await changeHandlers?.stop()
    return closed(error)
  })
  const gauges = [...store.gauges(), ...events.gauges(), ...webhooks.gauges(), ...jobs.gauges(), ...deletes.gauges()]
  const graphqlOptions = {
    onError,
    files,
    events,
    introspection,
    trusted,
    trustedOnly,
    caches,
    onOperation: environment.countOperation ?? null,
    tracing,
  }
  const graphqlApi = openGraphql(engine, auth.tokens, graphqlOptions)
  const sockets = createSockets(graphqlApi, events)
  const rest = createRest(engine, auth.tokens, {
    files,
    events,
    origins,
    caches,
    onError,
    servedSchema,
  })
  gauges.push(...sockets.gauges(), ...caches.gauges())
  return {
    rest,
    graphql: graphqlApi.answer,
    operator: createOperatorApi({ importer: new RowImporter(engine), positions: store.imports }),
    sockets,
    graphiql: graphiql && introspection && !trustedOnly ? createGraphiql(model) : null,
    files,
    gauges,
    viewerOf: auth.viewerOf,
    ready: () => store.ready(),
    endStreams() {
      sockets.restart()
      events.drain()
      void webhooks.stop()
      void changeHandlers?.stop()
      void jobs.stop()
      void deletes.stop()
    },
    async close() {
      await jobs.stop()
      await deletes.stop()
      await webhooks.stop()
      await changeHandlers?.stop()
      await events.close()
      await sweeping?.stop()
      await counting.stop()
      await store.close()
    },
  }
}

/** The public origins, each with the base path. Without an origin, the base path alone. */
function publicAddresses({ origin = null, basePath = null }: ServiceEnvironment['http'] = { origin: null }): string[] {
  if (origin !== null) return originsOf(origin).map((one) => one + (basePath ?? ''))
  return basePath === null ? [] : [basePath]
}

function reportStepBack(milliseconds: number, log: Log): void {
  const seconds = Math.round(milliseconds / 1000)
  log.warn({ seconds }, 'the system clock was set back; tokens still end after the time that passes')
}

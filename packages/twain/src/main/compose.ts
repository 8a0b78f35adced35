// Connects the modules of a service: model → store → engine → REST and GraphQL. The only file that imports them all.

import { existsSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import type { Auth } from '#auth'
import { type Gauge, Monitor, stackOf } from '#base'
import { type ApiHandler, system } from '#base/http'
import { SchemaInspector, SchemaWatch, startUsageWriter } from '#engine'
import { ChangeHandlers, createEvents, runTraced, Webhooks } from '#events'
import { defaultFileSettings, Files, openBytes, openImageMaker, startFileCleanup } from '#files'
import { createSockets, defaultGraphqlSettings, type GraphqlSockets, openGraphql } from '#graphql'
import { DeleteWorker, Jobs } from '#jobs'
import { defaultTexts, MailWorker } from '#mail'
import { planNewAccount } from '#plan/build'
import { createRest } from '#rest'
import { createOperatorApi, RowExporter, RowImporter } from '#transfer'
import { announceNode } from './announce-node.ts'
import { warnOfLoweredLimits } from './lowered-limits.ts'
import { openCore, type ServiceEnvironment } from './open-core.ts'
import { type CodedSchema, readDocuments } from './read-files.ts'

/** The running service of one schema. */
export interface Runtime {
  rest: ApiHandler
  graphql: ApiHandler
  /** For the operator's commands. */
  operator: ApiHandler
  sockets: GraphqlSockets
  /** Null if the schema has no files. */
  files: Files | null
  viewerOf: Auth['viewerOf']
  signOperator: Auth['signOperator']
  monitor: Pick<Monitor, 'mayRecord' | 'record'>
  /** False if the store can no longer write. */
  unready(): string | null
  /** Whether results of writes wait for the event loop. */
  hasResults(): boolean
  /** Ends event streams and WebSockets; their clients reconnect. */
  endStreams(): void
  /** The metrics of its modules. */
  gauges: readonly Gauge[]
  close(): Promise<void>
}

/** Throws StartRefused if the store can't apply the schema; then nothing stays open. */
export async function compose(schema: CodedSchema, environment: ServiceEnvironment): Promise<Runtime> {
  const { model, sdl } = schema
  const { limits, log, graphql = defaultGraphqlSettings, tracing = null } = environment
  const { introspection, trustedDocuments: documents, trustedDocumentsOnly: trustedOnly } = graphql
  const trusted = documents === null ? new Map() : await readDocuments(documents)
  const core = await openCore(schema, environment, {
    Webhook: (write) => webhooks.write(write),
    WebhookDelivery: (write) => webhooks.writeDelivery(write),
  })
  const { store, engine, code, auth, mails, signatures, cursors, caches, usage, origins, now } = core
  const origin = origins[0] ?? null
  const closed = async (error: unknown): Promise<never> => {
    await store.close()
    throw error
  }
  await warnOfLoweredLimits(limits, store.servedLimits, log).catch(closed)
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
            store,
          }).catch(closed),
          signatures,
          images: store.images,
          failures: store.failures,
          imageMaker: await openImageMaker(environment.files ?? defaultFileSettings).catch(closed),
          clock: now,
          ages: store.clock,
        })
  const counting = startUsageWriter(usage, store.usage, log, now, (withinMs) => store.clock.past(withinMs))
  const sweeping = files && startFileCleanup(files, log)
  auth.upkeep.start()
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
    ages: store.clock,
  })
  const { path, isFolder, sources } = schema
  const servedSchema = new SchemaInspector({
    model,
    sdl,
    sources: { path, isFolder, sources },
    hooks: hooksByType(schema.code),
    watch: environment.schemaWatch ?? new SchemaWatch(false),
    uses: async () => {
      await counting.write()
      return store.usage.last()
    },
  })
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
  const mailbox = environment.mailbox ?? null
  const mailing =
    mails === null || store.codes === null
      ? null
      : new MailWorker({
          jobs: store.jobs,
          codes: store.codes,
          open: (body) => auth.derivedKeys.open(body),
          texts: { ...defaultTexts, ...schema.code.mail.texts },
          accountRow: (id) => code.accountRow(id),
          to: mails,
          from: environment.mail?.from ?? null,
          service: model.service.name,
          origin: () => origins.find((one) => URL.canParse(one)) ?? (mailbox?.origin ?? '') + (origin ?? ''),
          log,
          clock: core.steady,
        })
  await Promise.all([jobs.start(), deletes.start(), mailing?.start()]).catch(async (error) => {
    await changeHandlers?.stop()
    return closed(error)
  })
  const gauges = [...store.gauges(), ...events.gauges(), ...webhooks.gauges(), ...jobs.gauges(), ...deletes.gauges()]
  gauges.push(...(mailing?.gauges() ?? []))
  const monitor = new Monitor({
    sources: {
      load: null,
      log: null,
      ...environment.monitored,
      slow: environment.slowStatements ?? null,
      recorder: environment.recorder ?? null,
    },
    node: environment.node ?? `${hostname()}:${process.pid}`,
    otherNodes: () => announcing.others(),
    gauges: () => gauges,
    explain: (sql) => store.explain(sql),
  })
  const announcing = announceNode(store.nodes, () => monitor.ownNode())
  const keptIn = mails === mailbox ? mailbox : null
  const graphqlOptions = {
    onError,
    files,
    events,
    introspection,
    trusted,
    trustedOnly,
    caches,
    onOperation: environment.countOperation ?? null,
    mailbox: keptIn,
    monitor,
    servedSchema,
    webhooks,
    tracing,
  }
  const graphqlApi = openGraphql(engine, auth.tokens, graphqlOptions)
  const sockets = createSockets(graphqlApi, events)
  const rest = createRest(engine, auth.tokens, {
    files,
    events,
    origins,
    caches,
    isTrustedOnly: trustedOnly,
    spoolFolder: existsSync(environment.data) ? environment.data : tmpdir(),
    onError,
    servedSchema,
    webhooks,
    mailbox: keptIn,
    monitor,
  })
  gauges.push(...sockets.gauges(), ...caches.gauges())
  const invitations = auth.tokens?.invitations ?? null
  return {
    rest,
    graphql: graphqlApi.answer,
    operator: createOperatorApi({
      importer: new RowImporter(engine),
      positions: store.imports,
      exporter: new RowExporter(engine),
      files,
      rest,
      invite:
        invitations &&
        (async (input) => {
          const { resource: of, login } = model.account!
          const isMailed = mails !== null
          const ofAccount = await invitations.inviteOwner(String(input[login.name]))
          if (ofAccount !== null) return { token: ofAccount, isMailed, isExisting: true }
          const boundPlan = planNewAccount(input, of, engine.visibility(system), engine.limits)
          const { token } = await invitations.create(boundPlan, input, system)
          return { token, isMailed, isExisting: false }
        }),
    }),
    sockets,
    files,
    gauges,
    viewerOf: auth.viewerOf,
    signOperator: auth.signOperator,
    monitor,
    unready: () => store.unready(),
    hasResults: () => store.hasResults(),
    endStreams() {
      sockets.restart()
      events.drain()
      monitor.drain()
      void webhooks.stop()
      void changeHandlers?.stop()
      void jobs.stop()
      void deletes.stop()
      void mailing?.stop()
    },
    async close() {
      const withdrawn = announcing.stop() // meanwhile the others end
      await jobs.stop()
      await deletes.stop()
      await mailing?.stop()
      await webhooks.stop()
      await changeHandlers?.stop()
      await events.close()
      await sweeping?.stop()
      await counting.stop()
      await withdrawn
      await auth.upkeep.stop()
      await store.close()
    },
  }
}

function hooksByType({ before, after, on }: CodedSchema['code']): Map<string, string[]> {
  const named = Object.entries({ before, after, on }).flatMap(([hook, types]) =>
    [...types.keys()].map((type) => ({ hook, type })),
  )
  const byType = Map.groupBy(named, ({ type }) => type)
  return new Map([...byType].map(([type, some]) => [type, some.map(({ hook }) => hook)]))
}

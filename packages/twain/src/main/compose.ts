// Wires the rooms: model → store → engine → doors. The only place that knows them all.

import { type Auth, type AuthSettings, createAuth } from '#auth'
import { type ApiHandler, type Gauge, stackOf } from '#base'
import { runCode } from '#code'
import { openEngine, startUsageWriter, Usage } from '#engine'
import { ChangeHandlers, createEvents, type EventSettings, type WebhookSettings, Webhooks } from '#events'
import { defaultFileSettings, type FileSettings, Files, openBytes, openFileSignatures, startFileCleanup } from '#files'
import {
  createGraphiql,
  createSockets,
  defaultGraphqlSettings,
  type GraphqlSettings,
  type GraphqlSockets,
  openGraphql,
} from '#graphql'
import { Deprecations, deprecationReasons } from '#plan/explain'
import { createRest } from '#rest'
import { type OpenOptions, openStore, printLastSchema } from '#store'
import { createAccount } from './create-account.ts'
import type { CodedSchema } from './read-code.ts'
import { readDocuments } from './read-documents.ts'

/** What the store is told of the contract, and of its writes. */
type SchemaOptions = 'model' | 'sdl' | 'mostTogether' | 'longestInside'

/** Where the data is, and what an operator says. */
export interface ServiceEnvironment extends Omit<OpenOptions, SchemaOptions> {
  /** What an operator says about identity; left out: the defaults. */
  auth?: AuthSettings
  /** Where the bytes of files are kept; left out: in the data folder. */
  files?: FileSettings
  /** What an operator says about the GraphQL door; left out: the defaults. */
  graphql?: GraphqlSettings
  /** What an operator says about events; left out: the defaults. */
  events?: EventSettings
  /** What an operator says about webhooks; left out: the defaults. */
  webhooks?: WebhookSettings
  /** Milliseconds since 1970, as identity counts them. */
  clock?: () => number
  /** What a request that the rules refuse is told by: the name of the file, and whether the answer has it too. */
  refusals?: { file: string; inAnswer: boolean }
}

/** One contract, being served. */
export interface Runtime {
  rest: ApiHandler
  graphql: ApiHandler
  sockets: GraphqlSockets
  /** Null where browsers are not shown GraphiQL. */
  graphiql: ApiHandler | null
  viewerOf: Auth['viewerOf']
  /** False when the store can't write any more. */
  ready(): boolean
  /** Ends the answers that stay open: their readers come again. */
  endStreams(): void
  /** What its rooms tell in numbers. */
  gauges: readonly Gauge[]
  close(): Promise<void>
}

/** Throws StartRefused when the store can't take the contract; then nothing is open. */
export async function compose(schema: CodedSchema, environment: ServiceEnvironment): Promise<Runtime> {
  const { model, sdl } = schema
  const { limits, log, auth: settings, graphql = defaultGraphqlSettings, clock, refusals } = environment
  const { introspection, graphiql, trustedDocuments: documents, trustedDocumentsOnly: trustedOnly } = graphql
  const trusted = documents === null ? new Map() : await readDocuments(documents)
  const store = await openStore({ ...environment, model, sdl })
  const closed = async (error: unknown): Promise<never> => {
    await store.close()
    throw error
  }
  const auth = await createAuth({
    model,
    credentials: store.credentials,
    log,
    settings,
    clock,
    makeAccount: (foreign) => createAccount(foreign, engine),
  }).catch(closed)
  const now = clock ?? Date.now
  const signatures = model.file === null ? null : await openFileSignatures(store.credentials, now).catch(closed)
  const code = runCode(schema.code, { model, engine: () => engine, seconds: limits.codeSeconds, log })
  const usage = new Usage()
  const reasons = deprecationReasons(model)
  const since = await store.usage.deprecatedSince([...reasons.keys()], now()).catch(closed)
  const engine = openEngine({
    model,
    store,
    limits,
    usage,
    deprecations: reasons.size === 0 ? null : new Deprecations(reasons, since),
    hashPassword: auth.tokens?.hashPassword,
    code,
    signFile: signatures === null ? undefined : (id) => signatures.sign(id),
    denials: refusals && { ...refusals, log: (rules, denied) => log.info({ rules }, `${denied} denied`) },
  })
  const files =
    model.file === null || store.files === null || signatures === null
      ? null
      : new Files({
          file: model.file,
          engine,
          records: store.files,
          bytes: openBytes({
            settings: environment.files ?? defaultFileSettings,
            data: environment.data,
            chunks: store.files.chunks,
            clock: now,
          }),
          signatures,
          clock: now,
        })
  const counting = startUsageWriter(usage, store.usage, log, now)
  const sweeping = files && startFileCleanup(files, log)
  // A bug in one field of a document is told in its place there; what the caller does not see, the log has.
  const onError = (error: unknown, id: string, request: string | undefined) =>
    log.error({ error_id: id, request_id: request, 'exception.stacktrace': stackOf(error) }, 'request failed')
  const events = createEvents({ engine, store, settings: environment.events, log })
  const webhooks = new Webhooks({
    storeLoader: store.webhooks,
    engine,
    events,
    changes: store.changes,
    owners: auth.owners,
    settings: environment.webhooks,
    log,
    clock: now,
  })
  const contract = async () => {
    await counting.write()
    return printLastSchema(sdl, await store.usage.last())
  }
  const { changeHandlers: handlers } = code
  const { handlerPositions: positions, changes } = store
  const handling = { positions, events, changes, log, clock: now }
  const changeHandlers = handlers && (await ChangeHandlers.open({ ...handlers, ...handling }).catch(closed))
  const gauges = [...store.gauges(), ...events.gauges(), ...webhooks.gauges()]
  const asking = { onError, files, events, webhooks, introspection, trusted, trustedOnly, gauges }
  const graphqlApi = openGraphql(engine, auth.tokens, asking)
  const lines = createSockets(graphqlApi, events)
  gauges.push(...lines.gauges())
  return {
    rest: createRest(engine, auth.tokens, { files, events, webhooks, gauges, onError, servedSchema: contract }),
    graphql: graphqlApi.answer,
    sockets: lines,
    graphiql: graphiql && introspection && !trustedOnly ? createGraphiql(model) : null,
    gauges,
    viewerOf: auth.viewerOf,
    ready: () => store.ready(),
    endStreams() {
      lines.restart()
      events.drain()
      void webhooks.stop()
      void changeHandlers?.stop()
    },
    async close() {
      await webhooks.stop()
      await changeHandlers?.stop()
      await events.close()
      await sweeping?.stop()
      await counting.stop()
      await store.close()
    },
  }
}

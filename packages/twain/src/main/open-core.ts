// Opens the store and the engine of a service, and brings the data to its schema: the store changes the tables, then the data
// migrations change the rows. Nothing serves yet.

import {
  type Auth,
  type AuthSettings,
  createAuth,
  identityWriter,
  keyWriter,
  type ProviderFetch,
  tokenWriter,
} from '#auth'
import { CacheBudget, type Log, type MonitorSources } from '#base'
import { isOperator } from '#base/http'
import { steadyClock } from '#base/time'
import { type MigrationReport, mayReadThenWrite, runCode, runMigrations } from '#code'
import { openEngine, type SchemaWatch, type ServiceEngine, type SystemWriters, Usage } from '#engine'
import { type EventSettings, openCursors, type WebhookSettings } from '#events'
import { defaultFileSettings, type FileSettings, imageSizesOf, openFileSignatures } from '#files'
import type { CountOperation, GraphqlSettings } from '#graphql'
import { type HttpSettings, originsOf } from '#http'
import { JobAdmin, type QueueSettings } from '#jobs'
import type { Mailbox, MailSettings } from '#mail'
import { Deprecations, deprecationReasons } from '#plan/explain'
import { type OpenOptions, openStore, type Store } from '#store'
import { createAccount } from './create-account.ts'
import { createProviderAccount } from './create-provider-account.ts'
import { type MailTarget, openMails } from './open-mails.ts'
import { openProviders } from './open-providers.ts'
import { proveAccount } from './prove-account.ts'
import type { CodedSchema } from './read-files.ts'
import { createSignedUp, rehearseSignUp } from './sign-up.ts'

/** Store options that come from the schema, not from the operator. */
type SchemaOptions = 'model' | 'sdl' | 'migrations' | 'isSerializable' | 'maxGroupedWrites'

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
  /** Default: `defaultMailSettings`. */
  mail?: MailSettings
  /** Where mails stay if the service sends none: for `twain dev` and tests. Default: null. */
  mailbox?: Mailbox | null
  /** Whether accounts that prove their address first may be without mails. */
  mayLackMail?: boolean
  /** Called with its name whenever custom code begins. */
  codeBegan?: ((functionName: string) => void) | undefined
  /** How requests to sign-in providers leave, for tests. Default: `fetch`. */
  providerFetch?: ProviderFetch
  /** Milliseconds since 1970. Default: `Date.now`. */
  clock?: () => number
  /** What administrators see of the running node. Default: `openService` keeps the log, and counts no requests. */
  monitored?: Pick<MonitorSources, 'load' | 'log'>
  /** The name of this node, as administrators see it. Default: host and process. */
  node?: string
  /** Counts each GraphQL operation, for the metrics. */
  countOperation?: CountOperation
  /** Whether denied requests are explained in the log, and in the answer too. */
  denials?: { inAnswer: boolean }
  /** Whether operators may act as anybody (`twain dev`). */
  operatorsAct?: boolean
  /** What is known of the schema files since they were served. Default: nothing, and nobody watches them. */
  schemaWatch?: SchemaWatch
  /** Called after each portion of a data migration. */
  onMigration?: (report: MigrationReport) => void
}

/** A store with the engine on it. */
export interface ServiceCore {
  store: Store
  engine: ServiceEngine
  code: ReturnType<typeof runCode>
  auth: Auth
  /** Null: the service sends no mails. */
  mails: MailTarget | null
  /** Null if the schema has no files. */
  signatures: Awaited<ReturnType<typeof openFileSignatures>> | null
  cursors: Awaited<ReturnType<typeof openCursors>>
  caches: CacheBudget
  usage: Usage
  /** The public origins, each with the base path. Without an origin, the base path alone. */
  origins: readonly string[]
  /** Milliseconds since 1970. */
  now: () => number
  /** The same, but it never goes back. */
  steady: () => number
}

/** The data migrations, as far as the store needs them. */
export function filesOf({ migrations }: CodedSchema): { name: string; type: string | null }[] {
  return migrations.map(({ name, work }) => ({ name, type: work.kind === 'rows' ? work.type.name : null }))
}

/** `writers` write the types of modules that open later. Throws StartRefused; then nothing stays open. */
export async function openCore(
  schema: CodedSchema,
  environment: ServiceEnvironment,
  writers: SystemWriters,
): Promise<ServiceCore> {
  const { model, sdl, migrations } = schema
  const { limits, log, auth: settings, clock, denials } = environment
  const origins = publicAddresses(environment.http)
  const caches = new CacheBudget(limits.cacheBytes)
  const mails = await openMails(schema, environment, origins)
  const providers = await openProviders(model, environment, origins)
  const store = await openStore({
    ...environment,
    origin: origins[0] ?? null,
    model,
    sdl,
    migrations: filesOf(schema),
    isSerializable: mayReadThenWrite(schema.code),
    caches,
  })
  try {
    const now = clock ?? (() => store.clock.now())
    // What ends at some time ends by this clock, also after the system clock was set back.
    const onStepBack = (milliseconds: number) => reportStepBack(milliseconds, log)
    const steady = clock ?? steadyClock({ wall: now, onStepBack })
    const auth = await createAuth({
      model,
      credentials: store.credentials,
      attempts: store.attempts,
      codes: store.codes,
      sendsMail: mails !== null,
      log,
      settings,
      clock: steady,
      makeAccount: (identity) => createAccount(identity, engine),
      proveAccount: (account, proof) => proveAccount(account, proof, engine),
      providers,
      makeProviderAccount: (identity, input) => createProviderAccount(identity, input, engine),
      signUp: {
        rehearse: (boundPlan, viewer, caller) => rehearseSignUp(boundPlan, viewer, caller, engine),
        create: (input, signUp) => createSignedUp(input, signUp, engine),
        createInvited: (input, signUp, viewer) => createSignedUp(input, signUp, engine, viewer),
      },
      mayActAs: async (account, viewer) => {
        const isDeveloper = environment.operatorsAct === true && isOperator(viewer) && viewer.roles.includes('admin')
        return isDeveloper || engine.mayActAs(account, viewer)
      },
      checkAttempt: schema.code.attempt === null ? null : async (attempt) => code.attempt?.(attempt),
      checkSignIn: schema.code.signIn === null ? null : async (account, method) => code.signIn?.(account, method),
      caches,
    })
    const signatures = model.file === null ? null : await openFileSignatures(store.credentials, steady)
    const cursors = await openCursors(store.changes, store.credentials, now)
    const code = runCode(schema.code, {
      model,
      engine: () => engine,
      limits,
      log,
      caches,
      began: environment.codeBegan,
    })
    const usage = new Usage()
    const reasons = deprecationReasons(model)
    const since = await store.usage.deprecatedSince([...reasons.keys()], now())
    const engine = openEngine({
      model,
      store,
      limits: { ...limits, imageSizes: imageSizesOf(environment.files ?? defaultFileSettings) },
      usage,
      deprecations: reasons.size === 0 ? null : new Deprecations(reasons, since),
      passwords: auth.tokens ?? undefined,
      systemWriters: {
        BackgroundJob: new JobAdmin(store.jobs).write,
        ApiKey: keyWriter(store.credentials, now),
        Token: tokenWriter(store.credentials, steady),
        Identity: identityWriter(store.credentials),
        ...writers,
      },
      cursorAt: (position) => cursors.write(store.changes.point(position)),
      code,
      signFile: signatures === null ? undefined : (id, variant) => signatures.sign(id, variant),
      denials: denials && {
        ...denials,
        log: (rules, denied, { id, path }) => log.info({ rules, request_id: id, 'url.path': path }, `${denied} denied`),
      },
    })
    await runMigrations(migrations, {
      records: store.dataMigrations,
      engine,
      context: code.migrationContext,
      log,
      now,
      stop: environment.stop,
      onProgress: environment.onMigration,
    })
    return { store, engine, code, auth, mails, signatures, cursors, caches, usage, origins, now, steady }
  } catch (error) {
    await store.close()
    throw error
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

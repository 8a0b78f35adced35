// Every setting in one table: its name, default, bounds and help text. `limits.depth` is `--limits-depth`,
// `TWAIN_LIMITS_DEPTH`, and `limits: { depth }` in `twain.config.ts`. A flag overrides a variable, a variable overrides `.env`, and
// `.env` overrides the file.

import { type AttemptLimits, type AuthSettings, authMistakes, defaultAttemptLimits, defaultAuthSettings } from '#auth'
import { didYouMean, memoryShare } from '#base'
import { configName } from '#code'
import { defaultEventSettings, defaultWebhookSettings, type EventSettings, type WebhookSettings } from '#events'
import { defaultFileSettings, type FileSettings, fileMistakes } from '#files'
import { defaultGraphqlSettings, type GraphqlSettings, graphqlMistakes } from '#graphql'
import { defaultHttpLimits, defaultHttpSettings, type HttpLimits, type HttpSettings, httpMistakes } from '#http'
import { defaultQueueSettings, type QueueSettings } from '#jobs'
import { defaultMailSettings, type MailSettings, mailMistakes } from '#mail'
import { defaultLimits, type Limits } from '#plan'
import type { ConfigFile } from './config-file.ts'
import { databaseAddresses, looksLikeAddress, splitAddresses, sqliteFolder } from './database-addresses.ts'
import { type Variables, variableSetBy } from './environment.ts'
import { type LogSettings, levels } from './log-settings.ts'

export interface Settings {
  port: number
  /** Whether the operator set the port; false for the default. */
  portChosen: boolean
  host: string
  data: string
  /** The address of a PostgreSQL database; null is the SQLite file of the data folder. */
  database: string | null
  /** The addresses of its replicas. */
  replicas: string[]
  poolSize: number
  /** Null: the same as `limits.timeSeconds`. */
  statementTimeoutSeconds: number | null
  startupWaitSeconds: number
  outageWaitSeconds: number
  seed: string | null
  auth: AuthSettings & AttemptLimits
  files: FileSettings
  graphql: GraphqlSettings
  /** Whether `/console` serves the console. */
  console: boolean
  events: EventSettings
  webhooks: WebhookSettings
  queue: QueueSettings
  mail: MailSettings
  http: HttpSettings & HttpLimits
  limits: Limits
  log: LogSettings
}

export type SettingValue = string | number | boolean | null

export interface Setting {
  name: string
  /** The placeholder of the value in the help. `a|b|c` lists the only allowed values. */
  value: string
  default: SettingValue
  /** The default of `twain dev`, where it differs. */
  dev?: SettingValue
  /** The part of the memory that the default takes at most. */
  memoryShare?: number
  /** Bounds of a whole number. */
  min?: number
  max?: number
  /** Whether it is the address of a PostgreSQL database. */
  address?: boolean
  /** Whether nobody may see the value. */
  secret?: true
  about: string
}

/** Makes the settings of a module: `prefix.name`, with the module's default. */
function settingsOf<Group extends { [Name in keyof Group]: SettingValue }>(prefix: string, defaults: Group) {
  return (name: keyof Group & string, value: string, about: string, more: Partial<Setting> = {}): Setting => ({
    name: `${prefix}.${name}`,
    value,
    default: defaults[name],
    about,
    ...more,
  })
}

/** The same for whole numbers. */
function numbersOf<Group extends { [Name in keyof Group]: SettingValue }>(prefix: string, defaults: Group) {
  const setting = settingsOf(prefix, defaults)
  return (name: keyof Group & string, about: string, more: Partial<Setting> = {}): Setting =>
    setting(name, 'N', about, { ...anyNumber, ...more })
}

const anyNumber = { min: 0, max: Number.MAX_SAFE_INTEGER }
const positive = { ...anyNumber, min: 1 }

const auth = settingsOf('auth', defaultAuthSettings)
const files = settingsOf('files', defaultFileSettings)
const graphql = settingsOf('graphql', defaultGraphqlSettings)
const http = settingsOf('http', defaultHttpSettings)
const mail = settingsOf('mail', defaultMailSettings)
const webhooks = settingsOf('webhooks', defaultWebhookSettings)
const events = numbersOf('events', defaultEventSettings)
const queue = numbersOf('queue', defaultQueueSettings)
const limit = numbersOf('limits', defaultLimits)
const httpLimit = numbersOf('limits', defaultHttpLimits)
const attemptLimit = numbersOf('limits', defaultAttemptLimits)

export const settings: Setting[] = [
  { name: 'port', value: 'N', default: 4000, min: 0, max: 65_535, about: 'port to listen on; 0 picks a free one' },
  { name: 'host', value: 'HOST', default: '127.0.0.1', about: 'address to listen on; 0.0.0.0 opens it to the network' },
  { name: 'data', value: 'DIR', default: './data', about: 'data folder; created if missing' },
  { name: 'console', value: 'true|false', default: true, about: 'serve the web console at /console' },
  {
    name: 'database',
    value: 'URL',
    default: null,
    address: true,
    about: 'postgres://USER:PASSWORD@HOST/NAME instead of SQLite',
  },
  {
    name: 'database.replicas',
    value: 'URLS',
    default: null,
    address: true,
    about: 'addresses of read replicas, separated by commas',
  },
  { name: 'database.poolSize', value: 'N', default: 10, min: 1, max: 1000, about: 'maximum connections to PostgreSQL' },
  {
    name: 'database.statementTimeoutSeconds',
    value: 'N',
    default: null,
    min: 1,
    max: 86_400,
    about: 'timeout of a statement (default: limits.timeSeconds)',
  },
  {
    name: 'database.startupWaitSeconds',
    value: 'N',
    default: 30,
    min: 0,
    max: 86_400,
    about: 'how long a start waits for the database',
  },
  {
    name: 'database.outageWaitSeconds',
    value: 'N',
    default: 10,
    min: 0,
    max: 86_400,
    about: 'how long reads and writes wait while the database is away',
  },
  {
    name: 'database.tls',
    value: 'off|require|verify',
    default: null,
    about: 'TLS; verify checks the server certificate',
  },
  {
    name: 'database.applicationName',
    value: 'NAME',
    default: null,
    about: 'application_name of the connections (twain)',
  },
  { name: 'seed', value: 'FILE', default: null, about: 'TypeScript module that fills an empty database' },
  auth('secret', 'TEXT', 'signing secrets, newest first, separated by commas (generated)', { secret: true }),
  auth('accessTokenSeconds', 'N', 'lifetime of an access token', positive),
  auth('refreshTokenSeconds', 'N', 'lifetime of a refresh token', positive),
  auth('sessionIdleDays', 'N', 'days without use that end a session', positive),
  auth('sessionMaxDays', 'N', 'days that a session lasts at most', positive),
  auth('issuer', 'NAME', 'external issuer whose tokens are accepted (their "iss")'),
  auth('jwks', 'URL', 'JWKS address of the external issuer'),
  auth('audience', 'NAME', 'required "aud" of its tokens'),
  auth('accountClaim', 'CLAIM', 'claim that identifies an account at the issuer'),
  auth('rolesClaim', 'CLAIM', "claim with the roles (default: the account's roles)"),
  auth('createAccounts', 'true|false', 'create an account for an unknown identity of the issuer'),
  auth('issuers', 'JSON', 'further external issuers: a list of objects with these settings'),
  auth('providers', 'OBJECT', 'providers to sign in with, as a JSON object by name', { secret: true }),
  auth('returnTo', 'URLS', 'exact addresses that such a sign-in may return to'),
  files('endpoint', 'URL', 'S3-compatible storage for files (else data folder or database)'),
  files('bucket', 'NAME', 'bucket of that storage'),
  files('region', 'NAME', 'region of that storage'),
  files('accessKey', 'TEXT', 'access key id'),
  files('secretKey', 'TEXT', 'secret access key', { secret: true }),
  files('sessionToken', 'TEXT', 'session token of temporary keys', { secret: true }),
  files('credentials', 'keys|aws', 'aws: the credential chain of AWS instead of keys'),
  files('sizes', 'SIZES', 'widths and heights of images, such as 160,320,640 (needs sharp)'),
  files('maxPixels', 'N', 'pixels of an image from which variants are made', { min: 1, max: 1_000_000_000 }),
  graphql('introspection', 'true|false', 'allow introspection, and suggest names in errors'),
  graphql('trustedDocuments', 'FILE', 'JSON file of trusted documents, by hash'),
  graphql('trustedDocumentsOnly', 'true|false', 'refuse all other documents'),
  events('retentionSeconds', 'how long changes are retained; 0 is forever'),
  events('heartbeatSeconds', 'interval of heartbeats on event streams; 0 is none', { max: 3600 }),
  webhooks('allowPrivate', 'true|false', 'allow webhooks to private network addresses'),
  webhooks('timeoutSeconds', 'N', 'how long a receiver may take to answer', { min: 1, max: 25 }),
  webhooks('firstRetrySeconds', 'N', 'pause before the first retry; it doubles each time', {
    min: 1,
    max: 10,
  }),
  webhooks('maxRetryIntervalSeconds', 'N', 'maximum pause between retries', { min: 1, max: 86_400 }),
  webhooks('retryWindowSeconds', 'N', 'how long a delivery is retried', { min: 1, max: 7 * 86_400 }),
  queue('concurrency', 'background jobs that this node runs at once; 0: none', { min: 0, max: 1000 }),
  queue('leaseSeconds', 'how long the jobs of a node that died wait for another one', { min: 2, max: 3600 }),
  queue('retentionSeconds', 'how long finished and failed jobs are kept', { min: 60, max: 366 * 86_400 }),
  mail('url', 'URL', 'mail server: smtp://HOST:PORT, smtps://USER:PASSWORD@HOST', { secret: true }),
  mail('from', 'ADDRESS', 'sender of mails: "Shop <shop@example.com>"'),
  http('origin', 'ORIGINS', 'public addresses of the service: for links, and as Host'),
  http('basePath', 'PATH', 'path below which the APIs are, such as /api'),
  http('static', 'DIR', "folder of an application's page, served outside of http.basePath"),
  http('cors', 'ORIGINS', 'allowed CORS origins, separated by commas; * or localhost', { dev: 'localhost' }),
  http('trustProxy', 'PROXIES', 'number of trusted proxies, or their addresses'),
  http('compression', 'true|false', 'compress responses'),
  http('serverTiming', 'true|false', 'send Server-Timing', { dev: true }),
  http('metrics', 'local|open|off', 'who may read /metrics: this host and role metrics, all, none'),
  { name: 'log.level', value: levels.join('|'), default: 'info', about: 'lowest level that is logged' },
  { name: 'log.requests', value: 'true|false', default: true, dev: false, about: 'log each request' },
  {
    name: 'log.slowQueryMs',
    value: 'N',
    default: 200,
    ...anyNumber,
    about: 'log statements that take so many milliseconds; 0: none',
  },
  limit('depth', 'nesting of a query'),
  limit('cost', 'cost of a query'),
  limit('page', 'rows of a page'),
  limit('bodyBytes', 'size of a request body'),
  limit('importBytes', 'size of a body whose rows are written in portions'),
  limit('uploadBytes', 'size of an uploaded file'),
  limit('uploadsHeldBytes', 'uploads of a client that no row refers to'),
  limit('batch', 'operations of a GraphQL batch'),
  limit('transaction', 'rows written along with a row, operations of a batch or JSON patch'),
  limit('bulk', 'rows that a list creates, or a filter changes or deletes'),
  limit('cascade', 'rows that a delete deletes or changes with its own'),
  limit('documentTokens', 'tokens of a GraphQL document'),
  limit('timeSeconds', 'time of a request'),
  limit('codeSeconds', 'time of a call of custom code'),
  limit('cacheBytes', 'memory of all caches together', { min: 1_048_576, memoryShare: 1 / 8 }),
  limit('resultCacheBytes', 'its part for the result cache (SQLite); 0 turns it off', { memoryShare: 1 / 32 }),
  limit('walBytes', 'size of the write-ahead log at which it is emptied (SQLite)'),
  httpLimit('requestsPerMinute', 'requests a minute for each viewer or address', { dev: 0 }),
  attemptLimit('signInFailures', 'wrong passwords for a login from one network before pauses; 0: none'),
  attemptLimit('accountFailures', 'the same from all networks together, except known devices'),
  attemptLimit('networkFailures', 'failed sign-ins an hour from one network (/24, /64)'),
  attemptLimit('networkMails', 'mails with codes an hour that one network causes', { dev: 0 }),
  attemptLimit('networkSignUps', 'accounts an hour that sign-ups from one network create', { dev: 0 }),
  httpLimit('headerBytes', 'size of the request header', { min: 1024, max: 1_048_576 }),
  httpLimit('urlBytes', 'size of the URL', { min: 256, max: 1_048_576 }),
  httpLimit('sockets', 'open WebSockets'),
  httpLimit('socketsPerClient', 'open WebSockets of one viewer or address'),
  httpLimit('drainSeconds', 'time of a stop: then requests in progress are cut off', { max: 86_400 }),
  httpLimit('unsentBytes', 'responses that clients have not read yet', { memoryShare: 1 / 4 }),
]

export const flagOf = (name: string): string =>
  name.replaceAll('.', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export const variableOf = (name: string): string => `TWAIN_${flagOf(name).replaceAll('-', '_').toUpperCase()}`

/** The places that can set a setting. The keys of `flags` have no leading dashes. */
export interface SettingSources {
  flags: ReadonlyMap<string, string>
  env: Variables
  /** Where the value of a variable comes from, if it is not the variable itself. */
  envSources?: ReadonlyMap<string, string>
  config?: ConfigFile
  /** Whether the command is `twain dev`, which has some other defaults. */
  dev?: boolean
}

/** Adds every mistake to `mistakes`. */
export function readSettings(sources: SettingSources, mistakes: string[]): Settings {
  const { flags, env, config } = sources
  for (const name of config?.keys() ?? []) {
    const names = settings.map((setting) => setting.name)
    if (!names.includes(name))
      mistakes.push(`${configName} sets ${name}, which is not a setting.${didYouMean(name, names)}`)
  }
  const read = (name: string): SettingValue => {
    const setting = settings.find((one) => one.name === name)!
    const standard = defaultOf(setting, sources)
    const found = findValue(name, sources)
    if (found === null) return standard
    const mistake = mistakeIn(setting, found.text)
    if (mistake === null) return parseSetting(setting, found.text)
    mistakes.push(`${found.source} ${mistake}`)
    return standard
  }
  const group = <Group extends object>(prefix: string, defaults: Group): Group =>
    Object.fromEntries(Object.keys(defaults).map((name) => [name, read(`${prefix}.${name}`)])) as Group
  const auth = { ...group('auth', defaultAuthSettings), ...group('limits', defaultAttemptLimits) }
  const files = group('files', defaultFileSettings)
  const graphql = group('graphql', defaultGraphqlSettings)
  const mail = group('mail', defaultMailSettings)
  const http = { ...group('http', defaultHttpSettings), ...group('limits', defaultHttpLimits) }
  mistakes.push(...authMistakes(auth), ...fileMistakes(files), ...graphqlMistakes(graphql), ...httpMistakes(http))
  mistakes.push(...mailMistakes(mail))
  const readText = (name: string) => read(name) as string | null
  const replicaList = readText('database.replicas')
  const address = readText('database')
  const folder = address === null ? null : sqliteFolder(address)
  const { database, replicas } = databaseAddresses(folder === null ? address : null, replicaList, {
    tls: readText('database.tls'),
    applicationName: readText('database.applicationName'),
  })
  if (database === null && replicaList !== null)
    mistakes.push('--database-replicas needs --database, the address of the primary.')
  return {
    port: read('port') as number,
    portChosen: flags.has('port') || Boolean(env[variableOf('port')]) || config?.has('port') === true,
    host: read('host') as string,
    data: folder ?? (read('data') as string),
    database,
    replicas,
    poolSize: read('database.poolSize') as number,
    statementTimeoutSeconds: read('database.statementTimeoutSeconds') as number | null,
    startupWaitSeconds: read('database.startupWaitSeconds') as number,
    outageWaitSeconds: read('database.outageWaitSeconds') as number,
    seed: read('seed') as string | null,
    auth,
    files,
    graphql,
    console: read('console') as boolean,
    events: group('events', defaultEventSettings),
    webhooks: group('webhooks', defaultWebhookSettings),
    queue: group('queue', defaultQueueSettings),
    mail,
    http,
    limits: group('limits', defaultLimits),
    log: {
      level: read('log.level') as LogSettings['level'],
      requests: read('log.requests') as boolean,
      slowQueryMs: read('log.slowQueryMs') as number,
    },
  }
}

export function defaultOf(setting: Setting, { dev }: SettingSources): SettingValue {
  const standard = dev === true && setting.dev !== undefined ? setting.dev : setting.default
  if (setting.memoryShare === undefined || typeof standard !== 'number') return standard
  return Math.max(setting.min ?? 0, memoryShare(standard, setting.memoryShare))
}

export function findValue(
  name: string,
  { flags, env, envSources, config }: SettingSources,
): { text: string; source: string } | null {
  const flag = flags.get(flagOf(name))
  if (flag !== undefined) return { text: flag, source: `--${flagOf(name)}` }
  const variable = variableOf(name)
  const text = env[variable]
  if (text) return { text, source: envSources?.get(variable) ?? variable } // an empty variable counts as unset
  const configured = config?.get(name)
  return configured === undefined ? null : { text: configured, source: `${name} in ${configName}` }
}

function parseSetting({ min, default: standard }: Setting, text: string): SettingValue {
  if (typeof standard === 'boolean') return text === 'true'
  return min === undefined ? text : Number(text)
}

/** A warning for each `TWAIN_…` variable that is not a setting. It is not an error: other tools may use the prefix too. */
export function unknownVariables(env: Variables): string[] {
  const known = settings.map(({ name }) => variableOf(name))
  return Object.keys(env)
    .filter((name) => /^TWAIN_(?!TEST_)/.test(name) && !known.includes(variableSetBy(name))) // the test suite uses TWAIN_TEST_…
    .map((name) => `Unknown environment variable ${name}: it is not a Twain setting.${didYouMean(name, known)}`)
}

function mistakeIn({ value, min, max, address }: Setting, text: string): string | null {
  // The message does not repeat the value, which may contain a password.
  if (address === true) {
    const addresses = splitAddresses(text)
    if (value === 'URL' && sqliteFolder(text) !== null) return null
    return addresses.length > 0 && addresses.every((one) => /^postgres(ql)?:\/\/.+/.test(one) && URL.canParse(one))
      ? null
      : `must be ${value === 'URLS' ? 'addresses separated by commas: ' : 'sqlite:FOLDER or an address: '}postgres://USER:PASSWORD@HOST/NAME.`
  }
  if (value === 'DIR' && looksLikeAddress(text))
    return 'must be a folder; use --database for the address of a database.'
  if (value.includes('|')) {
    const words = value.split('|')
    return words.includes(text) ? null : `must be ${printChoice(words)}, not "${text}".`
  }
  if (min === undefined || max === undefined) return text === '' ? 'is empty.' : null
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= min && number <= max) return null
  const bounds = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`
  return `must be a whole number, ${bounds}, not "${text}".`
}

function printChoice(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

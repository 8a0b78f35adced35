// Every setting of the command, in one table: its flag, its variable, its default, its bounds and its line of help.
// `limits.depth` is `--limits-depth` and `TWAIN_LIMITS_DEPTH`, and `limits: { depth }` in `twain.config.ts`; a flag counts over
// a variable, and that over the file.

import { type AuthSettings, authMistakes, defaultAuthSettings } from '#auth'
import { didYouMean } from '#base'
import { configName } from '#code'
import { defaultEventSettings, defaultWebhookSettings, type EventSettings, type WebhookSettings } from '#events'
import { defaultFileSettings, type FileSettings, fileMistakes } from '#files'
import { defaultGraphqlSettings, type GraphqlSettings, graphqlMistakes } from '#graphql'
import { defaultHttpLimits, defaultHttpSettings, type HttpLimits, type HttpSettings, httpMistakes } from '#http'
import { defaultLimits, type Limits } from '#plan'
import { type LogSettings, levels } from '../report/log.ts'
import type { ConfigFile } from './config-file.ts'
import { databaseAddresses, splitAddresses, sqliteFolder } from './database-addresses.ts'
import { looksLikeAddress } from './looks-like-address.ts'

export interface Settings {
  port: number
  /** Whether the port was asked for, and not just the default. */
  portChosen: boolean
  host: string
  data: string
  /** The address of a PostgreSQL database; null is the SQLite file of the data folder. */
  database: string | null
  /** Those of its replicas. */
  replicas: string[]
  poolSize: number
  /** Seconds; null is as long as an answer may take. */
  statementTimeoutSeconds: number | null
  /** Seconds. */
  startupWaitSeconds: number
  seed: string | null
  auth: AuthSettings
  files: FileSettings
  graphql: GraphqlSettings
  events: EventSettings
  webhooks: WebhookSettings
  http: HttpSettings & HttpLimits
  limits: Limits
  log: LogSettings
}

type Value = string | number | boolean | null

interface Setting {
  name: string
  /** What stands for the value in the help; words with bars between them are all that it can be. */
  value: string
  default: Value
  /** The default of `twain dev`, where it is another. */
  dev?: Value
  /** Bounds of a whole number. */
  min?: number
  max?: number
  /** Whether it is the address of a PostgreSQL database. */
  address?: boolean
  about: string
}

const limit = (name: keyof Limits, about: string): Setting => ({
  name: `limits.${name}`,
  value: 'N',
  default: defaultLimits[name],
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  about,
})

const httpLimit = (name: keyof HttpLimits, about: string, more: Partial<Setting> = {}): Setting => ({
  name: `limits.${name}`,
  value: 'N',
  default: defaultHttpLimits[name],
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  about,
  ...more,
})

const auth = (name: keyof AuthSettings, value: string, about: string): Setting => ({
  name: `auth.${name}`,
  value,
  default: defaultAuthSettings[name],
  ...(value === 'N' ? { min: 1, max: Number.MAX_SAFE_INTEGER } : {}),
  about,
})

const files = (name: keyof FileSettings, value: string, about: string): Setting => ({
  name: `files.${name}`,
  value,
  default: defaultFileSettings[name],
  about,
})

const graphql = (name: keyof GraphqlSettings, value: string, about: string): Setting => ({
  name: `graphql.${name}`,
  value,
  default: defaultGraphqlSettings[name],
  about,
})

const events = (name: keyof EventSettings, about: string, more: Partial<Setting> = {}): Setting => ({
  name: `events.${name}`,
  value: 'N',
  default: defaultEventSettings[name],
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
  about,
  ...more,
})

const webhooks = (name: keyof WebhookSettings, about: string, more: Partial<Setting>): Setting => ({
  name: `webhooks.${name}`,
  value: 'N',
  default: defaultWebhookSettings[name],
  about,
  ...more,
})

const http = (name: keyof HttpSettings, value: string, about: string, more: Partial<Setting> = {}): Setting => ({
  name: `http.${name}`,
  value,
  default: defaultHttpSettings[name],
  about,
  ...more,
})

export const settings: Setting[] = [
  { name: 'port', value: 'N', default: 4000, min: 0, max: 65_535, about: 'port to listen on; 0 takes any free one' },
  { name: 'host', value: 'HOST', default: '127.0.0.1', about: 'address to listen on; 0.0.0.0 opens it to the network' },
  { name: 'data', value: 'DIR', default: './data', about: 'folder of the data, made when it is not there' },
  {
    name: 'database',
    value: 'URL',
    default: null,
    address: true,
    about: 'postgres://USER:PASSWORD@HOST/NAME in the place of SQLite, then its replicas',
  },
  {
    name: 'database.replicas',
    value: 'URLS',
    default: null,
    address: true,
    about: 'its replicas, with commas: reads that need not be the newest go there',
  },
  { name: 'database.poolSize', value: 'N', default: 10, min: 1, max: 1000, about: 'connections to it at most' },
  {
    name: 'database.statementTimeoutSeconds',
    value: 'N',
    default: null,
    min: 1,
    max: 86_400,
    about: 'seconds for a statement (limits.timeSeconds)',
  },
  {
    name: 'database.startupWaitSeconds',
    value: 'N',
    default: 30,
    min: 0,
    max: 86_400,
    about: 'seconds that a start waits for it',
  },
  {
    name: 'database.tls',
    value: 'off|require|verify',
    default: null,
    about: 'encrypt; verify looks at its certificate',
  },
  { name: 'database.applicationName', value: 'NAME', default: null, about: 'what the server shows us as (twain)' },
  { name: 'seed', value: 'FILE', default: null, about: 'TypeScript module that fills an empty service' },
  auth('secret', 'TEXT', 'what tokens are signed with, newest first, with commas (one is made and kept)'),
  auth('accessTokenSeconds', 'N', 'seconds that a token counts'),
  auth('refreshTokenSeconds', 'N', 'seconds within which it can be renewed'),
  auth('issuer', 'NAME', 'another issuer whose tokens are taken, as their "iss" has it'),
  auth('jwks', 'URL', 'address of its keys'),
  auth('audience', 'NAME', 'whom its tokens must be for, as their "aud" has it'),
  auth('accountClaim', 'CLAIM', 'the claim of its tokens that is the login of an account here'),
  auth('rolesClaim', 'CLAIM', "the claim that has the roles; without it the account's own count"),
  auth('createAccounts', 'true|false', 'make an account for a login that is seen for the first time'),
  files('endpoint', 'URL', 'address of S3-compatible storage for files (else: data folder or database)'),
  files('bucket', 'NAME', 'the bucket there'),
  files('region', 'NAME', 'its region'),
  files('accessKey', 'TEXT', 'the id of the key for it'),
  files('secretKey', 'TEXT', 'the key'),
  graphql('introspection', 'true|false', 'let the schema be asked for, and suggest its names in errors'),
  graphql('graphiql', 'true|false', 'show GraphiQL to browsers at /graphql'),
  graphql('trustedDocuments', 'FILE', 'JSON file of trusted documents, each under its hash'),
  graphql('trustedDocumentsOnly', 'true|false', 'answer nothing but the trusted documents'),
  events('retentionSeconds', 'seconds that changes are kept, to be read again; 0 is forever'),
  events('heartbeatSeconds', 'seconds between signs of life of a stream; 0 is none', { max: 3600 }),
  webhooks('allowPrivate', 'let webhooks go to addresses inside private networks', { value: 'true|false' }),
  webhooks('timeoutSeconds', 'seconds that a receiver has for its answer', { min: 1, max: 25 }),
  webhooks('firstRetrySeconds', 'seconds before the first retry; each next pause is twice as long', {
    min: 1,
    max: 10,
  }),
  webhooks('maxRetryIntervalSeconds', 'seconds of the longest pause', { min: 1, max: 86_400 }),
  webhooks('retryWindowSeconds', 'seconds for which a delivery is tried', { min: 1, max: 7 * 86_400 }),
  http('cors', 'ORIGINS', 'origins whose pages may read answers, with commas; * or localhost', { dev: 'localhost' }),
  http('trustProxy', 'PROXIES', 'how many proxies stand before it, or their addresses with commas'),
  http('compression', 'true|false', 'compress answers for who takes it'),
  http('serverTiming', 'true|false', 'say in Server-Timing what each stage took', { dev: true }),
  http('metrics', 'local|open|off', 'who may read /metrics: this machine and keys of role metrics, all, none'),
  { name: 'log.level', value: levels.join('|'), default: 'info', about: 'the least that is logged' },
  { name: 'log.requests', value: 'true|false', default: true, dev: false, about: 'a line for each request' },
  limit('depth', 'nested selections of a query'),
  limit('cost', 'cost of a query'),
  limit('page', 'rows of a page'),
  limit('bodyBytes', 'bytes of a request body'),
  limit('uploadBytes', 'bytes of an uploaded file'),
  limit('batch', 'operations of a GraphQL batch'),
  limit('transaction', 'rows that are made together, operations of a JSON patch'),
  limit('documentTokens', 'tokens of a GraphQL document'),
  limit('timeSeconds', 'seconds that an answer may take'),
  limit('codeSeconds', 'seconds that a call of own code may take'),
  limit('resultCacheBytes', 'bytes of the result cache (SQLite); 0 turns it off'),
  httpLimit('requestsPerMinute', 'requests a minute of one viewer, or one address', { dev: 0 }),
  httpLimit('headerBytes', 'bytes of the header of a request', { min: 1024, max: 1_048_576 }),
  httpLimit('urlBytes', 'bytes of a URL', { min: 256, max: 1_048_576 }),
  httpLimit('sockets', 'WebSockets at once'),
]

export const flagOf = (name: string): string =>
  name.replaceAll('.', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export const variableOf = (name: string): string => `TWAIN_${flagOf(name).replaceAll('-', '_').toUpperCase()}`

/** Where settings are said: flags by their names without dashes. */
export interface Sources {
  flags: ReadonlyMap<string, string>
  env: Readonly<Record<string, string | undefined>>
  config?: ConfigFile
  /** Whether `twain dev` asks, which has some defaults of its own. */
  dev?: boolean
}

/** What is wrong goes to `mistakes`, all of it. */
export function readSettings(sources: Sources, mistakes: string[]): Settings {
  const { flags, env, config } = sources
  for (const name of config?.keys() ?? []) {
    const names = settings.map((setting) => setting.name)
    if (!names.includes(name))
      mistakes.push(`${configName} says ${name}, which is no setting.${didYouMean(name, names)}`)
  }
  const read = (name: string): Value => {
    const setting = settings.find((one) => one.name === name)!
    const standard = sources.dev === true && setting.dev !== undefined ? setting.dev : setting.default
    const said = saidIn(name, sources)
    if (said === null) return standard
    const wrong = mistakeIn(setting, said.text)
    if (wrong === null) return parseSetting(setting, said.text)
    mistakes.push(`${said.by} ${wrong}`)
    return standard
  }
  const group = <Group extends object>(prefix: string, defaults: Group): Group =>
    Object.fromEntries(Object.keys(defaults).map((name) => [name, read(`${prefix}.${name}`)])) as Group
  const auth = group('auth', defaultAuthSettings)
  const files = group('files', defaultFileSettings)
  const graphql = group('graphql', defaultGraphqlSettings)
  const http = { ...group('http', defaultHttpSettings), ...group('limits', defaultHttpLimits) }
  mistakes.push(...authMistakes(auth), ...fileMistakes(files), ...graphqlMistakes(graphql), ...httpMistakes(http))
  const readText = (name: string) => read(name) as string | null
  const readDatabase = readText('database.replicas')
  const said = readText('database')
  const folder = said === null ? null : sqliteFolder(said)
  const { database, replicas } = databaseAddresses(folder === null ? said : null, readDatabase, {
    tls: readText('database.tls'),
    applicationName: readText('database.applicationName'),
  })
  if (database === null && readDatabase !== null)
    mistakes.push('--database-replicas goes with --database: it names its replicas.')
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
    seed: read('seed') as string | null,
    auth,
    files,
    graphql,
    events: group('events', defaultEventSettings),
    webhooks: group('webhooks', defaultWebhookSettings),
    http,
    limits: group('limits', defaultLimits),
    log: { level: read('log.level') as LogSettings['level'], requests: read('log.requests') as boolean },
  }
}

function saidIn(name: string, { flags, env, config }: Sources): { text: string; by: string } | null {
  const flag = flags.get(flagOf(name))
  if (flag !== undefined) return { text: flag, by: `--${flagOf(name)}` }
  const variable = env[variableOf(name)]
  if (variable) return { text: variable, by: variableOf(name) } // an empty one is as good as none
  const written = config?.get(name)
  return written === undefined ? null : { text: written, by: `${name} in ${configName}` }
}

function parseSetting({ min, default: standard }: Setting, text: string): Value {
  if (typeof standard === 'boolean') return text === 'true'
  return min === undefined ? text : Number(text)
}

/** A sentence for each `TWAIN_…` variable that is no setting. Not a mistake: others may put theirs beside ours. */
export function strangeVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = settings.map(({ name }) => variableOf(name))
  return Object.keys(env)
    .filter((name) => /^TWAIN_(?!TEST_)/.test(name) && !known.includes(name)) // TWAIN_TEST_… are the tests'
    .map((name) => `The variable ${name} is no setting of twain.${didYouMean(name, known)}`)
}

function mistakeIn({ value, min, max, address }: Setting, text: string): string | null {
  // Without what it got, which may hold a password.
  if (address === true) {
    const addresses = splitAddresses(text)
    if (value === 'URL' && sqliteFolder(text) !== null) return null
    return addresses.length > 0 && addresses.every((one) => /^postgres(ql)?:\/\/.+/.test(one) && URL.canParse(one))
      ? null
      : `wants ${value === 'URLS' ? 'addresses, with commas: ' : 'sqlite:FOLDER, or an address: '}postgres://USER:PASSWORD@HOST/NAME.`
  }
  if (value === 'DIR' && looksLikeAddress(text)) return 'wants a folder; the address of a database is --database.'
  if (value.includes('|')) {
    const words = value.split('|')
    return words.includes(text) ? null : `wants ${spellChoice(words)}, and got "${text}".`
  }
  if (min === undefined || max === undefined) return text === '' ? 'is empty.' : null
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= min && number <= max) return null
  const bounds = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`
  return `wants a whole number, ${bounds}, and got "${text}".`
}

function spellChoice(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

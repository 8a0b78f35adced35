// Every setting of the command, in one table: its flag, its variable, its default, its bounds and its line of help.
// `limits.depth` is `--limits-depth` and `TWAIN_LIMITS_DEPTH`; a flag counts over a variable.

import { type AuthSettings, authMistakes, defaultAuthSettings } from '#auth'
import { didYouMean } from '#base'
import { defaultFileSettings, type FileSettings, fileMistakes } from '#files'
import { defaultLimits, type Limits } from '#plan'

export interface Settings {
  port: number
  /** Whether the port was asked for, and not just the default. */
  portChosen: boolean
  host: string
  data: string
  seed: string | null
  auth: AuthSettings
  files: FileSettings
  limits: Limits
}

interface Setting {
  name: string
  /** What stands for the value in the help. */
  value: string
  default: string | number | boolean | null
  /** Bounds of a whole number. */
  min?: number
  max?: number
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

export const settings: Setting[] = [
  { name: 'port', value: 'N', default: 4000, min: 0, max: 65_535, about: 'port to listen on; 0 takes any free one' },
  { name: 'host', value: 'HOST', default: '127.0.0.1', about: 'address to listen on; 0.0.0.0 opens it to the network' },
  { name: 'data', value: 'DIR', default: './data', about: 'folder of the data, made when it is not there' },
  { name: 'seed', value: 'FILE', default: null, about: 'TypeScript module that fills an empty service' },
  auth('secret', 'TEXT', 'what tokens are signed with, newest first, with commas (one is made and kept)'),
  auth('tokenTime', 'N', 'seconds that a token counts'),
  auth('refreshTime', 'N', 'seconds within which it can be renewed'),
  auth('issuer', 'NAME', 'another issuer whose tokens are taken, as their "iss" has it'),
  auth('jwks', 'URL', 'address of its keys'),
  auth('audience', 'NAME', 'whom its tokens must be for, as their "aud" has it'),
  auth('accountClaim', 'CLAIM', 'the claim of its tokens that is the login of an account here'),
  auth('rolesClaim', 'CLAIM', "the claim that has the roles; without it the account's own count"),
  auth('createAccounts', 'true|false', 'make an account for a login that is seen for the first time'),
  files('endpoint', 'URL', 'address of S3-compatible storage for files (they are kept in the data folder)'),
  files('bucket', 'NAME', 'the bucket there'),
  files('region', 'NAME', 'its region'),
  files('accessKey', 'TEXT', 'the id of the key for it'),
  files('secretKey', 'TEXT', 'the key'),
  limit('depth', 'nested selections of a query'),
  limit('cost', 'cost of a query'),
  limit('page', 'rows of a page'),
  limit('body', 'bytes of a request body'),
  limit('upload', 'bytes of an uploaded file'),
  limit('tokens', 'tokens of a GraphQL document'),
  limit('time', 'seconds that a long read may take'),
]

export const flagOf = (name: string): string =>
  name.replaceAll('.', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export const variableOf = (name: string): string => `TWAIN_${flagOf(name).replaceAll('-', '_').toUpperCase()}`

/** Flags by their names without dashes; what is wrong goes to `mistakes`, all of it. */
export function readSettings(
  flags: ReadonlyMap<string, string>,
  env: Readonly<Record<string, string | undefined>>,
  mistakes: string[],
): Settings {
  const read = (name: string): Setting['default'] => {
    const setting = settings.find((one) => one.name === name)!
    const flag = flags.get(flagOf(name))
    const text = flag ?? (env[variableOf(name)] || undefined) // an empty variable is one that is not set
    if (text === undefined) return setting.default
    const wrong = mistakeIn(setting, text)
    if (wrong === null) return parseSetting(setting, text)
    mistakes.push(`${flag === undefined ? variableOf(name) : `--${flagOf(name)}`} ${wrong}`)
    return setting.default
  }
  const limits = { ...defaultLimits }
  for (const name of Object.keys(limits) as (keyof Limits)[]) limits[name] = read(`limits.${name}`) as number
  const auth = Object.fromEntries(
    Object.keys(defaultAuthSettings).map((name) => [name, read(`auth.${name}`)]),
  ) as unknown as AuthSettings
  const files = Object.fromEntries(
    Object.keys(defaultFileSettings).map((name) => [name, read(`files.${name}`)]),
  ) as unknown as FileSettings
  mistakes.push(...authMistakes(auth), ...fileMistakes(files))
  return {
    port: read('port') as number,
    portChosen: flags.has('port') || Boolean(env[variableOf('port')]),
    host: read('host') as string,
    data: read('data') as string,
    seed: read('seed') as string | null,
    auth,
    files,
    limits,
  }
}

function parseSetting({ min, default: standard }: Setting, text: string): string | number | boolean {
  if (typeof standard === 'boolean') return text === 'true'
  return min === undefined ? text : Number(text)
}

/** A sentence for each `TWAIN_…` variable that is no setting. Not a mistake: others may put theirs beside ours. */
export function strangeVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = settings.map(({ name }) => variableOf(name))
  return Object.keys(env)
    .filter((name) => name.startsWith('TWAIN_') && !known.includes(name))
    .map((name) => `The variable ${name} is no setting of twain.${didYouMean(name, known)}`)
}

function mistakeIn({ min, max, default: standard }: Setting, text: string): string | null {
  if (typeof standard === 'boolean') {
    return ['true', 'false'].includes(text) ? null : `wants true or false, and got "${text}".`
  }
  if (min === undefined || max === undefined) return text === '' ? 'is empty.' : null
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= min && number <= max) return null
  const bounds = max === Number.MAX_SAFE_INTEGER ? `${min} or more` : `from ${min} to ${max}`
  return `wants a whole number, ${bounds}, and got "${text}".`
}

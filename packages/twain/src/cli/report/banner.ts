// The banner that `twain dev` prints after the start: the addresses, the data, how to sign in, and who has access.

import { isAbsolute, relative, resolve } from 'node:path'
import { type HttpServer, signUpFields } from '#http'
import { closedByOmission, openByOmission } from '#main'
import { hasAddresses, type Model } from '#model'
import { servedNullable } from '#plan/explain'
import type { Paint } from './paint.ts'
import { guessable, roleLines } from './warnings.ts'

export interface ServedService {
  model: Model
  server: Pick<HttpServer, 'host' | 'port'>
  /** Empty: the APIs are at the root. */
  basePath: string
  /** The folder, or the address of the database without credentials. */
  data: string
  /** The port from the settings. */
  requestedPort: number
  caller: Caller
  /** Signs in to the console once; null: there is none. */
  consoleLink: string | null
  /** The schema file, if accounts have roles and none has the role admin. */
  lacksAdmin: string | null
}

export function banner(service: ServedService, paint: Paint): string {
  const { model, server, basePath, data, requestedPort, caller, consoleLink, lacksAdmin } = service
  const at = addressOf(server) + basePath
  const { resources } = model
  const place = isDatabase(data) ? data : caller.place(data)
  const example = resources[0] === undefined ? '' : paint.dim(`  e.g. ${at}/${resources[0].path}`)
  const otherPort =
    requestedPort === 0 || requestedPort === server.port
      ? ''
      : `  Port ${requestedPort} is taken; using ${server.port}.\n`
  return `
${paint.bold(model.service.name)} is served
  Browser    ${paint.cyan(`${at}/`)}
  REST       ${paint.cyan(at)}${example}
  GraphQL    ${paint.cyan(`${at}/graphql`)}
  Docs       ${paint.cyan(`${at}/docs`)}${consoleLink === null ? '' : `\n  Console    ${paint.cyan(consoleLink)}${paint.dim('  signs you in, once')}`}
  Data       ${place}
  Resources  ${resources.length}${signingIn(model, at, paint)}

${otherPort}  ${openness(model, place, caller, paint)}
${lacksAdmin === null ? '' : noAdmin(lacksAdmin, model, place, caller)}${nullable(model)}${guesses(model)}${unknown(model)}`
}

/** How the first administrator gets an account. */
function noAdmin(schemaFile: string, { account }: Model, place: string, { twain, place: shown }: Caller): string {
  const says = `  admin   No ${account!.resource.name} has the role admin.`
  if (!hasAddresses(account!)) return `${says} A token of the role gives it.\n`
  return `${says} Invite the first: ${twain} invite EMAIL --role admin --schema ${shown(schemaFile)} ${dataFlag(place)}\n`
}

/** An address contains a password. */
function dataFlag(place: string): string {
  return isDatabase(place) ? '--database …' : `--data ${place}`
}

function signingIn(model: Model, at: string, paint: Paint): string {
  const { account } = model
  if (account === null) return ''
  const { resource, login } = account
  const required = signUpFields(model)
  const signUp = required === null ? '' : `\n  Sign up    ${curl(`${at}/${resource.path}`, required)}`
  return `${signUp}\n  Sign in    ${curl(`${at}/tokens`, [login.name, 'password'])}${paint.dim('  then -H "authorization: Bearer TOKEN"')}`
}

function curl(address: string, members: string[]): string {
  return `curl ${address} --json '{${members.map((name) => `"${name}": "…"`).join(', ')}}'`
}

/** The schema file marks these fields as non-null, so clients would not expect null. */
function nullable(model: Model): string {
  const fields = servedNullable(model)
  if (fields.length === 0) return ''
  return `  null    These references are null if the viewer may not read the row: ${fields.join(', ')}\n`
}

function guesses(model: Model): string {
  const warning = guessable(model)
  return warning === null ? '' : `  guess   ${warning}\n`
}

function unknown(model: Model): string {
  return roleLines(model)
    .map((line) => `  role    ${line}\n`)
    .join('')
}

function openness(model: Model, place: string, { twain }: Caller, paint: Paint): string {
  const open = openByOmission(model)
  if (open.types.length + open.operations.length > 0) {
    const all = open.types.length === model.resources.length ? '' : ` ${open.types.join(', ')}`
    const may = [
      ...(open.types.length === 0 ? [] : [`read and write${all}`]),
      ...(open.operations.length === 0 ? [] : [`call ${open.operations.join(', ')}`]),
    ]
    return `${paint.yellow('open')}  Everyone who can reach this address can ${may.join(' and ')}: the schema has no account type.`
  }
  const closed = closedByOmission(model)
  const names = [...closed.types, ...closed.operations].join(', ')
  return `${paint.green('closed')}  The rules of the schema apply${names === '' ? '' : `; without rules, so only for role admin: ${names}`}. Get a token: ${twain} token --role admin ${dataFlag(place)}`
}

function isDatabase(place: string): boolean {
  return place.startsWith('postgres:')
}

/** An address that opens in a browser: a wildcard host becomes localhost. */
export function addressOf({ host, port }: ServedService['server']): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

type Env = Readonly<Record<string, string | undefined>>

/** Formats commands so that the user can paste them. A user who started Twain by npm (`npm start`, `npx twain`) may have no
 *  `twain` in PATH. npm runs a workspace script in the workspace's folder; INIT_CWD is the user's folder. */
export interface Caller {
  /** `twain`, or `npx twain`. */
  twain: string
  /** The path of a folder, relative to the user's folder. */
  place: (folder: string) => string
}

export function callerOf(env: Env): Caller {
  const { npm_command: npm, INIT_CWD: from } = env
  if (npm === undefined || npm === '') return { twain: 'twain', place: (folder) => folder }
  const elsewhere = from !== undefined && from !== '' && resolve(from) !== resolve('')
  const place = (folder: string) => (elsewhere && !isAbsolute(folder) ? relative(from, resolve(folder)) || '.' : folder)
  return { twain: 'npx twain', place }
}

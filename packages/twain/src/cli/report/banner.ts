// What `twain dev` prints once it serves: what, where, on which data, and for whom.

import { type HttpServer, signUpFields } from '#http'
import { withoutRules } from '#main'
import type { Model } from '#model'
import { servedNullable } from '#plan/explain'
import type { Caller } from './as-called.ts'
import { guessable } from './guessable-fields.ts'
import type { Paint } from './paint.ts'

export interface ServedService {
  model: Model
  server: Pick<HttpServer, 'host' | 'port'>
  /** The folder, or the database without who uses it. */
  data: string
  /** The port that was to be used. */
  wanted: number
  caller: Caller
}

export function banner({ model, server, data, wanted, caller }: ServedService, paint: Paint): string {
  const at = addressOf(server)
  const { resources } = model
  const place = isDatabase(data) ? data : caller.place(data)
  const example = resources[0] === undefined ? '' : paint.dim(`  e.g. ${at}/${resources[0].path}`)
  const moved = wanted === 0 || wanted === server.port ? '' : `  Port ${wanted} is taken, so this is ${server.port}.\n`
  return `
${paint.bold(model.service.name)} is served
  Browser    ${paint.cyan(`${at}/`)}
  REST       ${paint.cyan(at)}${example}
  GraphQL    ${paint.cyan(`${at}/graphql`)}
  Docs       ${paint.cyan(`${at}/docs`)}
  Data       ${place}
  Resources  ${resources.length}${signingIn(model, at, paint)}

${moved}  ${openness(model, place, caller, paint)}
${nullable(model)}${guesses(model)}`
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

/** A client that trusts the file would not look for null there. */
function nullable(model: Model): string {
  const fields = servedNullable(model)
  if (fields.length === 0) return ''
  return `  null    Where a viewer may not read the row behind it: ${fields.join(', ')}\n`
}

function guesses(model: Model): string {
  const told = guessable(model)
  return told === null ? '' : `  guess   ${told}\n`
}

function openness(model: Model, place: string, { twain }: Caller, paint: Paint): string {
  const open = withoutRules(model)
  if (open.length > 0) {
    const all = open.length === model.resources.length ? '' : ` ${open.join(', ')}`
    return `${paint.yellow('open')}  Everyone who reaches this address can read and write${all}: the schema has no account type.`
  }
  const closed = model.account === null ? [] : model.resources.filter(({ rules }) => rules.length === 0)
  const names = closed.map(({ name }) => name).join(', ')
  const where = isDatabase(place) ? '--database …' : `--data ${place}` // the address has a password
  return `${paint.green('closed')}  The schema says who may do what${names === '' ? '' : `; ${names} only role admin`}. A token for you: ${twain} token --role admin ${where}`
}

function isDatabase(place: string): boolean {
  return place.startsWith('postgres:')
}

/** One that can be clicked. */
export function addressOf({ host, port }: ServedService['server']): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

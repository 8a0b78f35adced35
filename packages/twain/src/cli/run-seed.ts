// `twain seed`, and `--seed` of `twain dev` and `twain start`: fills an empty service from a TypeScript module that exports
// `async function seed(make)`. It creates rows through the REST API, so they are validated like those of any client. Access
// rules do not apply, and an account needs no password. A string that the seed returns is printed, such as the accounts that
// can sign in.

import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { didYouMean } from '#base'
import { bodyText, plainRequest } from '#base/http'
import { monotonicTime } from '#base/time'
import { describeLoadError, type Make } from '#code'
import type { Service } from '#main'
import { isFile } from '#model'
import { SeedFailed } from './report/explain-error.ts'

type SeedableService = Pick<Service, 'handleAsSystem' | 'model'>

/** Returns the message to print. */
export async function seed(file: string, service: SeedableService): Promise<string> {
  const runSeed = await load(file)
  if (!(await isEmpty(service))) return `${file} was not run: the database already has rows.`
  const started = monotonicTime()
  const created = new Map<string, number>()
  const result = await runSeed(async (resource, input) => {
    const row = await create(service, resource, input)
    created.set(resource, (created.get(resource) ?? 0) + 1)
    return row
  }).catch((error: unknown) => {
    if (error instanceof SeedFailed) throw new SeedFailed(`${file}: ${error.message}`, error)
    throw new SeedFailed(`${file} failed: ${error instanceof Error ? error.stack : String(error)}`, error)
  })
  const counts = [...created].map(([resource, count]) => `${count} ${resource}`).join(', ')
  return `${file} created ${counts || 'nothing'} in ${Math.round(monotonicTime() - started)} ms.${typeof result === 'string' ? `\n${result}` : ''}`
}

async function load(file: string): Promise<(make: Make) => Promise<unknown>> {
  let module: { seed?: unknown }
  try {
    module = await import(pathToFileURL(resolve(file)).href)
  } catch (error) {
    throw new SeedFailed(await describeLoadError(error, resolve(file), resolve('')), error)
  }
  if (typeof module.seed !== 'function') {
    throw new SeedFailed(
      `${file} does not export seed. Write: export async function seed(make) { await make('Type', { … }) }`,
    )
  }
  const runSeed = module.seed as (make: Make) => unknown
  return async (make) => runSeed(make)
}

async function isEmpty(service: SeedableService): Promise<boolean> {
  for (const { path } of service.model.resources) {
    const { status, value } = await send(service, 'GET', `/${path}`, 'limit=1&fields=id')
    if (status !== 200) throw new SeedFailed(`/${path} can't be read: ${sentence(value)}`)
    if ((value as unknown[]).length > 0) return false
  }
  return true
}

async function create(service: SeedableService, name: string, input: object): ReturnType<Make> {
  if (service.model.file !== null && isFile({ name })) return upload(service, input)
  const names = service.model.resources.map((resource) => resource.name)
  const resource = service.model.resources.find((one) => one.name === name)
  if (resource === undefined) throw new SeedFailed(`There is no resource "${name}".${didYouMean(name, names)}`)
  const { status, value } = await send(service, 'POST', `/${resource.path}`, '', input)
  if (status !== 201) throw new SeedFailed(`${name} ${JSON.stringify(input)} was refused: ${sentence(value)}`)
  return value as { id: string } & Record<string, unknown>
}

interface SeedFile {
  name?: unknown
  mediaType?: unknown
  bytes?: unknown
}

async function upload(service: SeedableService, { name, mediaType, bytes }: SeedFile): ReturnType<Make> {
  if (typeof bytes !== 'string' && !(bytes instanceof Uint8Array)) {
    throw new SeedFailed("A file needs its bytes: make('File', { name, mediaType, bytes })")
  }
  const headers = mediaType === undefined ? {} : { 'content-type': String(mediaType) }
  const target = name === undefined ? '/files' : `/files?name=${encodeURIComponent(String(name))}`
  const reply = await service.handleAsSystem(plainRequest('POST', target, { headers, body: bytes }))
  const value = JSON.parse(await bodyText(reply)) as { id: string }
  if (reply.status !== 201) throw new SeedFailed(`The file ${name} was refused: ${sentence(value)}`)
  return value
}

async function send(service: SeedableService, method: string, path: string, query: string, input?: object) {
  const headers = { accept: 'application/json', 'content-type': 'application/json' }
  const target = query === '' ? path : `${path}?${query}`
  const options = input === undefined ? { headers } : { headers, body: JSON.stringify(input) }
  const reply = await service.handleAsSystem(plainRequest(method, target, options))
  return { status: reply.status, value: JSON.parse(await bodyText(reply)) as unknown }
}

function sentence(problem: unknown): string {
  const { detail, errors = [] } = problem as { detail?: string; errors?: { path: string; message: string }[] }
  if (errors.length < 2) return detail ?? JSON.stringify(problem)
  return errors.map(({ path, message }) => `${path}: ${message}`).join(' ')
}

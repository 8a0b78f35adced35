// A node of the service: one version of the schema, in this process and without a port.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bodyText, isStream, plainRequest } from '../../../packages/twain/src/base/http/index.ts'
import { compose, type Runtime } from '../../../packages/twain/src/main/compose.ts'
import { openService, type Service } from '../../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../../packages/twain/src/plan/index.ts'
import { silent } from '../../../packages/twain/src/store/store.fixture.ts'

const limits = { ...defaultLimits, depth: 0, cost: 0 }

export interface Place {
  /** The data folder, or a folder of its own for each node of a database. */
  data: string
  database: string | null
}

export interface Answer {
  status: number
  /** The version in the entity tag. */
  version: number | null
  body: unknown
}

export class VersionNode {
  version: number
  readonly #service: Service
  readonly #schemaFile: string
  readonly #runtime: () => Runtime

  private constructor(version: number, service: Service, schemaFile: string, runtime: () => Runtime) {
    this.version = version
    this.#service = service
    this.#schemaFile = schemaFile
    this.#runtime = runtime
  }

  static async open(
    place: Place,
    sdl: string,
    version: number,
    clock: () => number,
    errors: string[],
  ): Promise<VersionNode> {
    const schemaFile = join(place.data, 'schema.graphql')
    await writeFile(schemaFile, sdl)
    let runtime: Runtime
    const log = { ...silent, error: (facts: object, text: string) => errors.push(`${text} ${JSON.stringify(facts)}`) }
    const service = await openService({ schemaFile, ...place, poolSize: 2, limits, log, clock }, async (...schema) => {
      runtime = await compose(...schema)
      return runtime
    })
    return new VersionNode(version, service, schemaFile, () => runtime)
  }

  /** Serves another version, as `twain dev` does when the file is saved. */
  async swap(sdl: string, version: number): Promise<void> {
    await writeFile(this.#schemaFile, sdl)
    const outcome = await this.#service.reload()
    if (outcome.kind === 'rejected' || outcome.kind === 'lost') throw outcome.reason
    this.version = version
  }

  async rest(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const type =
      body === undefined ? {} : { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' }
    const reply = await this.#service.handle(plainRequest(method, path, { headers: { ...type, ...headers }, ...sent }))
    const text = await bodyText(reply)
    const isJson = String(reply.headers['content-type']).includes('json')
    const version = /^"(\d+)-/.exec(String(reply.headers.etag))?.[1]
    return {
      status: reply.status,
      version: version === undefined ? null : Number(version),
      body: isJson ? JSON.parse(text) : text,
    }
  }

  /** The status is that of the first error, as REST would answer. */
  async graphql(query: string, variables: object = {}): Promise<Answer> {
    const { status, body } = await this.rest('POST', '/graphql', { query, variables })
    const { data, errors = [] } = body as { data?: unknown; errors?: { extensions?: { code?: string } }[] }
    const code = errors[0]?.extensions?.code
    return {
      status: code === undefined ? status : (statuses[code] ?? 500),
      version: null,
      body: errors.length > 0 ? body : data,
    }
  }

  /** The parts of a stream, until the node ends it. */
  async stream(
    method: string,
    path: string,
    body: object | undefined,
    headers: Record<string, string>,
  ): Promise<AsyncIterable<string | Uint8Array>> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const all = { ...type, ...headers, accept: 'text/event-stream' }
    const reply = await this.#service.handle(plainRequest(method, path, { headers: all, ...sent }))
    if (!isStream(reply.body)) throw new Error(`no stream: ${reply.status} ${await bodyText(reply)}`)
    return reply.body
  }

  /** Goes through all files, which a server does once an hour. */
  async cleanUp(): Promise<void> {
    const { files } = this.#runtime()
    while (files !== null && !(await files.cleanUp()));
  }

  async close(): Promise<void> {
    await this.#service.close()
  }
}

const statuses: Record<string, number> = {
  CONFLICT: 409,
  NOT_FOUND: 404,
  VALIDATION_FAILED: 400,
  UNAVAILABLE: 503,
  GONE: 410,
}

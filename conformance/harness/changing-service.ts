// A whole service without a port, whose schema can be replaced while its data stay, on the tested store.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bodyText, isStream, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import type { EventSettings } from '../../packages/twain/src/events/index.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { copyService } from '../../packages/twain/src/store/index.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { makeTestPlace, type TestPlace } from '../../packages/twain/src/store/test-place.fixture.ts'
import type { GraphqlAnswer, RestAnswer } from './open-apis.ts'

const limits = { ...defaultLimits, depth: 0, cost: 0 }
/** Warnings of all starts. */
export const warned: string[] = []
/** No internal error is expected here. */
const loud: typeof silent = { ...silent, warn: (_facts, text) => warned.push(text), error: console.error }

export class ChangingService {
  readonly data: string
  readonly place: TestPlace
  readonly #schemaFile: string
  #service: Service

  private constructor(data: string, place: TestPlace, schemaFile: string, service: Service) {
    this.data = data
    this.place = place
    this.#schemaFile = schemaFile
    this.#service = service
  }

  /** `beside` another node: on its database. */
  static async open(
    sdl: string,
    beside: ChangingService | null = null,
    options: { allowBreaking?: boolean; events?: EventSettings } = {},
  ): Promise<ChangingService> {
    const data = await mkdtemp(join(tmpdir(), 'twain-versions-'))
    const place = beside === null ? await makeTestPlace(data) : { ...beside.place, drop: async () => {} }
    const schemaFile = join(data, 'schema.graphql')
    await writeFile(schemaFile, sdl)
    const service = await openService({ schemaFile, ...place.place, limits, log: loud, ...options })
    return new ChangingService(data, place, schemaFile, service)
  }

  /** Throws the reason when the schema is refused; the previous one is then still served. */
  async change(sdl: string): Promise<void> {
    await writeFile(this.#schemaFile, sdl)
    const reload = await this.#service.reload()
    if (reload.kind === 'rejected' || reload.kind === 'lost') throw reload.reason
  }

  /** Stops the service while this runs; then serves the same schema again. */
  async pause(work: () => Promise<unknown>): Promise<void> {
    await this.#service.close()
    await work()
    this.#service = await openService({ schemaFile: this.#schemaFile, ...this.place.place, limits, log: loud })
  }

  async rest(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<RestAnswer> {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const request = plainRequest(method, path, { headers: { host: 'localhost', ...type, ...headers }, ...sent })
    const reply = await this.#service.handle(request)
    const text = await bodyText(reply)
    const isJson = String(reply.headers['content-type']).includes('json')
    return { status: reply.status, headers: reply.headers, body: isJson ? JSON.parse(text) : text }
  }

  /** Follows a redirect. */
  async follow(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<RestAnswer> {
    const reply = await this.rest(method, path, body, headers)
    const isMoved = reply.status === 301 || reply.status === 308
    return isMoved ? this.rest(method, String(reply.headers.location), body, headers) : reply
  }

  async graphqlAnswer(query: string, variables: unknown = {}): Promise<GraphqlAnswer> {
    const { status, body } = await this.rest('POST', '/graphql', { query, variables })
    const { data = null, errors = [] } = body as { data?: GraphqlAnswer['data']; errors?: GraphqlAnswer['errors'] }
    return { status, data, errors }
  }

  /** The data of an answer without errors. */
  async graphql(query: string, variables: unknown = {}): Promise<Record<string, unknown>> {
    const { data, errors } = await this.graphqlAnswer(query, variables)
    if (errors.length > 0 || data === null) throw new Error(`${JSON.stringify(errors)}: ${query}`)
    return data
  }

  /** The data of the first events of a subscription. */
  async events(query: string, variables: unknown, count: number): Promise<unknown[]> {
    const headers = { host: 'localhost', 'content-type': 'application/json', accept: 'text/event-stream' }
    const body = JSON.stringify({ query, variables })
    const reply = await this.#service.handle(plainRequest('POST', '/graphql', { headers, body }))
    if (!isStream(reply.body)) throw new Error(`no stream: ${await bodyText(reply)}`)
    const found: unknown[] = []
    for await (const part of reply.body) {
      for (const [, text] of String(part).matchAll(/^data: (.+)$/gm)) found.push(JSON.parse(text!).data)
      if (found.length >= count) break
    }
    return found
  }

  /** A copy of everything as another service, in another folder. This service stops. */
  async copied(sdl: string): Promise<ChangingService> {
    await this.#service.close()
    const data = await mkdtemp(join(tmpdir(), 'twain-copied-'))
    const { database } = this.place.place
    const from =
      database === null
        ? { kind: 'folder' as const, folder: this.data }
        : { kind: 'database' as const, address: database }
    const to = join(data, 'data')
    await copyService(from, { kind: 'folder', folder: to }, 'move', () => {}, new AbortController().signal)
    const schemaFile = join(data, 'schema.graphql')
    await writeFile(schemaFile, sdl)
    const service = await openService({ schemaFile, data: to, limits, log: loud })
    const place = { ...this.place, drop: async () => {} }
    return new ChangingService(data, place, schemaFile, service)
  }

  async close(): Promise<void> {
    await this.#service.close()
    await this.place.drop()
    await rm(this.data, { recursive: true, force: true })
  }
}

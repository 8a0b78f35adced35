// A whole service on a port of this machine, on the tested store, and people who have signed in to it.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { defaultAuthSettings, makeKey, SignedTokens, SigningKeys } from '../../packages/twain/src/auth/index.ts'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { uuidv7 } from '../../packages/twain/src/base/index.ts'
import { type ListenOptions, listen } from '../../packages/twain/src/http/index.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { openCredentialStore } from '../../packages/twain/src/store/index.ts'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { makePreparedDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { until } from './until.ts'

type Options = Partial<Parameters<typeof openService>[0]> & {
  /** Options of the HTTP server. */
  listening?: Partial<ListenOptions>
  /** The text of `twain.config.ts`. */
  code?: string
}

export interface Person {
  id: string
  /** The id of the token. */
  session: string
  authorization: string
}

export class TestService {
  readonly address: string
  readonly service: Service
  readonly schemaFile: string
  readonly close: () => Promise<void>
  readonly #place: { data: string; database: string | null }

  private constructor(
    address: string,
    service: Service,
    schemaFile: string,
    close: () => Promise<void>,
    place: { data: string; database: string | null },
  ) {
    this.address = address
    this.service = service
    this.schemaFile = schemaFile
    this.close = close
    this.#place = place
  }

  /** `options.database` can be that of another node, to share its data. */
  static async open(t: Pick<TestContext, 'after'>, sdl: string, options: Options = {}): Promise<TestService> {
    const folder = await mkdtemp(join(tmpdir(), 'twain-events-'))
    const schemaFile = join(folder, 'schema.graphql')
    await writeFile(schemaFile, sdl)
    if (options.code !== undefined) await writeFile(join(folder, 'twain.config.ts'), options.code)
    const database = testedStore === 'postgres' && options.database === undefined ? await makePreparedDatabase() : null
    const service = await openService({
      schemaFile,
      data: folder,
      database: database?.address ?? null,
      poolSize: 4,
      limits: defaultLimits,
      log: silent,
      ...options,
    }).catch(async (error) => {
      await database?.drop()
      throw error
    })
    const server = await listen({
      handle: service.handle,
      sockets: service.sockets,
      host: '127.0.0.1',
      port: 0,
      body: 1_048_576,
      time: 30,
      log: silent,
      grace: { idle: 10, all: 2000 },
      ...options.listening,
    })
    let isOpen = true
    const close = async () => {
      if (!isOpen) return
      isOpen = false
      service.retire()
      await server.close()
      await service.close()
      await database?.drop()
      await rm(folder, { recursive: true, force: true })
    }
    t.after(close)
    const place = { data: options.data ?? folder, database: options.database ?? database?.address ?? null }
    return new TestService(`http://127.0.0.1:${server.port}`, service, schemaFile, close, place)
  }

  /** A token of the operator, as `twain token` prints one; valid for a month. */
  async operator(...roles: string[]): Promise<string> {
    const credentials = await openCredentialStore(this.#place)
    try {
      const keys = new SigningKeys(credentials, defaultAuthSettings, Date.now)
      return await new SignedTokens(keys, Date.now).signOperator(uuidv7(), roles, Date.now() + 30 * 86_400_000)
    } finally {
      await credentials.close()
    }
  }

  /** An API key, as `twain key` makes one. */
  async key(...roles: string[]): Promise<{ id: string; key: string; end(): Promise<void> }> {
    const credentials = await openCredentialStore(this.#place)
    try {
      const { id, key } = await makeKey(credentials, { name: null, roles }, Date.now())
      return {
        id,
        key,
        end: async () => {
          const again = await openCredentialStore(this.#place)
          await again.revokeKey(id, Date.now()).finally(() => again.close())
        },
      }
    } finally {
      await credentials.close()
    }
  }

  async send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const reply = await fetch(`${this.address}${path}`, { method, headers: { ...type, ...headers }, ...sent })
    const text = await reply.text()
    const isJson = reply.headers.get('content-type')?.includes('json') === true
    return { status: reply.status, headers: reply.headers, body: isJson ? JSON.parse(text) : text }
  }

  /** Waits until all changes so far are in the feed. On PostgreSQL the sequencer assigns their positions after the commit: until then
   *  a stream that starts with the next change gets them too. */
  async settle(): Promise<void> {
    if (this.#place.database === null) return
    const raw = connect(this.#place.database, { size: 1, time: 30 })
    try {
      await until(
        () => raw.query('SELECT 1 AS found FROM twain_change WHERE seq IS NULL LIMIT 1'),
        (rows) => rows.length === 0,
      )
    } finally {
      await raw.end()
    }
  }

  /** A request of the server itself: no rules apply. */
  async asSystem(method: string, path: string, body: object): Promise<{ status: number }> {
    const headers = { 'content-type': 'application/json' }
    return this.service.handleAsSystem(plainRequest(method, path, { headers, body: JSON.stringify(body) }))
  }

  /** The body of the answer to a request that must succeed. */
  async succeed(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const reply = await this.send(method, path, body, headers)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body
  }

  /** Signs up and in. The account type is `User` with `email`. */
  async signUp(name: string): Promise<Person> {
    const email = `${name}@example.org`
    const password = 'a long password'
    const { id } = await this.succeed('POST', '/users', { email, name, password })
    const { id: session, token } = await this.succeed('POST', '/tokens', { email, password })
    return { id, session, authorization: `Bearer ${token}` }
  }
}

/** All events of a stream that ends. */
export async function readAllEvents(reply: Response): Promise<{ id?: string; event?: string; data?: string }[]> {
  const output: Awaited<ReturnType<typeof readAllEvents>> = []
  for await (const one of readEvents(reply)) output.push(one)
  return output
}

/** The events of a stream, for as long as they are read. */
export async function* readEvents(reply: Response): AsyncGenerator<{ id?: string; event?: string; data?: string }> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of reply.body!) {
    text += decoder.decode(chunk, { stream: true })
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const fields: Record<string, string> = {}
      for (const line of text.slice(0, end).split('\n')) {
        const colon = line.indexOf(':')
        if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, '')
      }
      text = text.slice(end + 2)
      yield fields
    }
  }
}

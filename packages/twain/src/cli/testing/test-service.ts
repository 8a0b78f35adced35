// A service for tests: `twain dev` of a schema file, with its `twain.config.ts`, on a free port, with data of its own that is
// deleted at the end.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SignedTokens, SigningKeys } from '#auth'
import { type Log, openTracing, type Tracing, uuidv7 } from '#base'
import { bodyText, plainRequest } from '#base/http'
import { wallTime } from '#base/time'
import { type HttpServer, listen } from '#http'
import { Mailbox } from '#mail'
import { openService, type Service } from '#main'
import type { Field, Resource } from '#model'
import { openCredentialStore } from '#store'
import { addressOf } from '../report/banner.ts'
import { seed } from '../run-seed.ts'
import { readCommandLine } from '../settings/command-line.ts'
import { defaultSchema } from '../settings/default-schema.ts'
import { flagOf, type Settings } from '../settings/settings.ts'
import { TestViewer } from './test-viewer.ts'

export interface TestServiceOptions {
  /** A schema file, or a folder of them. Default: `schema.graphql` in the working directory, else the folder `schema`. */
  schema?: string
  /** A seed file, which fills the service. Default: none. */
  seed?: string
  /** The address of an empty PostgreSQL database or schema. Default: SQLite in a temporary folder. */
  database?: string
  /** Settings by their names: `{ 'limits.depth': 6 }`. They override those of `twain.config.ts`. */
  settings?: Readonly<Record<string, string | number | boolean>>
  /** Called with warnings and errors. Default: they are written to stderr. */
  log?: (message: string) => void
}

/** The clock of a service: tokens, sessions and signatures of files end by it. Rows and changes have the real time. */
export interface TestClock {
  /** Moves the clock forward. */
  advance(seconds: number): void
}

const operatorTokenMs = 10 * 365 * 86_400_000

/** Throws if the schema file or a setting has mistakes. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), 'twain-test-'))
  try {
    const schemaFile = options.schema ?? defaultSchema()
    const settings = await readTestSettings(schemaFile, folder, options)
    let offsetMs = 0
    const clock = () => wallTime() + offsetMs
    const log = logOf(options.log ?? ((message) => process.stderr.write(`${message}\n`)))
    const denials = { inAnswer: true }
    const tracing = await openTracing(log)
    const { slowQueryMs } = settings.log
    const mailbox = new Mailbox()
    const opening = { ...settings, mailbox, schemaFile, log, allowBreaking: true, denials, clock, tracing, slowQueryMs }
    const service = await openService(opening)
    try {
      if (options.seed !== undefined) await seed(options.seed, service)
      const server = await listenFor(service, settings, log, tracing)
      mailbox.origin = addressOf(server)
      const advance = (seconds: number) => {
        offsetMs += seconds * 1000
      }
      return new TestService({ service, server, settings, folder, clock: { advance }, now: clock })
    } catch (error) {
      await service.close()
      throw error
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

interface RunningService {
  service: Service
  server: HttpServer
  settings: Settings
  /** The folder of the data. */
  folder: string
  clock: TestClock
  now: () => number
}

export class TestService {
  /** `http://127.0.0.1:PORT`, with `http.basePath`. */
  readonly address: string
  readonly clock: TestClock
  /** A viewer without a token. */
  readonly anonymous: TestViewer
  readonly #running: RunningService
  readonly #people = new Map<string, Promise<TestViewer>>()
  #isOpen = true

  constructor(running: RunningService) {
    this.#running = running
    this.address = addressOf(running.server) + (running.settings.http.basePath ?? '')
    this.clock = running.clock
    this.anonymous = new TestViewer(this.address, null, null)
  }

  /** A person who has signed in. The first call with a name creates the account, with this login and with values for its
   *  required fields; `fields` sets others. */
  as(name: string, fields: Readonly<Record<string, unknown>> = {}): Promise<TestViewer> {
    const known = this.#people.get(name)
    if (known !== undefined) return known
    const person = this.#signUp(name, fields)
    this.#people.set(name, person)
    return person
  }

  /** An operator with these roles, as of `twain token --role ROLE`. */
  async operator(...roles: readonly string[]): Promise<TestViewer> {
    const { settings, now } = this.#running
    const credentials = await openCredentialStore(settings)
    try {
      const keys = new SigningKeys(credentials, settings.auth, now)
      const token = await new SignedTokens(keys, now).signOperator(uuidv7(), roles, now() + operatorTokenMs)
      return new TestViewer(this.address, token, null)
    } finally {
      await credentials.close()
    }
  }

  /** Stops the service and deletes its data. */
  async close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    const { service, server, folder } = this.#running
    service.retire()
    await server.close()
    await service.close()
    await rm(folder, { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #signUp(name: string, fields: Readonly<Record<string, unknown>>): Promise<TestViewer> {
    const { account } = this.#running.service.model
    if (account === null) throw new Error('The schema has no account type (@account): nobody can sign in.')
    const { resource, login } = account
    const password = `the password of ${name}`
    const given = { ...requiredFields(resource, name), [login.name]: loginOf(login, name), ...fields, password }
    const made = await this.#asSystem('POST', `/${resource.path}`, given)
    const credentials = { [login.name]: (given as Record<string, unknown>)[login.name], password }
    const signedIn = await this.anonymous.post('/tokens', credentials)
    if (signedIn.status !== 201) throw new Error(`${name} can't sign in: ${JSON.stringify(signedIn.body)}`)
    return new TestViewer(this.address, signedIn.body.token, made.id)
  }

  async #asSystem(method: string, path: string, body: object): Promise<{ id: string }> {
    const headers = { 'content-type': 'application/json', accept: 'application/json' }
    const request = plainRequest(method, path, { headers, body: JSON.stringify(body) })
    const reply = await this.#running.service.handleAsSystem(request)
    const text = await bodyText(reply)
    if (reply.status >= 300) throw new Error(`${method} ${path} was refused: ${text}`)
    return JSON.parse(text) as { id: string }
  }
}

/** As `twain dev` reads them. */
async function readTestSettings(
  schemaFile: string,
  folder: string,
  { database, settings = {} }: TestServiceOptions,
): Promise<Settings> {
  const place = database === undefined ? {} : { database }
  const flags = Object.entries({ data: folder, ...place, ...settings })
  const argv = ['dev', schemaFile, ...flags.map(([name, value]) => `--${flagOf(name)}=${value}`)]
  const line = await readCommandLine(argv, {})
  if (line.kind === 'run') return line.settings
  throw new Error(line.kind === 'mistakes' ? line.mistakes.join('\n') : `twain ${argv.join(' ')}`)
}

function listenFor(
  service: Service,
  { limits, http }: Settings,
  log: Log,
  tracing: Tracing | null,
): Promise<HttpServer> {
  return listen({
    handle: service.handle,
    sockets: service.sockets,
    host: '127.0.0.1',
    port: 0,
    checksHost: true,
    body: limits.bodyBytes,
    time: limits.timeSeconds,
    log,
    http,
    tracing,
    grace: { idle: 10, all: 2000 },
  })
}

function logOf(write: (message: string) => void): Log {
  const report = (fields: object, message: string) => write(`${message} ${JSON.stringify(fields)}`)
  return { info() {}, warn: report, error: report }
}

function loginOf({ name }: Field, person: string): string {
  return /mail/i.test(name) ? `${person}@example.org` : person
}

/** Texts that the account needs: the name of the person. */
function requiredFields({ fields }: Resource, person: string): Record<string, string> {
  const missing = [...fields.values()].filter(isPlainText)
  return Object.fromEntries(missing.map(({ name }) => [name, person]))
}

function isPlainText(field: Field): boolean {
  if (field.kind !== 'stored' || !field.required || field.default !== undefined || field.auto !== null) return false
  return field.type.kind === 'scalar' && field.type.name === 'String'
}

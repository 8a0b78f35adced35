// A schema with data migrations and data, on the tested store, from which services are opened one after another.

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { bodyText, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { run } from '../../packages/twain/src/cli/cli.ts'
import { defaultWebhookSettings } from '../../packages/twain/src/events/index.ts'
import { openService, readCodedSchema, type Service, type ServiceOptions } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { makeEmptyPlace } from '../../packages/twain/src/store/test-place.fixture.ts'
import { until } from './until.ts'

export class Project {
  readonly folder: string
  readonly logged: string[] = []
  readonly #place: Awaited<ReturnType<typeof makeEmptyPlace>>
  #open: Service | null = null

  private constructor(folder: string, place: Awaited<ReturnType<typeof makeEmptyPlace>>) {
    this.folder = folder
    this.#place = place
  }

  static async make(t: TestContext, sdl: string): Promise<Project> {
    const folder = await mkdtemp(join(tmpdir(), 'twain-data-migrations-'))
    await mkdir(join(folder, 'migrations'))
    const project = new Project(folder, await makeEmptyPlace(folder))
    await project.write('schema.graphql', sdl)
    t.after(async () => {
      await project.#open?.close()
      await project.#place.drop()
      await rm(folder, { recursive: true, force: true })
    })
    return project
  }

  async write(file: string, text: string): Promise<void> {
    await writeFile(join(this.folder, file), text)
  }

  options(): ServiceOptions {
    const note = (facts: object, text: string) => this.logged.push(`${text} ${JSON.stringify(facts)}`)
    const log = { ...silent, info: note, warn: note, error: console.error }
    const schemaFile = join(this.folder, 'schema.graphql')
    const webhooks = { ...defaultWebhookSettings, allowPrivate: true }
    return { schemaFile, ...this.#place.place, limits: defaultLimits, log, allowBreaking: true, poolSize: 4, webhooks }
  }

  /** The flags of a command that name the data. */
  get flags(): string[] {
    return this.#place.flags
  }

  /** Runs a command of `twain` on the schema. */
  async twain(name: string, ...flags: string[]): Promise<{ code: number; out: string; err: string }> {
    let [out, err] = ['', '']
    const code = await run([name, join(this.folder, 'schema.graphql'), ...flags], {
      env: {},
      out: (text) => (out += text),
      err: (text) => (err += text),
      colours: { out: false, err: false },
      stop: new AbortController().signal,
    })
    return { code, out, err }
  }

  /** Closes the service that was open. */
  async start(): Promise<Service> {
    await this.close()
    this.#open = await openService(this.options())
    return this.#open
  }

  async close(): Promise<void> {
    await this.#open?.close()
    this.#open = null
  }

  /** What `twain migrate --dry-run` plans with. */
  async planned() {
    const { schemaFile, data, log } = this.options()
    const { database } = this.#place.place
    return {
      schema: await readCodedSchema(schemaFile),
      place: { data, database: database ?? null, allowBreaking: true, drop: false, log },
    }
  }

  /** The message of a start that is refused. */
  async refusal(): Promise<string> {
    const error = await this.start().then(
      () => assert.fail('it started'),
      (reason: Error) => reason,
    )
    assert.equal(error.name, 'StartRefused', error.stack)
    return error.message
  }

  async reload(): Promise<string> {
    return (await this.#open!.reload()).kind
  }

  /** Without a token: as the server itself. */
  async send(
    method: string,
    target: string,
    body?: unknown,
    token: { authorization?: string } = {},
  ): Promise<{ status: number; body: unknown }> {
    const headers = { host: 'localhost', accept: '*/*', 'content-type': 'application/json', ...token }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const { handle, handleAsSystem } = this.#open!
    const request = plainRequest(method, target, { headers, ...sent })
    const reply = await (token.authorization === undefined ? handleAsSystem(request) : handle(request))
    const text = await bodyText(reply)
    return { status: reply.status, body: text === '' ? null : JSON.parse(text) }
  }

  async makePosts(count: number): Promise<void> {
    for (let n = 1; n <= count; n++) {
      const id = `p${String(n).padStart(3, '0')}`
      const { status } = await this.send('PUT', `/posts/${id}`, { title: `Title ${n}` })
      assert.equal(status, 201)
    }
  }

  async values(field: string, path = '/posts'): Promise<unknown[]> {
    const { status, body } = await this.send('GET', `${path}?limit=100`)
    assert.equal(status, 200, JSON.stringify(body))
    return (body as Record<string, unknown>[]).map((row) => row[field])
  }

  /** The entries of the change log that a migration made, when there are so many. */
  async entries(count: number): Promise<{ by: string; via?: string }[]> {
    const own = async () => {
      const { body } = await this.send('GET', '/changes?first=100')
      const { edges } = body as { edges: { node: { by: string; via?: string } }[] }
      return edges.map(({ node }) => node).filter(({ by }) => by?.startsWith('migration:'))
    }
    return until(own, (found) => found.length >= count)
  }
}

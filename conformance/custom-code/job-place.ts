// A schema with jobs in a folder and a database of their own, for services that run one after another or side by side. The jobs call
// the function that the test sets.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bodyText, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { run } from '../../packages/twain/src/cli/cli.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { makeTestPlace } from '../../packages/twain/src/store/test-place.fixture.ts'

export interface JobContext {
  job: { id: string; name: string; key: string | null; attempt: number }
  signal: AbortSignal
  enqueue(name: string, payload?: unknown, options?: object): Promise<string>
  system: { write: Record<string, { create(input: object): Promise<{ id: string }> }> }
}

export type RunJob = (payload: unknown, context: JobContext) => unknown

/** The config file is a module of its own, and calls this global function. */
const running = globalThis as typeof globalThis & { runJob?: RunJob }

type Options = Partial<Parameters<typeof openService>[0]>

export class JobPlace {
  readonly #folder: string
  readonly #place: Pick<Options, 'database' | 'poolSize'> & { data: string }
  readonly #flags: readonly string[]
  readonly #services: JobService[] = []

  private constructor(
    folder: string,
    place: Pick<Options, 'database' | 'poolSize'> & { data: string },
    flags: readonly string[],
  ) {
    this.#folder = folder
    this.#place = place
    this.#flags = flags
  }

  static async make(t: TestContext, sdl: string, code: string): Promise<JobPlace> {
    const folder = mkdtempSync(join(tmpdir(), 'twain-jobs-'))
    const { place, flags, drop } = await makeTestPlace(join(folder, 'data'))
    const jobs = new JobPlace(folder, place, flags)
    writeFileSync(join(folder, 'schema.graphql'), sdl)
    jobs.setCode(code)
    t.after(async () => {
      for (const service of jobs.#services) await service.close()
      delete running.runJob
      await drop()
      rmSync(folder, { recursive: true })
    })
    return jobs
  }

  setCode(code: string): void {
    writeFileSync(join(this.#folder, 'twain.config.ts'), code)
  }

  /** Runs `twain` on these data. */
  async command(...args: string[]): Promise<{ code: number; out: string; err: string }> {
    const said = { out: '', err: '' }
    const code = await run([...args, ...this.#flags], {
      env: {},
      out: (text: string) => (said.out += text),
      err: (text: string) => (said.err += text),
      colours: { out: false, err: false },
      stop: new AbortController().signal,
    })
    return { code, ...said }
  }

  async open(runJob: RunJob | null = null, options: Options = {}): Promise<JobService> {
    if (runJob !== null) running.runJob = runJob
    const schemaFile = join(this.#folder, 'schema.graphql')
    const service = await openService({ schemaFile, ...this.#place, limits: defaultLimits, log: silent, ...options })
    const opened = new JobService(service)
    this.#services.push(opened)
    return opened
  }
}

export class JobService {
  readonly service: Service
  #closing: Promise<void> | null = null

  constructor(service: Service) {
    this.service = service
  }

  async send(method: string, path: string, body?: unknown, more: Record<string, string> = {}, asSystem = false) {
    const headers = { 'content-type': 'application/json', ...more }
    const sent = body === undefined ? { headers } : { headers, body: JSON.stringify(body) }
    const handle = asSystem ? this.service.handleAsSystem : this.service.handle
    const reply = await handle(plainRequest(method, path, sent))
    const text = await bodyText(reply)
    const isJson = /json/.test(String(reply.headers['content-type']))
    return { status: reply.status, headers: reply.headers, body: isJson ? JSON.parse(text) : text || null }
  }

  async succeed(method: string, path: string, body?: unknown) {
    const reply = await this.send(method, path, body)
    assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body
  }

  close(): Promise<void> {
    this.#closing ??= this.service.close()
    return this.#closing
  }
}

export async function awaitThat(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await holds())) {
    assert.ok(performance.now() < end, `it never held: ${holds}`)
    await sleep(10)
  }
}

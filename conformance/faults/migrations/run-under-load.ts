// A schema change that adds a field with a default and an index to existing rows, while clients read and write. No request may fail.
// On PostgreSQL, where nodes restart in turn, latency may hardly change. On SQLite the one server swaps its schema: requests wait for
// it, and the log estimates beforehand how long.

import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../../../packages/twain/src/base/index.ts'
import { listen } from '../../../packages/twain/src/http/index.ts'
import { openService } from '../../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../../packages/twain/src/plan/index.ts'
import { makeTestDatabase } from '../../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { ServerProcess } from '../../harness/server-process.ts'

const before = `type Post @allow { id: ID!, title: String! @index, body: String! }\n`
const after = before.replace('body: String!', 'body: String!, kind: String! @default(value: "plain") @index')

/** Rows that one statement inserts, within the statement timeout. */
const portion = 50_000

export interface MigrationLoad {
  rows: number
  clients: number
  /** Milliseconds that each client pauses after an answer. */
  pause: number
  /** Seconds that are measured before and after the change. */
  beside: number
  /** Seconds that the change may take. */
  maxSeconds: number
}

export interface MigrationOutcome {
  /** Failures, at most ten of each kind. */
  failed: string[]
  answered: { before: number; during: number; after: number }
  /** Milliseconds. */
  p99: { before: number; during: number; after: number }
  worst: number
  /** Seconds that the change took. */
  took: number
  /** Rows that do not have the default afterwards, found by the index; 0 is right. */
  without: number
  /** Estimates that the log had beforehand. */
  estimates: string[]
}

export async function migrateOnPostgres(loaded: MigrationLoad): Promise<MigrationOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'twain-loaded-'))
  const database = await makeTestDatabase()
  const start = async (sdl: string) => {
    const file = join(folder, `schema-${sdl.length}.graphql`)
    writeFileSync(file, sdl)
    return ServerProcess.start(file, folder, ['--database', database.address], undefined, {}, loaded.maxSeconds)
  }
  const servers: ServerProcess[] = []
  try {
    const old = await start(before)
    servers.push(old)
    for (let from = 1; from <= loaded.rows; from += portion) {
      await database.raw.query(
        `INSERT INTO "Post" (id, _version, title, body) SELECT 'p' || lpad(n::text, 9, '0'), 1, ` +
          `'Title ' || (n::bigint * 7919 % 1000003), repeat('x', 200) ` +
          `FROM generate_series(${from}, ${Math.min(loaded.rows, from + portion - 1)}) AS n`,
      )
    }
    await database.raw.query('ANALYZE "Post"')
    const load = new Load(old.address, loaded)
    const took = await load.during(async () => {
      servers.push(await start(after))
    })
    return { ...(await load.end()), took, without: await withoutDefault(servers[1]!.address), estimates: [] }
  } finally {
    for (const server of servers) await server.stop()
    await database.drop()
    rmSync(folder, { recursive: true })
  }
}

export async function migrateOnSqlite(loaded: MigrationLoad): Promise<MigrationOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'twain-loaded-'))
  const schemaFile = join(folder, 'schema.graphql')
  const estimates: string[] = []
  const log: Log = { info: (_, sentence) => void estimates.push(sentence), warn() {}, error() {} }
  const options = { schemaFile, data: folder, limits: defaultLimits, log }
  writeFileSync(schemaFile, before)
  await (await openService(options)).close()
  const file = new DatabaseSync(join(folder, 'twain.db'))
  file.exec(`
    PRAGMA synchronous = OFF; BEGIN;
    WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < ${loaded.rows})
    INSERT INTO Post (_n, id, _version, title, body)
    SELECT n, printf('p%09d', n), 1, 'Title ' || (n * 7919 % 1000003), printf('%.200c', 'x') FROM i;
    COMMIT`)
  file.close()
  const service = await openService(options)
  const time = loaded.maxSeconds
  const server = await listen({ handle: service.handle, host: '127.0.0.1', port: 0, body: 1_048_576, time, log })
  try {
    const load = new Load(`http://127.0.0.1:${server.port}`, loaded)
    const took = await load.during(async () => {
      writeFileSync(schemaFile, after)
      const reload = await service.reload()
      if (reload.kind !== 'swapped') throw new Error(`the schema was ${reload.kind}`)
    })
    const outcome = await load.end()
    return { ...outcome, took, without: await withoutDefault(`http://127.0.0.1:${server.port}`), estimates }
  } finally {
    service.retire()
    await server.close()
    await service.close()
    rmSync(folder, { recursive: true })
  }
}

async function withoutDefault(address: string): Promise<number> {
  const reply = await fetch(`${address}/posts?kind[ne]=plain&limit=0`, { headers: { prefer: 'count=exact' } })
  if (reply.status !== 200) throw new Error(`rows can't be counted: ${reply.status}`)
  return Number(reply.headers.get('x-total-count'))
}

type Phase = 'before' | 'during' | 'after'

/** Clients that read a row, read a page and write, in turn, over keep-alive connections. */
class Load {
  readonly #agent: Agent
  readonly #address: string
  readonly #loaded: MigrationLoad
  readonly #failed: string[] = []
  readonly #times: Record<Phase, number[]> = { before: [], during: [], after: [] }
  readonly #clients: Promise<void>[]
  #phase: Phase | null = null
  #isOver = false

  constructor(address: string, loaded: MigrationLoad) {
    this.#address = address
    this.#loaded = loaded
    this.#agent = new Agent({ keepAlive: true, maxSockets: loaded.clients })
    this.#clients = Array.from({ length: loaded.clients }, (_, number) => this.#client(number))
  }

  /** Returns the seconds that the change took. Requests that were sent or answered meanwhile count as during it. */
  async during(change: () => Promise<void>): Promise<number> {
    await pause(this.#loaded.beside * 500) // everything is warm then
    this.#phase = 'before'
    await pause(this.#loaded.beside * 1000)
    this.#phase = 'during'
    const began = performance.now()
    await change()
    const took = (performance.now() - began) / 1000
    this.#phase = 'after'
    await pause(this.#loaded.beside * 1000)
    return took
  }

  async end(): Promise<Pick<MigrationOutcome, 'failed' | 'answered' | 'p99' | 'worst'>> {
    this.#isOver = true
    await Promise.all(this.#clients)
    this.#agent.destroy()
    const { before, during, after } = this.#times
    return {
      failed: this.#failed,
      answered: { before: before.length, during: during.length, after: after.length },
      p99: { before: percentile(before), during: percentile(during), after: percentile(after) },
      worst: Math.max(...during),
    }
  }

  async #client(number: number): Promise<void> {
    for (let turn = number; !this.#isOver; turn++) {
      const id = `p${String(1 + ((turn * 7919 + number * 104_729) % this.#loaded.rows)).padStart(9, '0')}`
      await this.#ask(...this.#questionOf(turn, id, number))
      await pause(this.#loaded.pause)
    }
  }

  #questionOf(turn: number, id: string, number: number): [string, string, unknown?] {
    switch (turn % 10) {
      case 0:
        return ['PATCH', `/posts/${id}`, { body: `changed by ${number} in turn ${turn}` }]
      case 1:
        return ['POST', '/posts', { title: `New ${number} ${turn}`, body: 'new' }]
      case 2:
      case 3:
        return ['GET', '/posts?sort=title&limit=20']
      default:
        return ['GET', `/posts/${id}`]
    }
  }

  async #ask(method: string, path: string, body?: unknown): Promise<void> {
    const [phase, began] = [this.#phase, performance.now()]
    try {
      const status = await this.#send(method, path, body)
      if (status >= 400) this.#fail(`${method} ${path}: ${status}`)
      const counted = phase === 'before' && this.#phase !== 'before' ? 'during' : phase
      if (counted !== null) this.#times[counted].push(performance.now() - began)
    } catch (error) {
      this.#fail(`${method} ${path}: ${(error as Error).message}`)
    }
  }

  #fail(what: string): void {
    this.#failed.push(what)
  }

  async #send(method: string, path: string, body: unknown): Promise<number> {
    const headers = { 'content-type': 'application/json' }
    const sent = request(`${this.#address}${path}`, { method, agent: this.#agent, headers })
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    const [reply] = await once(sent, 'response')
    for await (const _ of reply);
    return reply.statusCode
  }
}

function percentile(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
}

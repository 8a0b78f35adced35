// A delete with 30,000 rows behind it (docs/reference/schema.md, "Large deletes"): others write meanwhile, the server is killed in
// the middle and started again. Each row goes once, with one event.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { makeTestDatabase, type TestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { MachineDelay } from '../harness/machine-delay.ts'
import { ServerProcess } from '../harness/server-process.ts'

const sdl = `
type Team @allow { id: ID! name: String }
type Member @allow { id: ID! team: Team! @relation(onDelete: CASCADE) }
type Other @allow { id: ID! text: String }
`

const members = 30_000
/** How long a write of somebody else may wait. */
const maxWaitMs = 1000
const portionsBeforeKill = 5

describe('a delete of 30,000 rows', { concurrency: true }, () => {
  for (const store of ['SQLite', 'PostgreSQL'] as const) {
    test(`holds up nobody, and goes on after a kill, on ${store}`, { timeout: 400_000 }, async (t) => {
      const database = store === 'SQLite' ? null : await makeTestDatabase()
      const folder = await mkdtemp(join(tmpdir(), 'twain-large-delete-'))
      const schemaFile = join(folder, 'schema.graphql')
      const data = join(folder, 'data')
      await writeFile(schemaFile, sdl)
      const more = database === null ? [] : ['--database', database.address]
      const server = await ServerProcess.start(schemaFile, data, [...more, '--log-requests', 'false'])
      t.after(async () => {
        await server.kill()
        await database?.drop()
        await rm(folder, { recursive: true })
      })
      await server.stop()
      const rows = new StoredRows(data, database)
      await rows.insert()
      await server.startAgain()
      await writeOther(server.address) // the first write after a start also waits for the writer thread

      const beginning = await MachineDelay.beside(
        () => fetch(`${server.address}/healthz`),
        async (lateness) => {
          const writer = new OtherWriter(server.address, lateness)
          assert.equal((await remove(server)).status, 409)
          const begun = await remove(server, { prefer: 'respond-async' })
          while ((await portionsOf(server)) < portionsBeforeKill) await pause(10)
          const worst = await writer.stop()
          assert.ok(worst < maxWaitMs, `a write waited for ${Math.round(worst)} ms`)
          t.diagnostic(`${store}: the longest wait of another write was ${Math.round(worst)} ms`)
          return begun.status
        },
      )
      assert.equal(beginning, 202)
      await server.kill()
      assert.ok((await rows.count(`SELECT count(*) AS n FROM "Member"`)) > 0)
      await server.startAgain()
      assert.equal((await fetch(`${server.address}/teams/t1`)).status, 404)
      assert.deepEqual(await (await fetch(`${server.address}/members`)).json(), [])
      while (!server.output.includes('a delete in the background is complete')) await pause(20)
      await server.stop()
      assert.equal(await rows.count(`SELECT count(*) AS n FROM "Member"`), 0)
      assert.equal(await rows.count(`SELECT count(*) AS n FROM "Team"`), 0)
      const events = `FROM twain_change WHERE kind = 'deleted'`
      assert.equal(await rows.count(`SELECT count(*) AS n ${events}`), members + 1)
      assert.equal(await rows.count(`SELECT count(DISTINCT id) AS n ${events}`), members + 1)
    })
  }
})

function remove({ address }: ServerProcess, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${address}/teams/t1`, { method: 'DELETE', headers })
}

async function portionsOf({ address }: ServerProcess): Promise<number> {
  const text = await (await fetch(`${address}/metrics`)).text()
  return Number(/^twain_background_delete_portions_total (\d+)$/m.exec(text)?.[1])
}

async function writeOther(address: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const { status } = await fetch(`${address}/others`, { method: 'POST', headers, body: '{"text": "x"}' })
  assert.equal(status, 201)
}

/** Somebody else, who writes all the time. */
class OtherWriter {
  readonly #running: Promise<number>
  #isOver = false

  constructor(address: string, lateness: MachineDelay) {
    this.#running = this.#write(address, lateness)
  }

  /** The longest wait in milliseconds, less what the machine itself took for an echo meanwhile. */
  stop(): Promise<number> {
    this.#isOver = true
    return this.#running
  }

  async #write(address: string, lateness: MachineDelay): Promise<number> {
    let worst = 0
    while (!this.#isOver) {
      const began = performance.now()
      await writeOther(address)
      const ended = performance.now()
      worst = Math.max(worst, ended - began - lateness.within(began, ended))
      await pause(5)
    }
    return worst
  }
}

/** The rows as the database stores them, while no server runs on SQLite. */
class StoredRows {
  readonly #file: string
  readonly #database: TestDatabase | null

  constructor(data: string, database: TestDatabase | null) {
    this.#file = join(data, 'twain.db')
    this.#database = database
  }

  async insert(): Promise<void> {
    const numbers =
      this.#database === null
        ? `WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${members}) SELECT 'm' || n, 1, 't1' FROM s`
        : `SELECT 'm' || n, 1, 't1' FROM generate_series(1, ${members}) AS s(n)`
    await this.#run(`INSERT INTO "Team" (id, _version) VALUES ('t1', 1)`)
    await this.#run(`INSERT INTO "Member" (id, _version, team) ${numbers}`)
  }

  async count(sql: string): Promise<number> {
    return Number((await this.#run(sql))[0]!.n)
  }

  async #run(sql: string): Promise<Record<string, unknown>[]> {
    if (this.#database !== null) return this.#database.raw.query(sql)
    const database = new DatabaseSync(this.#file)
    try {
      return database.prepare(sql).all()
    } finally {
      database.close()
    }
  }
}

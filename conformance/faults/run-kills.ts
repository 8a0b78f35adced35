// Durability under SIGKILL: 16 writers over HTTP, a server that is killed at random moments and started again.
//
// 1. Acknowledged writes are there afterwards: a created row, the last acknowledged value of an updated one; a deleted row stays
//    deleted.
// 2. A write that was in progress when the server died may be there or not, but never in part.
// 3. The file is intact, and the change log agrees with the rows.

import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { ServerProcess } from '../harness/server-process.ts'

const sdl = `
type Entry @allow {
  id: ID!
  writer: Int!
  number: Int!
  text: String!
  marks: [Mark!]!
}
type Mark @allow { id: ID! name: String! entries: [Entry!]! }
`
const writers = 16

export interface KillReport {
  kills: number
  acknowledged: number
  /** Writes that had no answer when the server died. */
  underWay: number
}

export async function runKills(kills: number, report: (line: string) => void = () => {}): Promise<KillReport> {
  const folder = await mkdtemp(join(tmpdir(), 'twain-kills-'))
  const [schemaFile, data] = [join(folder, 'schema.graphql'), join(folder, 'data')]
  await writeFile(schemaFile, sdl)
  const ledger = new Ledger()
  let server = await ServerProcess.start(schemaFile, data)
  try {
    const mark = await post(server.address, '/marks', { name: 'kept' })
    for (let kill = 1; kill <= kills; kill++) {
      const abort = new AbortController()
      const writing = Array.from({ length: writers }, (_, writer) =>
        write(server.address, writer, mark, ledger, abort.signal),
      )
      const before = ledger.acknowledged
      await pause(30 + Math.random() * 370)
      for (let waits = 0; ledger.acknowledged < before + writers && waits < 6000; waits++) await pause(5) // a busy machine
      await server.kill()
      abort.abort()
      await Promise.all(writing)
      server = await ServerProcess.start(schemaFile, data)
      await checkRows(server.address, ledger)
      await checkFile(data)
      report(`kill ${kill}: ${ledger.acknowledged} acknowledged writes are there`)
    }
  } finally {
    await server.stop()
    await rm(folder, { recursive: true })
  }
  return { kills, acknowledged: ledger.acknowledged, underWay: ledger.underWay }
}

/** What the writers know from the answers. */
class Ledger {
  acknowledged = 0
  underWay = 0
  /** The values that a row may have now: the acknowledged one, and one more that had no answer. Null: deleted. */
  readonly rows = new Map<string, Set<number | null>>()

  /** `number` is what the write sets, or null for a delete. */
  async during(id: string, number: number | null, act: () => Promise<unknown>): Promise<void> {
    const possible = this.rows.get(id) ?? new Set()
    this.rows.set(id, new Set([...possible, number]))
    this.underWay++
    await act()
    this.underWay--
    this.acknowledged++
    this.rows.set(id, new Set([number]))
  }

  /** After the restart a row has one value, which is known from then on. */
  settle(id: string, number: number | null): void {
    this.rows.set(id, new Set([number]))
  }
}

/** Creates, updates and deletes its own rows until the server is killed. */
async function write(
  address: string,
  writer: number,
  mark: string,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<void> {
  try {
    for (let number = 0; !signal.aborted; number += 2) {
      ledger.underWay++
      const text = `entry ${number} of writer ${writer} `.repeat(1 + (number % 40))
      const id = await post(address, '/entries', { writer, number, text, marks: [mark] }, signal)
      ledger.underWay--
      ledger.acknowledged++
      ledger.rows.set(id, new Set([number]))
      if (number % 3 === 1)
        await ledger.during(id, number + 1, () =>
          send(address, 'PATCH', `/entries/${id}`, { number: number + 1 }, signal),
        )
      if (number % 5 === 4)
        await ledger.during(id, null, () => send(address, 'DELETE', `/entries/${id}`, undefined, signal))
    }
  } catch (error) {
    if (error instanceof Refused) throw error // the server refused it, which a kill does not cause
  }
}

async function checkRows(address: string, ledger: Ledger): Promise<void> {
  const present = new Map<string, number>()
  for (let after = ''; ; ) {
    const path = `/entries?first=100&fields=id,number${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`
    const page = (await send(address, 'GET', path)) as {
      edges: { node: { id: string; number: number } }[]
      pageInfo: { hasNextPage: boolean; endCursor: string }
    }
    for (const { node } of page.edges) present.set(node.id, node.number)
    if (!page.pageInfo.hasNextPage) break
    after = page.pageInfo.endCursor
  }
  for (const [id, possible] of ledger.rows) {
    const number = present.get(id) ?? null
    assert.ok(possible.has(number), `row ${id} has ${number}, and must have one of ${[...possible]}`)
    ledger.settle(id, number)
  }
  // Rows whose create was in progress are known from now on.
  for (const [id, number] of present) ledger.settle(id, number)
}

/** Reads the file beside the running server: a read connection is no second server. */
async function checkFile(data: string): Promise<void> {
  const database = new DatabaseSync(join(data, await databaseFile(data)), { readOnly: true })
  try {
    assert.deepEqual(
      database
        .prepare('PRAGMA integrity_check')
        .all()
        .map((row) => ({ ...row })),
      [{ integrity_check: 'ok' }],
    )
    assert.deepEqual(database.prepare('PRAGMA foreign_key_check').all(), [])
    // Every row equals its last change, and every row whose last change is a delete is deleted.
    const disagree = database.prepare(`
      WITH last AS (SELECT id, kind, version, after, max(seq) FROM twain_change WHERE resource = 'Entry' GROUP BY id)
      SELECT coalesce(last.id, Entry.id) AS id, last.kind, last.version, Entry._version
      FROM last FULL JOIN Entry ON Entry.id = last.id
      WHERE (last.kind LIKE '%delete%') IS NOT (Entry.id IS NULL)
         OR (Entry.id IS NOT NULL AND (Entry._version IS NOT last.version OR Entry.number IS NOT last.after ->> '$.number'))`)
    assert.deepEqual(disagree.all(), [], 'the change log agrees with the rows')
    const gaps = database.prepare(`
      SELECT id FROM twain_change WHERE resource = 'Entry' GROUP BY id HAVING count(*) <> max(version) - min(version) + 1`)
    assert.deepEqual(gaps.all(), [], 'the change log has every version of each row once')
  } finally {
    database.close()
  }
}

async function databaseFile(data: string): Promise<string> {
  for (const file of await readdir(data)) {
    if (!/\.(db|sqlite)$/.test(file)) continue
    const database = new DatabaseSync(join(data, file), { readOnly: true })
    const found = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'twain_change'").get()
    database.close()
    if (found !== undefined) return file
  }
  throw new Error(`no database with a change log in ${data}`)
}

class Refused extends Error {}

async function post(address: string, path: string, body: object, signal?: AbortSignal): Promise<string> {
  return ((await send(address, 'POST', path, body, signal)) as { id: string }).id
}

async function send(
  address: string,
  method: string,
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<unknown> {
  const reply = await fetch(`${address}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
    signal: signal ?? null,
  })
  const text = await reply.text()
  if (!reply.ok) throw new Refused(`${method} ${path}: ${reply.status} ${text}`)
  return text === '' ? null : JSON.parse(text)
}

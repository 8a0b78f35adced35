// A database for one test, on the server of `TWAIN_TEST_POSTGRES`, or on one that starts with the first test of a file:
//
// - an empty one is a schema of its own, which takes a millisecond.
// - one with Twain's own tables is a copy of a template. On a file system in memory (`scripts/memory-folder.ts`) that takes a quarter of
//   the CPU time of making the tables: they are dozens, with as many indexes.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { uuidv7 } from '#base'
import { connect, type Database } from './connect/connect.ts'
import { reserveSession } from './connect/reserve-session.ts'
import { foldFunction } from './fold-function.ts'
import { makeSystemObjects } from './migrate/migrate.ts'
import { systemTables } from './migrate/tables.ts'

export interface TestDatabase {
  address: string
  /** Reads and writes without the store. */
  raw: Database
  drop(): Promise<void>
}

export async function makeTestDatabase(): Promise<TestDatabase> {
  const server = await testServer()
  const schema = `test_${uuidv7().replaceAll('-', '_')}`
  const address = new URL(server)
  address.searchParams.set('search_path', schema)
  const raw = connect(address.href, { size: 1, time: 30 })
  await raw.query(`CREATE SCHEMA ${schema}`)
  return {
    address: address.href,
    raw,
    async drop() {
      await dropSchema(raw, schema)
      await raw.end()
    },
  }
}

/** A node that a test closes later may hold locks in another order: then PostgreSQL ends the drop or the node's transaction. */
async function dropSchema(raw: Database, schema: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await raw.query(`DROP SCHEMA ${schema} CASCADE`)
      return
    } catch (error) {
      if ((error as { code?: string }).code !== '40P01' || attempt === 20) throw error
    }
  }
}

/** For a store that the test opens at once: what the first start makes for every schema is there. */
export async function makePreparedDatabase(): Promise<TestDatabase> {
  template ??= makeTemplate()
  const from = await template
  const name = `test_${uuidv7().replaceAll('-', '_')}`
  const address = await addressOf(name)
  await onServer((server) => server.query(`CREATE DATABASE ${name} TEMPLATE ${from} STRATEGY FILE_COPY`))
  const raw = connect(address, { size: 1, time: 30 })
  return {
    address,
    raw,
    async drop() {
      await raw.end()
      await onServer((server) => server.query(`DROP DATABASE ${name} WITH (FORCE)`))
    },
  }
}

let template: Promise<string> | undefined

/** Once for each build of Twain, whichever process comes first. */
async function makeTemplate(): Promise<string> {
  const name = `twain_template_${createHash('sha256').update(systemTables).update(foldFunction).digest('hex').slice(0, 16)}`
  await onServer(async (server) => {
    await server.query(`SELECT pg_advisory_lock(hashtext('twain template'))`) // until the connection ends
    const [found] = await server.query('SELECT 1 AS n FROM pg_database WHERE datname = $1', [name])
    if (found !== undefined) return
    const unfinished = `${name}_unfinished`
    await server.query(`DROP DATABASE IF EXISTS ${unfinished}`)
    await server.query(`CREATE DATABASE ${unfinished}`)
    const session = await reserveSession(await addressOf(unfinished), 'SELECT 1')
    try {
      await makeSystemObjects(session, { columns: new Map() })
    } finally {
      await session.close()
    }
    await server.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`)
  })
  return name
}

async function addressOf(name: string): Promise<string> {
  const address = new URL(await testServer())
  address.pathname = `/${name}`
  return address.href
}

async function onServer<Result>(work: (server: Database) => Promise<Result>): Promise<Result> {
  const server = connect(await testServer(), { size: 1, time: 60 })
  try {
    return await work(server)
  } finally {
    await server.end()
  }
}

let started: Promise<string> | undefined

/** The address of the server. */
function testServer(): Promise<string> {
  const configured = process.env.TWAIN_TEST_POSTGRES
  if (configured) return Promise.resolve(configured)
  started ??= start()
  return started
}

/** The server ends when its input ends, and so with this process. It does not keep this process alive. */
async function start(): Promise<string> {
  const script = join(import.meta.dirname, '../../../../../scripts/postgres.ts')
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const [address] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  if (!Buffer.isBuffer(address)) throw new Error('PostgreSQL did not start.')
  child.unref()
  for (const stream of [child.stdin, child.stdout] as unknown as { unref(): void }[]) stream.unref()
  return address.toString().trim()
}

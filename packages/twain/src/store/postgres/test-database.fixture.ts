// A database for one test, on the server of `TWAIN_TEST_POSTGRES`, or on one that starts with the first test of a file. It is
// a schema of its own, which takes a millisecond; a database would take fifty.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { uuidv7 } from '#base'
import { connect, type Database } from './connect/connect.ts'

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

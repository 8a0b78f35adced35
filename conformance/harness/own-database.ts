// A database of its own for tests that would disturb others: they change its settings, end its sessions, or wait until every
// transaction in it has ended, as a start does that builds indexes concurrently. Each test has a schema in it.

import { uuidv7 } from '../../packages/twain/src/base/index.ts'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'
import { makeTestDatabase, type TestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'

export class OwnDatabase {
  #opened: Promise<{ address: string; close(): Promise<void> }> | null = null
  #schemas = 0

  /** An empty schema, as a database for a service. */
  async schema(): Promise<TestDatabase> {
    this.#opened ??= createDatabase()
    const address = new URL((await this.#opened).address)
    const schema = `test_${this.#schemas++}`
    address.searchParams.set('search_path', schema)
    const raw = connect(address.href, { size: 1, time: 30 })
    await raw.query(`CREATE SCHEMA ${schema}`)
    return {
      address: address.href,
      raw,
      async drop() {
        await raw.query(`DROP SCHEMA ${schema} CASCADE`)
        await raw.end()
      },
    }
  }

  async close(): Promise<void> {
    await (await this.#opened)?.close()
    this.#opened = null
  }
}

async function createDatabase(): Promise<{ address: string; close(): Promise<void> }> {
  const { address, raw, drop } = await makeTestDatabase()
  const name = `own_${uuidv7().replaceAll('-', '_')}`
  await raw.query(`CREATE DATABASE ${name}`)
  const own = new URL(address)
  own.pathname = `/${name}`
  own.searchParams.delete('search_path')
  return {
    address: own.href,
    async close() {
      await raw.query(`DROP DATABASE ${name} WITH (FORCE)`)
      await drop()
    },
  }
}

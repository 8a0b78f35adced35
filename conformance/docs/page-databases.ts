// The PostgreSQL databases of a page. The page creates them itself (`CREATE DATABASE shop`); here each name has a suffix of its own.

import { randomUUID } from 'node:crypto'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'

export async function makeDatabases() {
  const beside = await makeTestDatabase()
  const suffix = randomUUID().replaceAll('-', '')
  const names = new Set<string>()
  const nameOf = (name: string) => {
    const own = `${name}_${suffix}`
    names.add(own)
    return own
  }
  return {
    addressOf(name: string): string {
      const address = new URL(beside.address)
      address.pathname = `/${nameOf(name)}`
      address.searchParams.delete('search_path')
      return address.href
    },
    async run(sql: string): Promise<void> {
      await beside.raw.query(sql.replace(/(?<=DATABASE )\w+/, nameOf))
    },
    async drop(): Promise<void> {
      for (const name of names) await beside.raw.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await beside.drop()
    },
  }
}

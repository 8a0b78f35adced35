// Stores the bytes of files on PostgreSQL in chunks, each in a transaction of its own. So a slow client holds no
// transaction, and no file is whole in memory. Reads go to the primary: a replica may lack the last chunks.

import { chunkBytes, type FileChunks } from '../system/files/file-records.ts'
import type { ReadPool } from './read/read-pool.ts'
import type { Transactions } from './write/transactions.ts'
import { postgresWriteDialect } from './write/write-dialect.ts'

const add = 'INSERT INTO twain_chunk (key, n, since, bytes) VALUES ($1, $2, $3, $4)'
const rename = 'UPDATE twain_chunk SET key = $2 WHERE key = $1'
const read = 'SELECT substring(bytes FROM $3 FOR $4) FROM twain_chunk WHERE key = $1 AND n = $2'
const remove = `DELETE FROM twain_chunk WHERE key IN (SELECT value FROM ${postgresWriteDialect.jsonTexts('$1')})`
const keys = 'SELECT key FROM twain_chunk WHERE key > $1 AND n = 0 AND since < $2 ORDER BY key LIMIT $3'

export class PostgresFileChunks implements FileChunks {
  readonly size = chunkBytes
  readonly #pool: ReadPool
  readonly #transactions: Transactions

  constructor(connections: ReadPool, transactions: Transactions) {
    this.#pool = connections
    this.#transactions = transactions
  }

  async add(key: string, n: number, since: number, bytes: Uint8Array): Promise<void> {
    await this.#transactions.run({ sql: add, parameters: [key, n, new Date(since).toISOString(), bytes] })
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#transactions.run({ sql: rename, parameters: [from, to] })
  }

  async read(key: string, n: number, start: number, length: number): Promise<Uint8Array | null> {
    const [row] = await this.#pool.query(read, [key, n, start + 1, length])
    return (row?.[0] as Uint8Array | undefined) ?? null
  }

  async remove(some: readonly string[]): Promise<void> {
    await this.#transactions.run({ sql: remove, parameters: [JSON.stringify(some)] })
  }

  async keys(after: string, before: number, most: number): Promise<string[]> {
    const rows = await this.#pool.query(keys, [after, new Date(before).toISOString(), most])
    return rows.map(([key]) => key as string)
  }
}

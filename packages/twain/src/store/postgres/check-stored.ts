// `twain doctor --deep` on PostgreSQL: the bytes of files, and the change log. The server itself holds foreign keys; pg_amcheck checks
// its pages. It only reads.

import type { ByteChunks } from '../system/files/disk-chunks.ts'
import { isOwnKey } from '../system/files/file-records.ts'
import { checkBytes, compareLogWithRows } from '../system/stored-checks.ts'
import { connect } from './connect/connect.ts'

const selectTables = `SELECT table_name AS name FROM information_schema.columns
  WHERE table_schema = current_schema() AND column_name = '_version'`

export async function checkStoredDatabase(address: string): Promise<string[]> {
  const database = connect(address, { size: 1, time: 0 })
  const select = (sql: string, values: unknown[] = []) => database.query<Record<string, unknown>>(sql, values as never)
  try {
    const tables = (await select(selectTables)).map(({ name }) => String(name))
    if (!tables.includes('twain_file')) return []
    const found: string[] = []
    for (const { key } of (await select('SELECT DISTINCT bytes AS key FROM twain_file')) as { key: string }[]) {
      const wrong = isOwnKey(key) ? await checkBytes(key, chunksOf(key)) : null
      if (wrong !== null) found.push(wrong)
    }
    return [...found, ...(await compareLogWithRows(tables, select))]
  } finally {
    await database.end()
  }

  async function* chunksOf(key: string): ByteChunks {
    for (let n = 0; ; n++) {
      const [chunk] = await select('SELECT bytes FROM twain_chunk WHERE key = $1 AND n = $2', [key, n])
      if (chunk === undefined) return
      yield chunk.bytes as Uint8Array
    }
  }
}

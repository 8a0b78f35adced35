// `twain doctor --deep` on PostgreSQL: what both databases check. The pages of indexes are left to pg_amcheck. It only reads.

import { storageFailure } from '../observe/storage-failures.ts'
import { checkStoredRows } from '../system/checks/check-stored.ts'
import type { StoredColumn, StoredFindings } from '../system/checks/stored-database.ts'
import type { ByteChunks } from '../system/files/disk-chunks.ts'
import { imageOf } from './changes/row-images.ts'
import { connect, describeAddress } from './connect/connect.ts'

const columns = `SELECT table_name AS "table", column_name AS name, data_type AS type FROM information_schema.columns
  WHERE table_schema = current_schema() ORDER BY ordinal_position`

export async function checkStoredDatabase(address: string): Promise<StoredFindings> {
  const database = connect(address, { size: 1, time: 0 })
  const select = (sql: string, values: unknown[] = []) => database.query<Record<string, unknown>>(sql, values)
  try {
    // Not the function `twain_image`: a copy has none before its first start.
    const image = (_: string, present: readonly StoredColumn[]) => imageOf('t', present)
    return await checkStoredRows({ select: (sql) => select(sql), columns, bytes, image })
  } catch (error) {
    const state = storageFailure(error) === 'damaged' ? 'is damaged' : "can't be read"
    return { wrong: [`${describeAddress(address)} ${state}: ${(error as Error).message}.`], unchecked: [] }
  } finally {
    await database.end()
  }

  async function* bytes(key: string): ByteChunks {
    for (let n = 0; ; n++) {
      const [chunk] = await select('SELECT bytes FROM twain_chunk WHERE key = $1 AND n = $2', [key, n])
      if (chunk === undefined) return
      yield chunk.bytes as Uint8Array
    }
  }
}

// What `twain doctor --deep` checks of stored data on both databases. Each finding is one sentence.

import { createHash } from 'node:crypto'
import { quoteName, quoteText } from '../tables/quote.ts'
import type { ByteChunks } from './files/disk-chunks.ts'
import { hashIn } from './files/file-records.ts'

export type SelectObjects = (sql: string) => Promise<Record<string, unknown>[]>

/** The newest entry of a row in the change log has the version of the row, unless it is that of its deletion. `tables` have versions.
 *  A type whose table has another name, because its name was taken, is left out. */
export async function compareLogWithRows(tables: readonly string[], select: SelectObjects): Promise<string[]> {
  const logged = await select('SELECT DISTINCT resource AS name FROM twain_change ORDER BY 1')
  const found: string[] = []
  for (const { name } of logged as { name: string }[]) {
    if (!tables.includes(name)) continue
    const [row] = await select(selectDifferences(name))
    if (Number(row!.count) === 0) continue
    found.push(`${row!.count} rows of ${name} are not as the change log says, for example ${row!.example}.`)
  }
  return found
}

function selectDifferences(type: string): string {
  const resource = quoteText(type)
  return `SELECT count(*) AS count, min(last.id) AS example
    FROM (SELECT id, max(version) AS version FROM twain_change WHERE resource = ${resource} GROUP BY id) AS last
    LEFT JOIN ${quoteName(type)} AS stored ON stored.id = last.id
    WHERE (stored.id IS NULL OR (stored._version >= 0 AND stored._version <> last.version))
      AND NOT EXISTS (SELECT 1 FROM twain_change AS gone WHERE gone.resource = ${resource} AND gone.id = last.id
        AND gone.version = last.version AND gone.kind = 'deleted')`
}

/** Null if the bytes are those of the key. */
export async function checkBytes(key: string, chunks: ByteChunks): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of chunks) hash.update(chunk)
  } catch (error) {
    return `The bytes ${key} of a file can't be read: ${(error as Error).message}.`
  }
  return hash.digest('hex') === hashIn(key)
    ? null
    : `The bytes ${key} of a file are missing, or not those that were uploaded.`
}

// The variants of images that were made from uploaded files: which bytes are the variant of which bytes. A variant belongs to
// the bytes of a file, not to its row: files with equal bytes in a data folder share their variants.
//
// A variant is kept as long as a file has the bytes that it was made from. The cleanup of files deletes it after them. Two nodes
// may make the same variant at the same time; the first that stores it wins.

import type { SqlValue } from '../../sql/encode.ts'
import { type SystemTables, systemQuery, toText } from '../system-tables.ts'

/** Parameters as in `webhookTables`. There is no foreign key: one to `twain_file` would keep the file (`sql-file-records.ts`). */
export function imageTable({ text, whole, kind }: { text: string; whole: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_image (
  source ${text} NOT NULL, -- the key of the bytes of the file
  variant ${text} NOT NULL, -- width=320&format=WEBP
  bytes ${text} NOT NULL, -- the key of the bytes of the variant
  size ${whole} NOT NULL,
  created ${text} NOT NULL,
  PRIMARY KEY (source, variant)
)${kind};
CREATE INDEX IF NOT EXISTS twain_image_bytes ON twain_image (bytes)`
}

/** The stored bytes of a variant. */
export interface ImageRecord {
  bytes: string
  size: number
}

export interface ImageRecords {
  /** Null: the variant was not made yet. */
  find(source: string, variant: string): Promise<ImageRecord | null>
  /** Stores a variant unless there is one; returns the stored one. Null: no file has the source any more. */
  add(source: string, variant: string, image: ImageRecord & { created: number }): Promise<ImageRecord | null>
  /** Deletes the variants that are made from these keys, or stored under them, and whose source no file has. Returns the keys
   *  of their bytes. */
  deleteUnused(keys: readonly string[]): Promise<string[]>
}

const finding = 'SELECT bytes, size FROM twain_image WHERE source = ?1 AND variant = ?2'
const fileOf = (source: string) => `EXISTS (SELECT 1 FROM twain_file WHERE bytes = ${source})`

export function openImageRecords({ dialect, read, run }: SystemTables): ImageRecords {
  const query = systemQuery(dialect)
  const listed = `IN (SELECT value FROM ${dialect.jsonTexts('?1')} AS l)`
  return {
    async find(source, variant) {
      return recordOf((await read(query(finding, source, variant)))[0])
    },
    async add(source, variant, { bytes, size, created }) {
      const [, found] = await run(
        query(
          'INSERT INTO twain_image (source, variant, bytes, size, created) ' +
            `SELECT ?1, ?2, ?3, CAST(?4 AS INTEGER), ?5 WHERE ${fileOf('?1')} ON CONFLICT (source, variant) DO NOTHING`,
          ...[source, variant, bytes, size, toText(created)],
        ),
        query(finding, source, variant),
      )
      return recordOf(found![0])
    },
    async deleteUnused(keys) {
      if (keys.length === 0) return []
      const [deleted] = await run(
        query(
          `DELETE FROM twain_image AS i WHERE (i.source ${listed} OR i.bytes ${listed}) AND NOT ${fileOf('i.source')} RETURNING bytes`,
          JSON.stringify(keys),
        ),
      )
      return deleted!.map(([bytes]) => String(bytes))
    },
  }
}

function recordOf(row: readonly SqlValue[] | undefined): ImageRecord | null {
  return row === undefined ? null : { bytes: String(row[0]), size: Number(row[1]) }
}

// What `twain doctor --deep` reads from a database, and what it finds.

import type { ByteChunks } from '../files/disk-chunks.ts'

export type SelectObjects = (sql: string) => Promise<Record<string, unknown>[]>

export interface StoredColumn {
  name: string
  type: string
}

/** A database with stored rows. */
export interface StoredDatabase {
  select: SelectObjects
  /** SQL of the image of the row `t` (`changes/row-images.ts`). */
  image(table: string, columns: readonly StoredColumn[]): string
  /** Selects the `table`, `name` and `type` of each column. */
  columns: string
  /** The bytes of a file that this database or its folder has. */
  bytes(key: string): ByteChunks
}

/** In sentences. */
export interface StoredFindings {
  wrong: string[]
  /** What was not checked. */
  unchecked: string[]
}

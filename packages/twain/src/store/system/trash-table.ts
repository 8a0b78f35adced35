// The rows that `@softDelete` hides (docs/internals/decisions/0069-soft-delete.md). The mark that hides a row is its negative
// version; this table says which hidden rows can be restored, which of them went together, and until when.

import type { Query } from '../sql/query.ts'
import type { SystemQuery } from './system-tables.ts'

/** Parameters as in `webhookTables`. */
export function trashTable({ text, whole, kind }: { text: string; whole: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_trash (
  type ${text} NOT NULL, -- the storage name
  id ${text} NOT NULL,
  deletion ${text} NOT NULL, -- what was deleted by one request: its row, and those that went along
  root ${whole} NOT NULL, -- 1: the row that the request named
  expires ${text} NOT NULL,
  kept ${text}, -- JSON: what restoring the row puts back beside it
  PRIMARY KEY (type, id)
)${kind};
CREATE INDEX IF NOT EXISTS twain_trash_deletion ON twain_trash (deletion);
CREATE INDEX IF NOT EXISTS twain_trash_expires ON twain_trash (expires)`
}

export interface TrashEntry {
  type: string
  id: string
  deletion: string
  isRoot: boolean
  expires: string
  kept: KeptParts | null
}

/** What a deleted row had beside its columns, and what other rows lost. */
export interface KeptParts {
  /** The password of an account. */
  login?: { hash: string | null; changed: string }
  /** The identities of an account at external issuers. */
  identities?: {
    issuer: string
    subject: string
    address: string | null
    created: string
    used: string
    /** Absent in what earlier builds kept. */
    provider?: string | null
  }[]
  /** References to the row that were cleared: with the storage name of the type that has them, and their columns. */
  cleared?: { type: string; id: string; columns: Record<string, string> }[]
}

export function insertTrash({ type, id, deletion, isRoot, expires, kept }: TrashEntry, query: SystemQuery): Query {
  return query(
    'INSERT INTO twain_trash (type, id, deletion, root, expires, kept) VALUES (?1, ?2, ?3, ?4, ?5, ?6)',
    ...[type, id, deletion, isRoot ? 1 : 0, expires, kept === null ? null : JSON.stringify(kept)],
  )
}

export function deleteTrash(type: string, id: string, query: SystemQuery): Query {
  return query('DELETE FROM twain_trash WHERE type = ?1 AND id = ?2', type, id)
}

export function deleteDeletion(deletion: string, query: SystemQuery): Query {
  return query('DELETE FROM twain_trash WHERE deletion = ?1', deletion)
}

const columns = 'type, id, deletion, root, expires, kept'

export function findTrash(type: string, id: string, query: SystemQuery): Query {
  return query(`SELECT ${columns} FROM twain_trash WHERE type = ?1 AND id = ?2`, type, id)
}

/** Everything that was deleted together, the row that the request named first. */
export function findDeletion(deletion: string, query: SystemQuery): Query {
  return query(`SELECT ${columns} FROM twain_trash WHERE deletion = ?1 ORDER BY root DESC, type, id`, deletion)
}

/** How many rows one look for expired ones takes. */
export const maxExpired = 100

/** Rows whose time is over. Those that went along follow their root; a day later the rest is found, of which the schema no longer
 *  knows that it belongs to the root. `aDayAgo` and `now` are times; `types` is a table of storage names. */
export function findExpired(
  now: string,
  aDayAgo: string,
  types: { table: string; names: readonly string[] },
  query: SystemQuery,
): Query {
  return query(
    `SELECT ${columns} FROM twain_trash WHERE expires < ?1 AND (root = 1 OR expires < ?2) ` +
      `AND type IN (SELECT value FROM ${types.table}) ORDER BY expires LIMIT ${maxExpired}`,
    ...[now, aDayAgo, JSON.stringify(types.names)],
  )
}

export function trashEntry([type, id, deletion, root, expires, kept]: readonly unknown[]): TrashEntry {
  return {
    type: String(type),
    id: String(id),
    deletion: String(deletion),
    isRoot: Number(root) === 1,
    expires: String(expires),
    kept: kept === null ? null : (JSON.parse(String(kept)) as KeptParts),
  }
}

// References to rows that do not exist. Earlier builds dropped foreign keys at a rollback, and rows could then be deleted
// while others referred to them. Before such a key comes back, these references become null, as they would have then: each
// is a version of its row with an entry in the change log, so that every reader sees the same.

import { nextVersion } from '../../changes/epochs.ts'
import type { RowImages } from '../../changes/row-images.ts'
import type { WriteDialect } from '../../sql/write-dialect.ts'
import { quoteName } from '../../tables/quote.ts'
import type { StoredReference } from '../../tables/storage-names.ts'
import { ChangeStatements } from '../access/change-statements.ts'
import type { Step } from '../steps/query-step.ts'

/** A row whose reference was cleared. */
export interface ClearedReference {
  id: string
  /** The id that it referred to. */
  target: string
}

/** How many rows are read at once. */
const rowsInChunk = 100

/** Clears the dangling references of one column, or deletes the dangling links. Returns the rows of cleared references. */
export function* clearDangling(
  { table: name, column, to, of }: StoredReference,
  dialect: WriteDialect,
  images: RowImages,
  time: string,
): Step<ClearedReference[]> {
  const table = quoteName(name)
  const refers = `t.${quoteName(column)}`
  const isDangling = `${refers} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${quoteName(to!)} AS o WHERE o.id = ${refers})`
  if (of === null) {
    yield [{ sql: `DELETE FROM ${table} AS t WHERE ${isDangling}`, parameters: [] }]
    return []
  }
  const changes = new ChangeStatements(of, { name, quoted: table }, dialect, images)
  const clear = changes.text(
    `UPDATE ${table} AS t SET _version = ?2, ${quoteName(column)} = NULL WHERE t.id = ?1`,
    2,
    'updated',
    false,
  )
  const find = `SELECT t.id, t._version, ${refers} FROM ${table} AS t WHERE ${isDangling} ORDER BY t.id LIMIT ${rowsInChunk}`
  const [floor] = yield [{ sql: 'SELECT max(version_floor) FROM twain_epoch', parameters: [] }]
  const cleared: ClearedReference[] = []
  for (;;) {
    const [rows] = yield [{ sql: find, parameters: [] }]
    if (rows!.length === 0) return cleared
    yield rows!.flatMap(([id, stored, target]) => {
      cleared.push({ id: String(id), target: String(target) })
      const version = nextVersion(Number(stored), Number(floor![0]![0]))
      const before = JSON.stringify({ [column]: target })
      const entry = {
        kind: 'updated',
        version,
        time,
        by: 'operator',
        via: null,
        trace: null,
        before,
        links: null,
      } as const
      return changes.queries(clear, [String(id), version], entry)
    })
  }
}

/** How many rows the warning names. */
const maxNamedRows = 10

/** A warning for the log; the change log has the former values of all rows. */
export function describeCleared({ of, column }: StoredReference, cleared: readonly ClearedReference[]): string {
  const named = cleared.slice(0, maxNamedRows).map(({ id, target }) => `${id} (${target})`)
  const more = cleared.length - named.length
  const rows = `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return (
    `rows of ${of} referred with ${column} to rows that do not exist; these references are null now: ${rows}. ` +
    'If the schema requires the reference, set it again or delete the row'
  )
}

// What a write means for files: a file that a row uses is no longer new, and the files of a deleted account have no owner.

import type { Resource } from '#model'
import type { SqlValue } from '../../sql/encode.ts'
import type { Query } from '../../sql/query.ts'
import type { LinkChange } from '../access/link-access.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { WriteState } from '../rules/write-state.ts'

/** `values` are the columns that the write sets. From now on the file is readable through its row, and by its uploader. */
export function markFilesUsed(
  resource: Resource,
  values: ReadonlyMap<string, SqlValue>,
  links: readonly LinkChange[],
  context: WriterContext,
): Query[] {
  const { file } = context
  if (file === null) return []
  const used: SqlValue[] = []
  for (const [field, column] of context.table(resource).columns) {
    if (field.kind === 'reference' && field.to === file) used.push(values.get(column.name) ?? null)
  }
  for (const { field, after } of links) if (field.to === file) used.push(...after.map(({ id }) => id))
  return used.filter((id) => id !== null).map((id) => context.query(useFile, id))
}

/** Also clears the mark of the cleanup (`system/files/sql-file-records.ts`, 3). */
const useFile =
  'UPDATE twain_file SET fresh = FALSE, unreferenced = NULL WHERE id = ?1 AND (fresh = TRUE OR unreferenced IS NOT NULL)'

/** Rows still keep the files. They do not become new again: that would give them to everyone who knows their id. A schema
 *  without files may follow one with files. */
export function disownFiles(resource: Resource, id: string, { context }: WriteState): Query[] {
  if (resource !== context.account?.resource) return []
  return [context.query('UPDATE twain_file SET uploader = NULL, fresh = FALSE WHERE uploader = ?1', id)]
}

// What a write means for files: one that a row holds is fresh no longer, and those of an account that goes are nobody's.

import type { Resource } from '#model'
import type { SqlValue } from '../../sql/encode.ts'
import type { Query } from '../../sql/query.ts'
import type { LinkChange } from '../access/link-change.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { WriteState } from '../rules/write-state.ts'

/** `values` are the columns that the write sets. From now on such a file is read through its row, and by its uploader. */
export function markFilesUsed(
  resource: Resource,
  values: ReadonlyMap<string, SqlValue>,
  links: readonly LinkChange[],
  context: WriterContext,
): Query[] {
  const { file } = context
  if (file === null) return []
  const held: SqlValue[] = []
  for (const [field, column] of context.table(resource).columns) {
    if (field.kind === 'reference' && field.to === file) held.push(values.get(column.name) ?? null)
  }
  for (const { field, after } of links) if (field.to === file) held.push(...after.map(({ id }) => id))
  return held
    .filter((id) => id !== null)
    .map((id) => context.query('UPDATE twain_file SET fresh = FALSE WHERE id = ?1 AND fresh = TRUE', id))
}

/** They stay while rows hold them. None is fresh again: that would give it to whoever knows its id. */
export function disownFiles(resource: Resource, id: string, { context }: WriteState): Query[] {
  if (context.file === null || resource !== context.account?.resource) return []
  return [context.query('UPDATE twain_file SET uploader = NULL, fresh = FALSE WHERE uploader = ?1', id)]
}

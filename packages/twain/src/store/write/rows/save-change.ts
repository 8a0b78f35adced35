// Writes the next version of a row, and its entry in the change log.

import type { Resource } from '#model'
import type { SqlValue } from '../../sql/encode.ts'
import type { Query } from '../../sql/query.ts'
import type { LinkChange } from '../access/link-access.ts'
import type { StoredRow } from '../access/stored-row.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { WriteState } from '../rules/write-state.ts'

/** Writes changed columns as the row's next version, with the time fields that follow every change. */
export function saveChange(
  resource: Resource,
  row: StoredRow,
  changed: Map<string, SqlValue>,
  links: readonly LinkChange[],
  { context, time, isImport, viewer: { by, via, trace } }: WriteState,
): Query[] {
  const table = context.table(resource)
  if (!isImport) setUpdateTimes(resource, changed, context, time)
  const version = context.nextVersion(row.version)
  const previous = new Map([...changed.keys()].map((column) => [column, row.values.get(column) ?? null]))
  const before = JSON.stringify({ ...Object.fromEntries(previous), ...linkLists(links, 'before', context) })
  const entry = { kind: 'updated', version, time, by, via, trace, before } as const
  return table.update(row, changed, { ...entry, links: linkedText(links, context) })
}

export function setUpdateTimes(
  resource: Resource,
  changed: Map<string, SqlValue>,
  context: WriterContext,
  time: string,
): void {
  const table = context.table(resource)
  for (const field of table.columns.keys()) {
    if (field.kind !== 'stored' || field.auto !== 'UPDATE_TIME') continue
    table.encodeInto(changed, field, time)
  }
}

/** The changed lists of links after the change, as the log takes them; null if there are none. */
export function linkedText(links: readonly LinkChange[], context: WriterContext): string | null {
  return links.length === 0 ? null : JSON.stringify(linkLists(links, 'after', context))
}

/** Lists of links in the change log, by table and side (`Post_tags.left`; no column has a dot). A list holds ids, or
 *  `Type:id` where there are several types. */
function linkLists(
  links: readonly LinkChange[],
  time: 'before' | 'after',
  { layout }: WriterContext,
): Record<string, string[]> {
  const lists: Record<string, string[]> = {}
  for (const change of links) {
    const { link, side, to } = change.field
    const ids = change[time].map(({ type, id }) => (to.kind === 'abstract' ? `${type}:${id}` : id))
    lists[`${layout.links.get(link)!.name}.${side}`] = ids
  }
  return lists
}

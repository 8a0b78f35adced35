// Writes the next version of a row, and its entry in the change log.

import type { Resource } from '#model'
import type { SqlValue } from '../../sql/encode.ts'
import type { Query } from '../../sql/query.ts'
import type { LinkChange } from '../access/link-access.ts'
import type { StoredRow } from '../access/stored-row.ts'
import type { WriterContext } from '../access/writer-context.ts'

/** Writes changed columns as the row's next version, with the time fields that follow every change. */
export function saveChange(
  resource: Resource,
  row: StoredRow,
  changed: Map<string, SqlValue>,
  links: readonly LinkChange[],
  context: WriterContext,
  time: string,
): Query[] {
  const table = context.table(resource)
  setUpdateTimes(resource, changed, context, time)
  const version = row.version + 1
  const previous = new Map([...changed.keys()].map((column) => [column, row.values.get(column) ?? null]))
  const before = rowImage(previous, links, 'before', context)
  const after = rowImage(new Map([...row.values, ...changed]), links, 'after', context)
  return [
    ...table.update(row, changed),
    context.log({ resource, id: row.id, kind: 'updated', version, after, before }, time),
  ]
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
    for (const [column, encoded] of table.encode(field, time)) changed.set(column, encoded)
  }
}

/** A row in the change log: its stored fields by column, and the changed lists of links by table and side
 *  (`Post_tags.left`; no column has a dot). A list holds ids, or `Type:id` where there are several types. */
export function rowImage(
  values: ReadonlyMap<string, SqlValue>,
  links: readonly LinkChange[],
  time: 'before' | 'after',
  { layout }: WriterContext,
): Record<string, unknown> {
  const members = new Map<string, unknown>(values)
  for (const change of links) {
    const { link, side, to } = change.field
    const ids = change[time].map(({ type, id }) => (to.kind === 'abstract' ? `${type}:${id}` : id))
    members.set(`${layout.links.get(link)!.name}.${side}`, ids)
  }
  return Object.fromEntries(members)
}

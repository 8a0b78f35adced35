// A row as the change log keeps it: its own fields, by column, and the lists of links that a write changed, each by its
// table and side (`Post_tags.left`: no column has a dot), as ids, or as `Type:id` where there are several types.

import type { SqlValue } from '../../sql/encode.ts'
import type { WriterContext } from '../steps/writer-context.ts'
import type { LinkChange } from './links.ts'

export function image(
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

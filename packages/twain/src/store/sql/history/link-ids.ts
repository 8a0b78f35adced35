// The ids in a logged list of links: those of rows that the viewer may read now, as a list of links shows them.

import type { LinksField } from '#model'
import type { ChangedField, TypeSelection } from '#plan'
import { type Layout, storageTypeOf } from '../../tables/layout.ts'
import { quoteText } from '../../tables/quote.ts'
import { SqlRow } from '../sql-row.ts'
import { and, type StatementBuilder } from '../statement-builder.ts'
import { compileGuard, from, isConstant } from '../where.ts'
import type { EntryRow } from './entry-row.ts'

/** The name of a list in the log, as `write/rows/save-change.ts` has it. */
export function linksName({ link, side }: LinksField, layout: Layout): string {
  return `${layout.links.get(link)!.name}.${side}`
}

export function compileLinkIds(
  { field, targets }: ChangedField & { kind: 'links' },
  row: EntryRow,
  statement: StatementBuilder,
): string {
  const { dialect } = statement
  const each = statement.alias()
  const id = dialect.elementText(`${each}.value`)
  const list = dialect.elements(row.links(linksName(field, row.layout)), each)
  if (targets === undefined) return dialect.items(id, list)
  const isAbstract = field.to.kind === 'abstract'
  const readable = targets.map((target) => isReadable(target, id, isAbstract, row.layout, statement))
  return dialect.items(id, `${list} WHERE (${readable.join(' OR ')})`)
}

/** Whether the id is that of a readable row of this type. Among several types it is `Type:id`. */
function isReadable(
  { of, guard }: TypeSelection,
  text: string,
  isAbstract: boolean,
  layout: Layout,
  statement: StatementBuilder,
): string {
  if (guard !== undefined && isConstant(guard, false)) return 'FALSE'
  const row = new SqlRow(statement.alias(), of, layout)
  const prefix = `${storageTypeOf(layout, of)}:`
  const isType = isAbstract ? `substr(${text}, 1, ${prefix.length}) = ${quoteText(prefix)}` : null
  const id = isAbstract ? `substr(${text}, ${prefix.length + 1})` : text
  const condition = and([`${row.id} = ${id}`, compileGuard(guard, row, statement)])
  return `(${and([isType, `EXISTS (SELECT 1 FROM ${from(row)} WHERE ${condition})`])})`
}

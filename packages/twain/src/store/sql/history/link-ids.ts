// The ids in a logged list of links: those of rows that are there now and that the viewer may read, as a list of links shows them.

import { type LinksField, membersOf } from '#model'
import type { ChangedField, TypeSelection } from '#plan'
import { type Layout, storageTypeOf } from '../../tables/layout.ts'
import { quoteText } from '../../tables/quote.ts'
import { SqlRow } from '../sql-row.ts'
import { and, type StatementBuilder } from '../statement-builder.ts'
import { compileGuard, from, isConstant } from '../where.ts'

/** The name of a list in the log, as `write/rows/save-change.ts` has it. */
export function linksName({ link, side }: LinksField, layout: Layout): string {
  return `${layout.links.get(link)!.name}.${side}`
}

/** `list`: SQL of the logged list. */
export function compileLinkIds(
  changed: ChangedLinks,
  list: string,
  layout: Layout,
  statement: StatementBuilder,
): string {
  const { id, source } = readableIds(changed, list, layout, statement)
  return statement.dialect.items(id, source)
}

type ChangedLinks = ChangedField & { kind: 'links' }

/** Whether one of the two logged lists shows an id that the other does not have. */
export function compileListsDiffer(
  changed: ChangedLinks,
  lists: readonly [before: string, after: string],
  layout: Layout,
  statement: StatementBuilder,
): string {
  const { dialect } = statement
  const [more, less] = [lists, lists.toReversed()].map(([list, other]) => {
    const { id, source } = readableIds(changed, list!, layout, statement)
    const each = statement.alias()
    const others = `SELECT ${dialect.elementText(`${each}.value`)} FROM ${dialect.elements(other!, each)}`
    return `EXISTS (SELECT 1 FROM ${source} AND ${id} NOT IN (${others}))`
  })
  return `(${more} OR ${less})`
}

/** A row source with a condition, and the id of each of its rows. */
function readableIds(
  { field, targets }: ChangedLinks,
  list: string,
  layout: Layout,
  statement: StatementBuilder,
): { id: string; source: string } {
  const { dialect } = statement
  const each = statement.alias()
  const id = dialect.elementText(`${each}.value`)
  const isAbstract = field.to.kind === 'abstract'
  const types = targets ?? membersOf(field.to).map((of): TypeSelection => ({ of, selections: [] }))
  const readable = types.map((target) => isReadable(target, id, isAbstract, layout, statement))
  return { id, source: `${dialect.elements(list, each)} WHERE (${readable.join(' OR ')})` }
}

/** Whether the id is that of a readable row of this type. Among several types it is `Type:id`. */
function isReadable(
  target: TypeSelection,
  text: string,
  isAbstract: boolean,
  layout: Layout,
  statement: StatementBuilder,
): string {
  const prefix = `${storageTypeOf(layout, target.of)}:`
  const isType = isAbstract ? `substr(${text}, 1, ${prefix.length}) = ${quoteText(prefix)}` : null
  const id = isAbstract ? `substr(${text}, ${prefix.length + 1})` : text
  return `(${and([isType, compileIsThere(target, id, layout, statement)])})`
}

/** Whether the row with this id is there, and the viewer may read it. */
export function compileIsThere(
  { of, guard }: TypeSelection,
  id: string,
  layout: Layout,
  statement: StatementBuilder,
): string {
  if (guard !== undefined && isConstant(guard, false)) return 'FALSE'
  const row = new SqlRow(statement.alias(), of, layout)
  const condition = and([`${row.id} = ${id}`, compileGuard(guard, row, statement)])
  return `EXISTS (SELECT 1 FROM ${from(row)} WHERE ${condition})`
}

// The condition that no delete in the background takes a row along (`plan/authorize/pending-deletes.ts`). A row that a client
// deleted has a negative version until it is gone.

import { membersOf, type ReferenceField, type Resource } from '#model'
import type { Where } from '#plan'
import { tableOf } from '../tables/layout.ts'
import { quoteName } from '../tables/quote.ts'
import { SqlRow } from './sql-row.ts'
import type { StatementBuilder } from './statement-builder.ts'

export function compileLive({ above }: Where & { kind: 'live' }, row: SqlRow, statement: StatementBuilder): string {
  if (above.length === 0) return isFree(row)
  return `NOT ${compileIsBelowDeleted(above, row, statement)}`
}

/** Rows that can be restored are hidden too, but no delete in the background takes them. */
function isFree(row: SqlRow): string {
  const { hides } = tableOf(row.layout, row.resource)
  return hides === true ? `(${row.version} > 0 OR ${isTrashed(row)})` : `${row.version} > 0`
}

/** The condition that the row is deleted and can be restored (`system/trash-table.ts`). */
export function isTrashed(row: SqlRow): string {
  return `${row.id} IN (SELECT id FROM twain_trash WHERE type = ${row.typeName})`
}

/** Follows the references upwards, where types lead to themselves: whether the row or one above it was deleted. Types are numbers
 *  here, since the collations of names and columns differ. */
function compileIsBelowDeleted(above: readonly ReferenceField[], row: SqlRow, statement: StatementBuilder): string {
  const types = [...new Set([row.resource, ...above.flatMap(({ owner, to }) => [owner, ...membersOf(to)])])]
  const numberOf = (resource: Resource) => types.indexOf(resource)
  const up = statement.alias()
  const step = statement.alias()
  const sources = new Map(types.map((type) => [type, new SqlRow(statement.alias(), type, row.layout)]))
  const isSource = (source: SqlRow) => `${up}.type = ${numberOf(source.resource)} AND ${source.id} = ${up}.id`
  const owners = [...new Set(above.map(({ owner }) => owner))].map((owner) => sources.get(owner)!)
  const targets = above.map((field) => {
    const { id, type } = sources.get(field.owner)!.reference(field)
    const cases = membersOf(field.to).map(
      (member) => `WHEN ${new SqlRow('', member, row.layout).typeName} THEN ${numberOf(member)}`,
    )
    return { id, type: type === null ? String(numberOf(field.to as Resource)) : `CASE ${type} ${cases.join(' ')} END` }
  })
  const each = (column: 'id' | 'type') =>
    `CASE ${step}.n ${targets.map((target, index) => `WHEN ${index} THEN ${target[column]}`).join(' ')} END`
  const joins = owners.map((source) => `LEFT JOIN ${fromTable(source)} ON ${isSource(source)}`)
  const steps = targets.map((_, index) => `SELECT ${index} AS n`).join(' UNION ALL ')
  const deleted = types.map((type) => {
    const root = new SqlRow(statement.alias(), type, row.layout)
    return `EXISTS (SELECT 1 FROM ${fromTable(root)} WHERE ${isSource(root)} AND ${root.version} < 0)`
  })
  return (
    `EXISTS (WITH RECURSIVE ${up}(type, id) AS (SELECT ${numberOf(row.resource)}, ${row.id} UNION ` +
    `SELECT ${each('type')}, ${each('id')} FROM ${up} ${joins.join(' ')} CROSS JOIN (${steps}) AS ${step} ` +
    `WHERE ${each('id')} IS NOT NULL) SELECT 1 FROM ${up} WHERE ${deleted.join(' OR ')})`
  )
}

function fromTable({ layout, resource, alias }: SqlRow): string {
  return `${quoteName(tableOf(layout, resource).name)} AS ${alias}`
}

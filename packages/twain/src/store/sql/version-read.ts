// The values of an earlier version of a row, for an update that puts them back → a statement of the writer.
//
// 1. It returns no row if the log does not have the version, or if the viewer may not read the row as it was.
// 2. A field is left out if the viewer may not read it then and now, if the version did not have it, or if it refers to a row that
//    is not there or not readable.
// 3. The log has a list of links only where a change is about it. The list of a version is what the first later change replaced; if
//    there is none, it is still the same.

import { isFile, membersOf, type Resource } from '#model'
import type { ChangedField, Parameter, Reversion, TypeSelection } from '#plan'
import { type Layout, storageTypeOf } from '../tables/layout.ts'
import { quoteText } from '../tables/quote.ts'
import type { Dialect } from './dialect.ts'
import { EntryRow, idList, loggedColumns } from './history/entry-row.ts'
import { entriesOf } from './history/entry-source.ts'
import { compileIsThere, compileLinkIds, linksName } from './history/link-ids.ts'
import type { CompiledRead } from './read.ts'
import { compileUnguarded } from './selection.ts'
import { SqlRow } from './sql-row.ts'
import { and, StatementBuilder } from './statement-builder.ts'
import { compileGuard, compileWhere, from, isConstant } from './where.ts'

/** The only value that is bound to the statement, beside the id of the row. */
export const versionParameter: Parameter = { index: 0, accepts: { kind: 'version' } }

/** The column of the result is a JSON list of `{field, value}`. */
export function compileVersionRead(
  { fields, guard }: Pick<Reversion, 'fields' | 'guard'>,
  of: Resource,
  layout: Layout,
  dialect: Dialect,
): CompiledRead {
  const statement = new StatementBuilder(dialect)
  const now = new SqlRow(statement.alias(), of, layout)
  const then = new EntryRow(statement.alias(), 'after', of, layout, dialect)
  const logged = `resource = ${now.typeName} AND id = ${statement.id()}`
  const version = statement.bind(versionParameter, { kind: 'number' })
  const items = fields.flatMap((changed) => {
    const item = changed.kind === 'links' ? linksItem(changed) : fieldItem(changed)
    if (item === null) return []
    const members = [['field', quoteText(changed.name)] as const, ['value', item.value] as const]
    return [{ condition: and(item.conditions), json: dialect.object(members) }]
  })
  const images = `${dialect.parsed('before')} AS before, ${dialect.parsed('after')} AS after`
  const isVersion = `${logged} AND version = ${version} AND kind <> 'deleted'`
  const entry = entriesOf(of, `id, kind, version, time, ${images}`, isVersion)
  const conditions = and([
    `${now.id} = ${statement.id()}`,
    guard === undefined ? null : compileWhere(guard, then, statement),
  ])
  const sql = `SELECT ${dialect.resultText(dialect.itemsWhere(items))} FROM ${from(now)} CROSS JOIN ${entry} AS ${then.alias} WHERE ${conditions}`
  return { sql, parameters: statement.parameters }

  function fieldItem({ name, selection }: ChangedField & { kind: 'field' }): VersionItem | null {
    const readable = guardConditions(selection.guard)
    if (readable === null) return null
    const isThere = loggedColumns(of, layout, name).map((column) => dialect.hasMember(`${then.alias}.after`, column))
    if (selection.kind !== 'id') {
      return { conditions: [...isThere, ...readable], value: compileUnguarded(selection, then, statement) }
    }
    const { targets, ...own } = selection
    const target = isTargetThere(own.field as ReferenceTo, targets)
    return { conditions: [...isThere, ...readable, target], value: compileUnguarded(own, then, statement) }
  }

  /** The rule of the field, then and now; null: it never holds. */
  function guardConditions(own: Reversion['guard']): string[] | null {
    if (own === undefined) return []
    if (isConstant(own, false)) return null
    return [compileWhere(own, then, statement), compileGuard(own, now, statement) ?? 'TRUE']
  }

  /** Whoever may read an earlier version of a row may read the files of that version. */
  function isTargetThere(field: ReferenceTo, targets: readonly TypeSelection[] | undefined): string {
    const { id, type } = then.reference(field)
    const types = isFileReference(field) ? undefined : targets
    const found = (types ?? membersOf(field.to).map((to) => ({ of: to, selections: [] }))).map((target) => {
      const isType = type === null ? null : `${type} = ${quoteText(storageTypeOf(layout, target.of))}`
      return `(${and([isType, compileIsThere(target, id, layout, statement)])})`
    })
    return `(${[`${id} IS NULL`, ...found].join(' OR ')})`
  }

  function linksItem(changed: ChangedField & { kind: 'links' }): VersionItem | null {
    const readable = guardConditions(changed.guard)
    if (readable === null) return null
    const name = linksName(changed.field, layout)
    const isLater = `${logged} AND version > ${version} AND ${dialect.hasMember('before', name)}`
    const later = `FROM ${entriesOf(of, 'version, before', isLater)} AS ${statement.alias()}`
    const list = `(SELECT ${dialect.recordMember('before', { path: [name], type: idList })} ${later} ORDER BY version LIMIT 1)`
    return {
      conditions: [`EXISTS (SELECT 1 ${later})`, ...readable],
      value: compileLinkIds(changed, list, layout, statement),
    }
  }
}

type ReferenceTo = Parameters<SqlRow['reference']>[0]

interface VersionItem {
  conditions: string[]
  value: string
}

/** Files have the rules of the rows that hold them. */
export function isFileReference({ to }: { to: ReferenceTo['to'] }): boolean {
  return to.kind === 'resource' && isFile(to)
}

// The rows of a page: filter, order and limits, before the selection.
//
// A page reads ranges (`keyset-ranges.ts`), joined by UNION ALL. They are in the order of the page, so the first rows of their union are
// the page.

import type { Resource } from '#model'
import type { DeletedRows, OrderKey, PageBounds, PageRead } from '#plan'
import { tableOf } from '../tables/layout.ts'
import { ComputedKeys, compileAfter, keyColumn } from './computed-order.ts'
import {
  boundsBesideCursor,
  conjuncts,
  coveredByIndex,
  findsFirstRow,
  findsIds,
  isFoundByLink,
  leadingField,
  type PageList,
} from './index-order.ts'
import { compileRanges, type KeysetRange, wholeRanges } from './keyset-ranges.ts'
import { isTrashed } from './live.ts'
import { type ColumnKey, isByColumns, isComputed } from './order-keys.ts'
import type { PageScope } from './page-scope.ts'
import { compileMatchedRows } from './search/matched-rows.ts'
import { orderBy, sortTerms, sortValue } from './sort-terms.ts'
import { pageRow, RestorableRow, SeekRow, type SqlRow, SqlRowById } from './sql-row.ts'
import { and, type StatementBuilder } from './statement-builder.ts'
import {
  compileCountedWhere,
  compileHiddenGuard,
  compileLinked,
  compileWhere,
  from,
  fromWhole,
  lookUp,
  pointsAt,
} from './where.ts'

/** The size of the page as SQL; a connection reads one more row to learn whether there is a next page. */
export interface PageSize {
  limit: string
  offset: string | null
}

export function compileSize(page: PageBounds, statement: StatementBuilder, extra = 0): PageSize {
  const number = { kind: 'number' } as const
  const size = statement.dialect.size(statement.bind(page.kind === 'offset' ? page.limit : page.first, number))
  const limit = extra === 0 ? size : `${size} + ${extra}`
  return { limit, offset: page.kind === 'offset' ? statement.bind(page.offset, number) : null }
}

/** A SELECT of the page's rows of one type, with the columns that `selected` uses. */
export function compileRows(
  read: PageRead,
  resource: Resource,
  scope: PageScope | null,
  selected: SqlRow,
  size: PageSize,
  statement: StatementBuilder,
): string {
  const list = scope?.field ?? null
  const row = rowOfPage(read, resource, list, selected, statement)
  // Far behind the beginning it may be cheaper to read both tables in their order.
  const isByLink = statement.dialect.looksUpLinked && read !== statement.deepPage && isFoundByLink(read, resource, list)
  const source = compileSource(read, row, scope, statement, isByLink)
  const { page } = read
  const order: readonly OrderKey[] = read.order
  if (!isByColumns(order)) return compileSorted(read, source, row, selected, size, statement)
  // The index of the link table returns linked rows in the order of their ids.
  const keyed = source.id === null ? row : new SqlRowById(source.id, resource, row.layout, row.alias)
  const keys = order.map((key) => sortTerms(key, keyed, statement))
  const { deepPages, subqueryAlias: unnamed } = statement.dialect
  const columns = [...selected.used].map((column) => row.column(column)).join(', ') || '1'
  const leadingOrder = row instanceof SeekRow ? `${row.order}, ` : ''
  const ranges =
    page.kind === 'offset' || page.after === null
      ? wholeRanges(order, keyed, statement)
      : compileRanges(read, order, page.after, keyed, statement)
  const matched = compileMatchedRows(read, row, scope, statement, true)
  if (size.offset === null || read !== statement.deepPage || tableOf(row.layout, resource).source !== undefined)
    return pageOf(columns)
  if (deepPages === 'from first row' && findsFirstRow(read, resource, list)) {
    const on = compileStart(read, keyed, keys.flat(), scope, size.offset, statement)
    return select(columns, { on, known: 0 }, { limit: size.limit, offset: null })
  }
  return deepPages === 'by ids' && findsIds(read, resource, list) ? pageByIds() : pageOf(columns)

  function pageOf(what: string): string {
    if (ranges.length === 1 && matched === null) return select(what, ranges[0]!, size)
    const { limit, offset } = size
    const each = { limit: offset === null ? limit : `${limit} + ${offset}`, offset: null }
    const parts =
      matched?.flatMap((some) => ranges.map((range) => some.all(select(what, range, each, some)))) ??
      ranges.map((range) => `SELECT * FROM (${select(what, range, each)})${unnamed}`)
    const end = ` LIMIT ${limit}${offset === null ? '' : ` OFFSET ${offset}`}`
    return `SELECT * FROM (${parts.join(' UNION ALL ')})${unnamed}${end}`
  }

  function select(
    what: string,
    { on, known }: KeysetRange,
    { limit, offset }: PageSize,
    { from: tables, on: condition }: Pick<RowSource, 'from' | 'on'> = source,
  ): string {
    const where = and([condition, on])
    return (
      `SELECT ${what} FROM ${tables} WHERE ${where} ORDER BY ${leadingOrder}${orderOf(known)} LIMIT ${limit}` +
      (offset === null ? '' : ` OFFSET ${offset}`)
    )
  }

  /** Only an index is read before the offset. Each row of the page is looked up by its id, in the order of the ids. */
  function pageByIds(): string {
    const terms = keys.flat().map((term, index) => `${term} AS ${keyColumn(index)}`)
    const found = statement.alias()
    let at = 0
    const sort = order.map((key, index) => {
      const [first, second] = keys[index]!.map(() => `${found}.${keyColumn(at++)}`)
      return orderBy(key, second === undefined ? [first!] : [first!, second])
    })
    const ids = pageOf(`${row.id} AS found, ${terms.join(', ')}`)
    const joined = `(${ids}) AS ${found}${lookUp(row, `${row.id} = ${found}.found`, statement)}`
    return `SELECT ${columns} FROM ${joined} ORDER BY ${sort.join(', ')}`
  }

  function orderOf(known: number): string {
    const { separatesNulls: nullsApart } = statement.dialect
    return order.map((key, index) => orderBy(key, keys[index]!, nullsApart && index < known)).join(', ')
  }
}

function rowOfPage(
  read: PageRead,
  resource: Resource,
  list: PageList,
  { alias, layout }: SqlRow,
  { dialect: { leadingEquality } }: StatementBuilder,
): SqlRow {
  const leading = leadingEquality === null ? null : leadingField(read, resource, list)
  if (leadingEquality === null || leading === null) return pageRow(read, alias, resource, layout)
  return new SeekRow(alias, resource, layout, leading, leadingEquality)
}

/** The condition that a row is at or after the first one behind the offset. SQLite skips the entries of an index that has all that the
 *  inner SELECT reads in a third of the time that it needs before a row of the page. Behind the end there is no such row, and
 *  no row is at or after NULL. */
function compileStart(
  read: PageRead,
  { resource, layout }: SqlRow,
  terms: readonly string[],
  scope: PageScope | null,
  offset: string,
  statement: StatementBuilder,
): string {
  const order = read.order as readonly ColumnKey[]
  const row = pageRow(read, statement.alias(), resource, layout)
  const source = compileSource(read, row, scope, statement)
  const keys = order.map((key) => sortTerms(key, row, statement))
  const sort = order.map((key, index) => orderBy(key, keys[index]!)).join(', ')
  const first = `(SELECT ${keys.flat().join(', ')} FROM ${source.from} WHERE ${and([source.on])} ORDER BY ${sort} LIMIT 1 OFFSET ${offset})`
  const sign = order[0]!.direction === 'ASC' ? '>=' : '<='
  return `${terms.length === 1 ? terms[0] : `(${terms.join(', ')})`} ${sign} ${first}`
}

/** The same in an order with keys that are no columns. The page has its keys as columns (`keyColumn`). */
function compileSorted(
  { order, page }: PageRead,
  source: RowSource,
  row: SqlRow,
  selected: SqlRow,
  { limit, offset }: PageSize,
  statement: StatementBuilder,
): string {
  const { fence, subqueryAlias: unnamed } = statement.dialect
  const computed = new ComputedKeys(statement)
  const keys = order.map((key, index) => {
    const value = isComputed(key) ? computed.key(key, row) : sortValue(key, row, statement)
    return `${value} AS ${keyColumn(index)}`
  })
  const columns = [...[...selected.used].map((column) => row.column(column)), ...keys].join(', ')
  const rows = `SELECT ${columns} FROM ${source.from}${computed.joins} WHERE ${and([source.on])}`
  const sort = order.map((key, index) => orderBy(key, [keyColumn(index)])).join(', ')
  const bounds = ` ORDER BY ${sort} LIMIT ${limit}${offset === null ? '' : ` OFFSET ${offset}`}`
  if (page.kind === 'offset' || page.after === null) return rows + bounds
  const follows = compileAfter(order, page.after, row, statement)
  return `SELECT * FROM (${rows}${fence})${unnamed} WHERE ${follows}${bounds}`
}

interface RowSource {
  from: string
  on: string | null
  /** The column of the link table that holds the row's id; null if the page reads no links. */
  id: string | null
}

/** The tables of the rows, and the condition that they belong to the scope and pass the filter. */
export function compileSource(
  read: PageRead,
  row: SqlRow,
  scope: PageScope | null,
  statement: StatementBuilder,
  isByLink = false,
): RowSource {
  const filter = compileRowFilter(read, row, scope, statement)
  if (read.deleted === undefined) return compileScope(row, scope, filter, statement, isByLink)
  if (!(row instanceof RestorableRow)) throw new Error('a page with deleted rows has rows of pageRow()')
  // As in `compileHiddenGuard`: a deleted row must pass the filter, which has the rules, as things were too.
  const passed = compileRowFilter(read, row.asBefore(), scope, statement)
  const deleted = compileDeleted(read.deleted, row, passed, statement)
  return { from: fromWhole(row), on: and([deleted, filter]), id: null }
}

/** The condition that the page may have the row: of the deleted ones only those that can be restored, by this viewer. */
function compileDeleted(
  { rows, guard }: DeletedRows,
  row: SqlRow,
  passed: string | null,
  statement: StatementBuilder,
): string {
  const isAllowed = guard === undefined ? null : compileHiddenGuard(guard, row, statement)
  const deleted = and([isTrashed(row), ...hasRequired(row), isAllowed, passed])
  return rows === 'only' ? deleted : `(${row.version} > 0 OR ${deleted})`
}

/** A row that lacks what became required since its delete can't be restored, nor shown as a row of this schema. */
function hasRequired(row: SqlRow): string[] {
  const { columns } = tableOf(row.layout, row.resource)
  return [...columns].flatMap(([field, { name }]) => (field.required ? [`${row.column(name)} IS NOT NULL`] : []))
}

/** The same with a filter that is compiled. */
export function compileScope(
  row: SqlRow,
  scope: PageScope | null,
  filter: string | null,
  statement: StatementBuilder,
  isByLink = false,
): RowSource {
  if (scope === null) return { from: from(row), on: filter, id: null }
  const { field, id } = scope
  if (field.kind === 'many') {
    const owner = new SqlRowById(id, field.owner, row.layout)
    return { from: from(row), on: and([pointsAt(row, field.via, owner), filter]), id: null }
  }
  const linked = compileLinked(field, row, id, statement, isByLink)
  return { from: linked.from, on: and([linked.on, filter]), id: linked.id }
}

function compileRowFilter(
  read: PageRead,
  row: SqlRow,
  scope: PageScope | null,
  statement: StatementBuilder,
): string | null {
  const { of, where } = read
  if (where === null) return null
  const covered =
    statement.countsMisses && of.kind === 'resource' ? coveredByIndex(read, of, scope?.field ?? null) : null
  if (covered !== null) return compileCountedWhere(where, covered, row, statement)
  const bounds = statement.dialect.seeksByAnyBound && of.kind === 'resource' ? boundsBesideCursor(read, of) : []
  if (bounds.length === 0) return compileWhere(where, row, statement)
  const others = conjuncts(where).filter((part) => !bounds.includes(part))
  // The sign hides the condition from the choice of an index.
  const hidden = bounds.map((part) => `+(${compileWhere(part, row, statement)})`)
  return and([...others.map((part) => compileWhere(part, row, statement)), ...hidden])
}

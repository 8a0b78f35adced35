// The rows of a view, as reads see them: a sub-select that has the columns of the type. Inside it, each type that the SELECT of the
// operator names is a table with the names of the schema (a common table expression), with values as people write them. Around it,
// the columns become what the columns of a table of this database are.

import type { Field, Model, ReferenceField, Resource, StoredField } from '#model'
import { namesOf } from '#model/names'
import { columnOf, isLive, type Layout, type Table, tableOf } from '../tables/layout.ts'
import { quoteName, quoteText } from '../tables/quote.ts'
import { toStorage } from '../tables/storage-codes.ts'

/** What the two databases spell differently. */
export interface ViewSql {
  store: 'sqlite' | 'postgres'
  /** The stored table, which may have the name of the table expression that reads it. */
  table(name: string): string
  /** A column of a table as the SELECT of a view sees it. */
  shown(field: StoredField, column: string): string
  /** A column of the SELECT as a table stores it. */
  stored(field: StoredField, column: string): string
  /** A column of the SELECT as a text, for ids. */
  text(column: string): string
}

/** The layout with the views. Migrations never see these: they have no tables. */
export function withViews(layout: Layout, model: Model, sql: ViewSql): Layout {
  if (model.views.length === 0) return layout
  const tables = new Map(layout.tables)
  for (const view of model.views) {
    const source = `(${viewRows(view, model, layout, sql)})`
    const columns: Table['columns'] = new Map()
    for (const field of columnsOf(view)) if (field.name !== 'id') columns.set(field, { name: field.name, type: null })
    // The SELECT may look at the clock.
    tables.set(view, { name: view.name, type: view.name, columns, source, isNumbered: false, isTimed: true })
  }
  return { ...layout, tables }
}

/** The alias of a SELECT, by which a statement with a view is known. */
export const viewAlias = 'twain_view'

/** The SELECT with its tables, its columns converted. */
function viewRows(view: Resource, model: Model, layout: Layout, sql: ViewSql): string {
  const select = view.view![sql.store]
  // A view without a SELECT for this database is refused at the start.
  if (select === null) return 'SELECT NULL AS id'
  const columns = columnsOf(view).map((field) => {
    const column = `${viewAlias}.${quoteName(field.name)}`
    if (field.name === 'id') return `${idOf(view, sql)} AS id`
    const value = field.kind === 'stored' ? sql.stored(field, toCodes(field, column, layout)) : sql.text(column)
    return `${value} AS ${quoteName(field.name)}`
  })
  return `${selectAll(view, model, layout, sql, [...columns, 'NULL AS _version'].join(', '))}`
}

/** `what` of the rows that the SELECT returns. */
export function selectAll(view: Resource, model: Model, layout: Layout, sql: ViewSql, what: string): string {
  const select = view.view![sql.store]!
  const tables = tablesIn(select, model, layout, sql)
  const head = tables.length === 0 ? '' : `WITH ${tables.join(', ')} `
  return `${head}SELECT ${what} FROM (${select}\n) AS ${viewAlias}`
}

/** The key as one text: a single value as it is; several as in a path, `year=2026,country=NO`. */
function idOf({ view }: Resource, sql: ViewSql): string {
  const { key, hasOwnId } = view!
  const column = ({ name }: StoredField) => sql.text(`${viewAlias}.${quoteName(name)}`)
  if (hasOwnId) return sql.text(`${viewAlias}.id`)
  const [first, ...others] = key
  if (first === undefined) return 'NULL'
  if (others.length === 0) return column(first)
  return key.map((field) => `'${field.name}=' || ${escaped(column(field))}`).join(` || ',' || `)
}

/** The characters that separate the parts of a path, percent-encoded. */
function escaped(text: string): string {
  const marks = [
    ['%', '%25'],
    [',', '%2C'],
    ['=', '%3D'],
  ]
  return marks.reduce((sql, [mark, code]) => `replace(${sql}, '${mark}', '${code}')`, text)
}

/** The types that the SELECT may name. A name that only stands in a text costs a table that nothing reads. */
function tablesIn(select: string, model: Model, layout: Layout, sql: ViewSql): string[] {
  const lower = select.toLowerCase()
  return model.resources.flatMap((resource) =>
    namesOf(resource)
      .filter((name) => lower.includes(name.toLowerCase()))
      .map((name) => `${quoteName(name)} AS (${rowsOf(resource, layout, sql)})`),
  )
}

function rowsOf(resource: Resource, layout: Layout, sql: ViewSql): string {
  const fields = columnsOf(resource).flatMap((field) => {
    const column = field.name === 'id' ? 'id' : quoteName(columnOf(layout, field).name)
    const value = field.kind === 'stored' ? fromCodes(field, sql.shown(field, column), layout) : column
    return namesOf(field).map((name) => `${value} AS ${quoteName(name)}`)
  })
  const { name, hides } = tableOf(layout, resource)
  return `SELECT ${fields.join(', ')} FROM ${sql.table(quoteName(name))}${hides === true ? ` WHERE ${isLive}` : ''}`
}

/** The storage names of enum values that were renamed, and their present names. */
function renamedValues({ type }: StoredField, { codes }: Layout): [code: string, name: string][] {
  if (type.kind !== 'enum') return []
  const pairs = type.enum.values.map(({ name }): [string, string] => [toStorage(name, type, codes) as string, name])
  return pairs.filter(([code, name]) => code !== name)
}

function fromCodes(field: StoredField, column: string, layout: Layout): string {
  return choose(column, renamedValues(field, layout))
}

function toCodes(field: StoredField, column: string, layout: Layout): string {
  return choose(
    column,
    renamedValues(field, layout).map(([code, name]) => [name, code]),
  )
}

function choose(column: string, pairs: readonly [from: string, to: string][]): string {
  if (pairs.length === 0) return column
  const cases = pairs.map(([from, to]) => `WHEN ${quoteText(from)} THEN ${quoteText(to)}`)
  return `CASE ${column} ${cases.join(' ')} ELSE ${column} END`
}

function columnsOf({ fields }: Resource): (StoredField | ReferenceField)[] {
  return [...fields.values()].filter(hasColumn)
}

function hasColumn(field: Field): field is StoredField | ReferenceField {
  return field.kind === 'stored' || field.kind === 'reference'
}

// A selection → one JSON text that the database builds, whatever the nesting. The server sends it unparsed.

import { unreachable } from '#base'
import { type Abstract, type InverseField, membersOf, type ReferenceField, type Resource } from '#model'
import {
  type ConnectionSelection,
  type EdgeSelection,
  type Guard,
  type PageInfoSelection,
  type PageRead,
  type Selection,
  signatureMarker,
  type TypeSelection,
} from '#plan'
import { type Layout, storageTypeOf, tableOf } from '../tables/layout.ts'
import { quoteText } from '../tables/quote.ts'
import { toStorage } from '../tables/storage-codes.ts'
import type { JsonContainers, Members, ResultList } from './dialect.ts'
import { compileGroups } from './groups/groups.ts'
import { compileHistory } from './history/history.ts'
import { compileCount, compileMore } from './page-counts.ts'
import { PageRowSource } from './page-row-source.ts'
import type { PageScope } from './page-scope.ts'
import { compileSize } from './rows.ts'
import { shownSource } from './shown-rows.ts'
import { SqlRow } from './sql-row.ts'
import { and, type StatementBuilder } from './statement-builder.ts'
import { compileValue, storedJson } from './stored-json.ts'
import { compileGuard, compileWhere, from, isConstant, pointsAt } from './where.ts'

/** The members of a row's object. */
export function compileMembers(selections: readonly Selection[], row: SqlRow, statement: StatementBuilder): Members {
  const members = selections.map((selection): [string, string] => [
    selection.key,
    compileSelection(selection, row, statement),
  ])
  const inputs = new Map<string, Selection>()
  for (const selection of selections)
    if (selection.kind === 'computed') for (const one of selection.from) inputs.set(one.key, one)
  for (const [key, selection] of inputs) members.push([key, compileSelection(selection, row, statement)])
  return members
}

/** The value of a selection, or a marker where its guard refuses the row's value. */
function compileSelection(selection: Selection, row: SqlRow, statement: StatementBuilder): string {
  const guard = 'guard' in selection ? selection.guard : undefined
  if (guard !== undefined && isConstant(guard, false)) return statement.dialect.forbiddenMarker
  const value = compileUnguarded(selection, row, statement)
  const conditions = [compileGuard(guard, row, statement), presence(selection, row)].filter((one) => one !== null)
  return conditions.length === 0 ? value : statement.dialect.visibleWhere(and(conditions), value)
}

/** An old entry of the change log may lack a field that is required now. */
function presence(selection: Selection, row: SqlRow): string | null {
  if (selection.kind !== 'field' && selection.kind !== 'value' && selection.kind !== 'id' && selection.kind !== 'one')
    return null
  const { field } = selection
  return field.kind === 'inverse' ? null : row.presence(field)
}

/** The value of a selection, whatever its guard. */
export function compileUnguarded(selection: Selection, row: SqlRow, statement: StatementBuilder): string {
  switch (selection.kind) {
    case 'constant':
      return selection.value === null ? 'NULL' : quoteText(selection.value)
    case 'version':
      return tableOf(row.layout, row.resource).hides === true ? `abs(${row.version})` : row.version
    case 'globalId':
      return `${quoteText(selection.prefix)} || ${row.id}`
    case 'url':
      return compileUrl(selection, row, statement)
    case 'field': {
      const { type, isOfViewer } = selection.field
      const value =
        isOfViewer === true ? `coalesce(${row.id} = ${statement.token()}, FALSE)` : row.stored(selection.field)
      if (selection.cut !== undefined)
        return statement.dialect.cut(type, value, statement.bind(selection.cut, { kind: 'number' }))
      return storedJson(type, value, statement, row.layout.codes)
    }
    case 'value':
      return compileValue(
        selection.field.type,
        row.stored(selection.field),
        selection.selections,
        statement,
        row.layout.codes,
      )
    case 'id':
      return compileId(selection.field, selection.targets, row, statement)
    case 'transitions':
      return compileTransitions(selection, row, statement)
    case 'one':
      return compileOne(selection.field, selection.types, row, statement)
    case 'many':
      return compilePage(selection.read, { field: selection.field, id: row.id }, row, statement)
    case 'groups':
      return compileGroups(selection.read, { field: selection.field, id: row.id }, row, statement)
    case 'changes':
      return compileHistory(selection.read, row, statement, compileUnguarded)
    case 'computed':
      return row.id // custom code computes the value by it
    default:
      return unreachable(selection)
  }
}

/** The signature comes last: it covers the variant. */
function compileUrl({ image, signed }: Selection & { kind: 'url' }, row: SqlRow, statement: StatementBuilder): string {
  const parts = [quoteText(`${row.layout.origin}/files/`), row.id]
  if (image !== undefined) parts.push(statement.bind(image, { kind: 'plain' }))
  if (signed === true) parts.push(quoteText(signatureMarker.text))
  return parts.join(' || ')
}

/** The states that the row can change to, in the order of their enum. */
function compileTransitions(
  { field, open }: Selection & { kind: 'transitions' },
  row: SqlRow,
  statement: StatementBuilder,
): string {
  const { dialect } = statement
  const states = statement.alias()
  const state = dialect.comparable(field.type, row.stored(field))
  const codeOf = (name: string): string => String(toStorage(name, field.type, row.layout.codes))
  const selects =
    open === undefined
      ? field.stateMachine.transitions.flatMap(({ from, to }) =>
          to.map((one) => [one, `${state} = ${quoteText(codeOf(from))}`] as const),
        )
      : open.map(({ to, when }) => [to, compileWhere(when, row, statement)] as const)
  if (selects.length === 0) return dialect.items('NULL', `(SELECT 1 WHERE FALSE)${dialect.subqueryAlias}`)
  const rows = selects.map(
    ([to, condition], at) => `SELECT ${at} AS place, ${quoteText(to)} AS state WHERE ${condition}`,
  )
  return dialect.items(
    `${states}.state`,
    `(SELECT * FROM (${rows.join(' UNION ALL ')})${dialect.subqueryAlias} ORDER BY place) AS ${states}`,
  )
}

/** The id of the referred row; NULL if that row does not pass the guard of its type. A reference to one of several types is
 *  `Type:id`: a client can write it back as it was read, even if two types have a row with that id. */
function compileId(
  field: ReferenceField | InverseField,
  targets: readonly TypeSelection[] | undefined,
  row: SqlRow,
  statement: StatementBuilder,
): string {
  if (field.kind === 'inverse') {
    return selectRow(field.to, targets?.[0]?.guard, row, statement, (other) => [
      other.id,
      pointsAt(other, field.via, row),
    ])
  }
  const { id, type } = row.reference(field)
  // No visible row refers to a hidden one.
  const isOpen = ({ of, guard }: { of: Resource; guard?: Guard | undefined }): boolean =>
    (guard === undefined || isConstant(guard, true)) && !(row.states !== null && tableOf(row.layout, of).hides === true)
  const cases: readonly { of: Resource; guard?: Guard | undefined }[] =
    targets ?? membersOf(field.to).map((of) => ({ of }))
  if (cases.every(isOpen)) {
    return type === null ? id : `${typeNameSql(field.to, type, row.layout)} || ':' || ${id}`
  }
  const ids = cases.map(({ of, guard }) => {
    const shown = (found: string): string => (type === null ? found : `${quoteText(`${of.name}:`)} || ${found}`)
    if (isOpen({ of, guard })) return [of, shown(id)] as const
    return [of, selectRow(of, guard, row, statement, (other) => [shown(other.id), `${other.id} = ${id}`])] as const
  })
  return byType(ids, type, row.layout)
}

/** The present name of a stored type. */
function typeNameSql(to: Resource | Abstract, type: string, layout: Layout): string {
  const renamed = membersOf(to).filter((of) => storageTypeOf(layout, of) !== of.name)
  if (renamed.length === 0) return type
  const names = renamed.map((of) => `WHEN ${quoteText(storageTypeOf(layout, of))} THEN ${quoteText(of.name)}`)
  return `CASE ${type} ${names.join(' ')} ELSE ${type} END`
}

/** A value or the object of one row: NULL if there is no row, or if it does not pass the guard. */
function selectRow(
  of: Resource,
  guard: Guard | undefined,
  near: SqlRow,
  statement: StatementBuilder,
  make: (row: SqlRow) => [value: string | Members, join: string],
): string {
  if (guard !== undefined && isConstant(guard, false)) return 'NULL'
  const row = new SqlRow(statement.alias(), of, near.layout)
  const [value, join] = make(row)
  const source = `${from(row)} WHERE ${and([join, compileGuard(guard, row, statement)])}`
  return typeof value === 'string' ? `(SELECT ${value} FROM ${source})` : statement.dialect.objectOf(value, source)
}

/** One value for each type that the row may have; `type` is the SQL of the type, null if there is only one. */
function byType(
  values: readonly (readonly [of: Resource, value: string])[],
  type: string | null,
  layout: Layout,
): string {
  if (type === null) return values[0]![1]
  return `CASE ${type} ${values.map(([of, value]) => `WHEN ${quoteText(storageTypeOf(layout, of))} THEN ${value}`).join(' ')} END`
}

function compileOne(
  field: ReferenceField | InverseField,
  cases: readonly TypeSelection[],
  row: SqlRow,
  statement: StatementBuilder,
): string {
  if (field.kind === 'inverse') {
    const { guard, selections } = cases[0]!
    return selectRow(field.to, guard, row, statement, (other) => [
      compileMembers(selections, other, statement),
      pointsAt(other, field.via, row),
    ])
  }
  const { id, type } = row.reference(field)
  return compileTypes(cases, id, type, row, statement)
}

/** The object of the row with this id; `type` is the SQL of its type, null if there is only one. */
function compileTypes(
  cases: readonly TypeSelection[],
  id: string,
  type: string | null,
  near: SqlRow,
  statement: StatementBuilder,
): string {
  const objects = cases.map(({ of, guard, selections }) => {
    const object = selectRow(of, guard, near, statement, (other) => [
      compileMembers(selections, other, statement),
      `${other.id} = ${id}`,
    ])
    return [of, object] as const
  })
  return byType(objects, type, near.layout)
}

/** A page of rows: a list, or a connection around it. */
export function compilePage(
  read: PageRead,
  scope: PageScope | null,
  near: SqlRow,
  statement: StatementBuilder,
  containers: JsonContainers = statement.dialect,
): string {
  if (read.shape.kind === 'connection')
    return compileConnection(read, read.shape.selections, scope, near, statement, containers)
  const { json, members, source } = compileItems(read, read.shape.types, scope, near, statement)
  return members === null ? statement.dialect.items(json, source(0)) : containers.objects(members, source(0))
}

/** A list that is the whole result, and whether rows follow it: `more` asks. */
export function compileResultList(
  read: PageRead,
  types: readonly TypeSelection[],
  scope: PageScope | null,
  near: SqlRow,
  statement: StatementBuilder,
  more: boolean,
): ResultList {
  const { dialect } = statement
  if (dialect.resultList === null) {
    const page = dialect.resultPage(compilePage(read, scope, near, statement, dialect.ofResult))
    return { ...page, more: more ? compileMore(read, scope, near, statement) : '0' }
  }
  const { json, members, source } = compileItems(read, types, scope, near, statement)
  const readsNext = more && types.every(({ selections }) => !hasRows(selections))
  const rows = source(readsNext ? 1 : 0)
  const items = members === null ? `(SELECT ${json} FROM ${rows})` : dialect.objectOf(members, rows)
  if (readsNext) return dialect.resultList(items, compileSize(read.page, statement).limit)
  const list = dialect.resultList(items, null)
  return more ? { ...list, more: compileMore(read, scope, near, statement) } : list
}

/** Whether an item contains rows of lists: too much to be built for the row behind the page, which nobody sees. */
export function hasRows(selections: readonly Selection[]): boolean {
  return selections.some((selection) => {
    if (selection.kind === 'one') return selection.types.some((type) => hasRows(type.selections))
    return selection.kind === 'many' || selection.kind === 'groups' || selection.kind === 'changes'
  })
}

interface ListItems {
  /** The members of each item, where all are of one type; else null. */
  members: Members | null
  /** An item, whatever its type. */
  json: string
  /** The rows of the page and so many more. */
  source: (extra: 0 | 1) => string
}

function compileItems(
  read: PageRead,
  types: readonly TypeSelection[],
  scope: PageScope | null,
  near: SqlRow,
  statement: StatementBuilder,
): ListItems {
  const page = new PageRowSource(read, near, statement)
  const members = page.one === null ? null : compileMembers(types[0]!.selections, page.one, statement)
  const json = page.one === null ? compileNodeByType(types, page, near, statement) : ''
  // Compiled last: by then the page knows which columns the items use.
  const source = (extra: 0 | 1) => `(${page.rows(scope, compileSize(read.page, statement, extra))}) AS ${page.alias}`
  return { members, json, source }
}

function compileConnection(
  read: PageRead,
  selections: readonly ConnectionSelection[],
  scope: PageScope | null,
  near: SqlRow,
  statement: StatementBuilder,
  containers: JsonContainers,
): string {
  const { dialect } = statement
  const page = new PageRowSource(read, near, statement)
  const table = statement.alias()
  const size = compileSize(read.page, statement).limit
  const shownRows = { table, alias: page.alias, size }
  const shown = shownSource(shownRows)
  const lists = selections.filter(({ kind }) => kind === 'edges').map(({ key }) => key)
  const members = selections.map((selection): [string, string] => [selection.key, compileConnectionPick(selection)])
  // Compiled last: by now the page knows which columns are used. One more row shows whether there is a next page.
  const rows = page.rows(scope, compileSize(read.page, statement, 1))
  return `(WITH ${table} AS MATERIALIZED (${rows}) SELECT ${containers.object(members, lists)})`

  function compileConnectionPick(selection: ConnectionSelection): string {
    switch (selection.kind) {
      case 'constant':
        return quoteText(selection.value)
      case 'totalCount':
        return compileCount(read, scope, near, statement, selection)
      case 'edges': {
        const [only, ...others] = selection.selections
        if (only?.kind === 'node' && others.length === 0 && page.one !== null)
          return containers.wrapped(only.key, compileMembers(only.types[0]!.selections, page.one, statement), shown)
        return containers.objects(compileEdge(selection.selections, page, near, statement), shown)
      }
      case 'pageInfo':
        return dialect.object(selection.selections.map((one) => [one.key, compilePageInfoPick(one)]))
      default:
        return unreachable(selection)
    }
  }

  function compilePageInfoPick(selection: PageInfoSelection): string {
    const count = `(SELECT count(*) FROM ${table})`
    switch (selection.kind) {
      case 'constant':
        return quoteText(selection.value)
      case 'hasNextPage':
        return dialect.flag(`${count} > ${size}`)
      case 'hasPreviousPage':
        return dialect.boolean(hasPreviousPage(read))
      case 'startCursor':
        return `(SELECT ${page.cursor()} FROM ${shown} LIMIT 1)`
      case 'endCursor':
        return page.lastCursor(shownRows)
      default:
        return unreachable(selection)
    }
  }
}

/** The row of the cursor was a row of this list. */
export function hasPreviousPage({ page }: PageRead): boolean {
  return page.kind === 'keyset' && page.after !== null
}

/** The members of an edge. */
export function compileEdge(
  selections: readonly EdgeSelection[],
  page: PageRowSource,
  near: SqlRow,
  statement: StatementBuilder,
): Members {
  return selections.map((selection) => [selection.key, compilePick(selection)])

  function compilePick(selection: EdgeSelection): string {
    switch (selection.kind) {
      case 'constant':
        return quoteText(selection.value)
      case 'node':
        return compileNode(selection.types, page, near, statement)
      case 'cursor':
        return page.cursor()
      default:
        return unreachable(selection)
    }
  }
}

function compileNode(
  types: readonly TypeSelection[],
  page: PageRowSource,
  near: SqlRow,
  statement: StatementBuilder,
): string {
  if (page.one === null) return compileNodeByType(types, page, near, statement)
  return statement.dialect.object(compileMembers(types[0]!.selections, page.one, statement))
}

function compileNodeByType(
  types: readonly TypeSelection[],
  page: PageRowSource,
  near: SqlRow,
  statement: StatementBuilder,
): string {
  return compileTypes(types, `${page.alias}.id`, `${page.alias}.type`, near, statement)
}

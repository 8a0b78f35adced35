// A page of rows as JSON text: a list, or a connection around it.

import { unreachable } from '#base'
import { membersOf } from '#model'
import type { ConnectionSelection, EdgeSelection, OrderKey, PageInfoSelection, PageRead, TypeSelection } from '#plan'
import { orderName } from '#plan/build'
import { Row } from './row.ts'
import { compileCount, compileRows, compileSize, guarded, keyOf, orderBy, type Scope, type Size } from './rows.ts'
import { compileCases, compileMembers } from './selection.ts'
import { type Statement, text } from './statement.ts'
import { jsonOf } from './storage-json.ts'

export function compileMany(read: PageRead, scope: Scope | null, near: Row, statement: Statement): string {
  if (read.shape.kind === 'connection') return compileConnection(read, read.shape.selections, scope, near, statement)
  const page = new PageRow(read, near, statement)
  return page.list(read.shape.types, () => `(${page.rows(scope, compileSize(read.page, statement))}) AS ${page.alias}`)
}

function compileConnection(
  read: PageRead,
  selections: readonly ConnectionSelection[],
  scope: Scope | null,
  near: Row,
  statement: Statement,
): string {
  const { dialect } = statement
  const page = new PageRow(read, near, statement)
  const table = statement.alias()
  const size = compileSize(read.page, statement).limit
  const shown = `(SELECT * FROM ${table} LIMIT ${size}) AS ${page.alias}`
  const members = selections.map((selection): [string, string] => [selection.key, compileConnectionPick(selection)])
  // Compiled last: by now the page knows which columns were asked for. One row more tells whether there is a next page.
  const rows = page.rows(scope, compileSize(read.page, statement, 1))
  return `(WITH ${table} AS MATERIALIZED (${rows}) SELECT ${dialect.object(members)})`

  function compileConnectionPick(selection: ConnectionSelection): string {
    switch (selection.kind) {
      case 'constant':
        return text(selection.value)
      case 'totalCount':
        return compileCount(read, scope, near, statement)
      case 'edges': {
        const edge = selection.selections.map((one): [string, string] => [one.key, compileEdgePick(one)])
        return dialect.objects(edge, shown)
      }
      case 'pageInfo':
        return dialect.object(selection.selections.map((one) => [one.key, compilePageInfoPick(one)]))
      default:
        return unreachable(selection)
    }
  }

  function compileEdgePick(selection: EdgeSelection): string {
    switch (selection.kind) {
      case 'constant':
        return text(selection.value)
      case 'node':
        return page.object(selection.types)
      case 'cursor':
        return page.cursor()
      default:
        return unreachable(selection)
    }
  }

  function compilePageInfoPick(selection: PageInfoSelection): string {
    const count = `(SELECT count(*) FROM ${table})`
    switch (selection.kind) {
      case 'constant':
        return text(selection.value)
      case 'hasNextPage':
        return dialect.flag(`${count} > ${size}`)
      case 'hasPreviousPage':
        // What the cursor points behind was a row of this list.
        return dialect.boolean(read.page.kind === 'keyset' && read.page.after !== null)
      case 'startCursor':
        return `(SELECT ${page.cursor()} FROM ${shown} LIMIT 1)`
      case 'endCursor':
        return page.lastCursor(shown)
      default:
        return unreachable(selection)
    }
  }
}

/** A row of the page. Of one type it carries the columns that are picked; of several, its type, its id and the keys of the
 *  order, and the picked columns are read by the id. */
class PageRow {
  readonly alias: string
  readonly #read: PageRead
  readonly #near: Row
  readonly #statement: Statement
  readonly #one: Row | null

  constructor(read: PageRead, near: Row, statement: Statement) {
    this.alias = statement.alias()
    this.#read = read
    this.#near = near
    this.#statement = statement
    this.#one = read.of.kind === 'resource' ? new Row(this.alias, read.of, near.layout) : null
  }

  /** `source` is asked when the page knows which columns are picked of it. */
  list(cases: readonly TypeSelection[], source: () => string): string {
    const { dialect } = this.#statement
    if (this.#one === null) {
      const object = this.#objectByType(cases)
      return dialect.items(object, source())
    }
    const members = compileMembers(cases[0]!.selections, this.#one, this.#statement)
    return dialect.objects(members, source())
  }

  object(cases: readonly TypeSelection[]): string {
    if (this.#one === null) return this.#objectByType(cases)
    return this.#statement.dialect.object(compileMembers(cases[0]!.selections, this.#one, this.#statement))
  }

  #objectByType(cases: readonly TypeSelection[]): string {
    return compileCases(cases, `${this.alias}.id`, `${this.alias}.type`, this.#near, this.#statement)
  }

  cursor(): string {
    return this.#statement.dialect.cursor(this.#order(), this.#keys())
  }

  /** Of the last row that is shown. */
  lastCursor(shown: string): string {
    return this.#statement.dialect.lastCursor(this.#order(), this.#keys(), shown)
  }

  #order(): string {
    return orderName(this.#read.of, this.#read.order)
  }

  #keys(): string[] {
    return this.#read.order.map((key, index) => {
      return this.#statement.dialect.key(key.kind === 'field' ? key.field.type : null, this.#keyJson(key, index))
    })
  }

  #keyJson(key: OrderKey, index: number): string {
    if (this.#one !== null && key.kind === 'field') {
      const value = jsonOf(key.field.type, this.#one.stored(key.field), this.#statement)
      return guarded(value, key, this.#one, this.#statement)
    }
    const column = `${this.alias}.k${index}`
    return key.kind === 'field' ? jsonOf(key.field.type, column, this.#statement) : column
  }

  rows(scope: Scope | null, size: Size): string {
    if (this.#one === null) return this.#union(scope, size)
    return compileRows(this.#read, this.#one.resource, scope, this.#one, size, this.#statement)
  }

  /** The first rows of each type, put in order together. */
  #union(scope: Scope | null, size: Size): string {
    const statement = this.#statement
    const { order, of } = this.#read
    // Of each type as many rows as the page and what it leaves out before it could take.
    const each = { limit: size.offset === null ? size.limit : `${size.limit} + ${size.offset}`, offset: null }
    const members = membersOf(of).map((resource) => {
      const row = new Row(statement.alias(), resource, this.#near.layout)
      const keys = order.map((key, index) => `${keyOf(key, row, statement)} AS k${index}`)
      const columns = [`${row.typeName} AS type`, `${row.id} AS id`, ...keys]
      return `SELECT ${columns.join(', ')} FROM (${compileRows(this.#read, resource, scope, row, each, statement)}) AS ${row.alias}`
    })
    const sort = order.map((key, index) => orderBy(key, `k${index}`))
    const offset = size.offset === null ? '' : ` OFFSET ${size.offset}`
    return `SELECT * FROM (${members.join(' UNION ALL ')})${statement.dialect.unnamed} ORDER BY ${sort.join(', ')} LIMIT ${size.limit}${offset}`
  }
}

// The rows of a page as one row source, whether they are of one type or of several, and their cursors.

import { membersOf } from '#model'
import type { OrderKey, PageRead } from '#plan'
import { orderName } from '#plan/build'
import { keyColumn } from './computed-order.ts'
import type { CollectedKey } from './dialect.ts'
import { compileDistinctRows, compileFirstRows, isDistinct } from './distinct-rows.ts'
import { isByColumns, isComputed } from './order-keys.ts'
import type { PageScope } from './page-scope.ts'
import { compileRows, type PageSize } from './rows.ts'
import type { ShownRows } from './shown-rows.ts'
import { guardValue, orderBy, sortedJson, sortValue } from './sort-terms.ts'
import { pageRow, SqlRow } from './sql-row.ts'
import type { StatementBuilder } from './statement-builder.ts'
import { storedJson } from './stored-json.ts'

/** Rows of one type carry the selected columns. Rows of several types carry their type, their id and the sort keys; the
 *  selected columns are then read by the id. */
export class PageRowSource {
  readonly alias: string
  readonly #read: PageRead
  readonly #near: SqlRow
  readonly #statement: StatementBuilder
  /** Whether the page has its sort keys as columns (`computed-order.ts`). */
  readonly #hasKeys: boolean
  /** The row, where all rows of the page are of one type; else null. */
  readonly one: SqlRow | null

  constructor(read: PageRead, near: SqlRow, statement: StatementBuilder) {
    this.alias = statement.alias()
    this.#read = read
    this.#near = near
    this.#statement = statement
    this.#hasKeys = !isByColumns(read.order) || isDistinct(read)
    this.one = read.of.kind === 'resource' ? pageRow(read, this.alias, read.of, near.layout) : null
  }

  cursor(): string {
    return this.#statement.dialect.cursor(this.order, this.#keys())
  }

  /** The cursor of the last row of the page. */
  lastCursor(shown: ShownRows): string {
    return this.#statement.dialect.lastCursor(this.order, this.#keys(), shown)
  }

  /** For the cursors of several rows. A stored value becomes JSON only where a cursor is made of it. */
  collectedKeys(): CollectedKey[] {
    const { dialect } = this.#statement
    return this.#read.order.map((key, index) => {
      if (this.#hasKeys || this.one === null || key.kind !== 'field' || key.guard !== undefined)
        return { column: dialect.key(this.#keyJson(key, index)), json: (value) => value }
      const { codes } = this.one.layout
      return {
        column: this.one.stored(key.field),
        json: (value) => dialect.key(storedJson(key.field.type, value, this.#statement, codes)),
      }
    })
  }

  get order(): string {
    return orderName(this.#read.of, this.#read.order)
  }

  #keys(): string[] {
    return this.#read.order.map((key, index) => this.#statement.dialect.key(this.#keyJson(key, index)))
  }

  #keyJson(key: OrderKey, index: number): string {
    if (this.#hasKeys) {
      const column = `${this.alias}.${this.one === null ? `k${index}` : keyColumn(index)}`
      return sortedJson(key, column, this.#near, this.#statement)
    }
    if (this.one !== null && key.kind === 'field') {
      const value = storedJson(key.field.type, this.one.stored(key.field), this.#statement, this.one.layout.codes)
      return guardValue(value, key, this.one, this.#statement)
    }
    return sortedJson(key, `${this.alias}.k${index}`, this.#near, this.#statement)
  }

  rows(scope: PageScope | null, size: PageSize): string {
    if (isDistinct(this.#read)) {
      if (this.one !== null) return compileDistinctRows(this.#read, scope, this.one, size, this.#statement)
      const keys = this.#read.order.map((_, index) => `${keyColumn(index)} AS k${index}`)
      const rows = compileFirstRows(this.#read, scope, this.#near, size, this.#statement)
      return `SELECT type, id, ${keys.join(', ')} FROM (${rows})${this.#statement.dialect.subqueryAlias}`
    }
    if (this.one === null) return this.#union(scope, size)
    return compileRows(this.#read, this.one.resource, scope, this.one, size, this.#statement)
  }

  #memberKey(key: OrderKey, index: number, row: SqlRow): string {
    if (this.#hasKeys || isComputed(key)) return `${row.alias}.${keyColumn(index)}`
    return sortValue(key, row, this.#statement)
  }

  /** The first rows of each type, merged in order. */
  #union(scope: PageScope | null, size: PageSize): string {
    const statement = this.#statement
    const { order, of } = this.#read
    // Of each type as many rows as the page and its offset could take.
    const each = { limit: size.offset === null ? size.limit : `${size.limit} + ${size.offset}`, offset: null }
    const members = membersOf(of).map((resource) => {
      const row = new SqlRow(statement.alias(), resource, this.#near.layout)
      const keys = order.map((key, index) => `${this.#memberKey(key, index, row)} AS k${index}`)
      const columns = [`${row.typeName} AS type`, `${row.id} AS id`, ...keys]
      return `SELECT ${columns.join(', ')} FROM (${compileRows(this.#read, resource, scope, row, each, statement)}) AS ${row.alias}`
    })
    const sort = order.map((key, index) => orderBy(key, [`k${index}`]))
    const offset = size.offset === null ? '' : ` OFFSET ${size.offset}`
    return `SELECT * FROM (${members.join(' UNION ALL ')})${statement.dialect.subqueryAlias} ORDER BY ${sort.join(', ')} LIMIT ${size.limit}${offset}`
  }
}

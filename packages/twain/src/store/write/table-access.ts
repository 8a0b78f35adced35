// The statements of one resource's table that a write needs, their texts made once.

import type { LinksField, ReferenceField, Resource, StoredField } from '#model'
import { encodeColumn, type SqlValue } from '../compile/encode.ts'
import { name } from '../compile/statement.ts'
import { type Column, type Layout, tableOf } from '../layout.ts'
import type { Statements } from '../sqlite/connection.ts'

/** A row as the table keeps it: its version, and each column's value by the column's name. */
export interface StoredRow {
  id: string
  version: number
  values: Map<string, SqlValue>
}

export class TableAccess {
  readonly resource: Resource
  readonly columns: ReadonlyMap<StoredField | ReferenceField, Column>
  readonly links: LinksField[]
  readonly #statements: Statements
  readonly #names: string[]
  readonly #table: string
  readonly #select: string
  readonly #insert: string

  constructor(resource: Resource, layout: Layout, statements: Statements) {
    const table = tableOf(layout, resource)
    this.resource = resource
    this.columns = table.columns
    this.links = [...resource.fields.values()].filter((field) => field.kind === 'links')
    this.#statements = statements
    this.#table = name(table.name)
    this.#names = [...table.columns.values()].flatMap((column) => columnNames(column))
    const list = ['_version', ...this.#names].map(name).join(', ')
    this.#select = `SELECT ${list} FROM ${this.#table} WHERE id = ?`
    const places = ['?', '?', ...this.#names.map(() => '?')].join(', ')
    this.#insert = `INSERT INTO ${this.#table} (id, ${list}) VALUES (${places})`
  }

  find(id: string): StoredRow | null {
    const found = this.#statements.get(this.#select).get(id) as unknown as SqlValue[] | undefined
    if (found === undefined) return null
    const values = new Map(this.#names.map((column, index) => [column, found[index + 1]!]))
    return { id, version: Number(found[0]), values }
  }

  has(id: string): boolean {
    return this.#statements.get(`SELECT 1 FROM ${this.#table} WHERE id = ?`).get(id) !== undefined
  }

  insert({ id, version, values }: StoredRow): void {
    const row = this.#names.map((column) => values.get(column) ?? null)
    this.#statements.get(this.#insert).run(id, version, ...row)
  }

  update(id: string, version: number, changed: ReadonlyMap<string, SqlValue>): void {
    const sets = ['_version', ...changed.keys()].map((column) => `${name(column)} = ?`).join(', ')
    this.#statements.get(`UPDATE ${this.#table} SET ${sets} WHERE id = ?`).run(version, ...changed.values(), id)
  }

  delete(id: string): void {
    this.#statements.get(`DELETE FROM ${this.#table} WHERE id = ?`).run(id)
  }

  /** Whether another row has these values in these columns. */
  hasOther(id: string, columns: readonly string[], values: readonly SqlValue[]): boolean {
    const same = columns.map((column) => `${name(column)} = ?`).join(' AND ')
    const sql = `SELECT 1 FROM ${this.#table} WHERE ${same} AND id <> ? LIMIT 1`
    return this.#statements.get(sql).get(...values, id) !== undefined
  }

  /** The ids of the rows that refer to the row of this type and id. */
  referring(field: ReferenceField, type: string, id: string): string[] {
    const column = this.columns.get(field)!
    const isType = column.type === null ? '' : ` AND ${name(column.type)} = ?`
    const sql = `SELECT id FROM ${this.#table} WHERE ${name(column.name)} = ?${isType}`
    const found = this.#statements.get(sql).all(id, ...(column.type === null ? [] : [type]))
    return found.map((row) => String((row as unknown as SqlValue[])[0]))
  }

  /** What is kept of a field's canonical value, by column. A reference's value is resolved before it comes here. */
  encode(field: StoredField | ReferenceField, value: unknown): [string, SqlValue][] {
    const column = this.columns.get(field)!
    if (field.kind === 'stored') return [[column.name, encodeColumn(value, field.type)]]
    const target = value as { type: string; id: string } | null
    const id: [string, SqlValue] = [column.name, target?.id ?? null]
    return column.type === null ? [id] : [id, [column.type, target?.type ?? null]]
  }
}

export function columnNames({ name: column, type }: Column): string[] {
  return type === null ? [column] : [column, type]
}

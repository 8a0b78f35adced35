// The queries of a write on one resource's table. Their SQL is built once.

import { Cache, type CacheBudget, textKey } from '#base'
import type { LinksField, ReferenceField, Resource, StoredField, ToManyField } from '#model'
import type { RowImages } from '../../changes/row-images.ts'
import type { BoundRead } from '../../sql/bind.ts'
import type { SqlValue } from '../../sql/encode.ts'
import { checkedId, type Query, type QueryRows } from '../../sql/query.ts'
import type { NewRowRead } from '../../sql/read.ts'
import { searchedTable } from '../../sql/search/searched-table.ts'
import { withShiftedParameters } from '../../sql/shifted-parameters.ts'
import type { WriteDialect } from '../../sql/write-dialect.ts'
import { type SystemQuery, systemQuery } from '../../system/system-tables.ts'
import { deleteTrash } from '../../system/trash-table.ts'
import { isLive, type Layout, StorageTypeNames, type Table, tableOf } from '../../tables/layout.ts'
import { quoteName } from '../../tables/quote.ts'
import type { StorageCodes } from '../../tables/storage-codes.ts'
import type { TableColumn } from '../../tables/storage-names.ts'
import type { JobKey } from '../steps/write-job.ts'
import { type ChangeEntry, ChangeStatements } from './change-statements.ts'
import { type ColumnBeside, SearchAccess } from './search-access.ts'
import { fillId, isHidden, type RowReference, type StoredRow } from './stored-row.ts'

/** Fields whose combined values must be unique. */
interface UniqueConstraint {
  fields: string[]
  columns: string[]
  /** Returns a row if another row has these values. */
  sql: string
  /** Selects and locks the row that has these values, its id first. */
  find: { change: string; delete: string }
}

/** `after` runs once all rows are written. */
interface InsertedRows {
  queries: Query[]
  after: Query[]
  writtenBy(found: readonly QueryRows[]): number
}

/** PostgreSQL allows 65,535 for a statement, SQLite 32,766. */
const maxParameters = 16_000

const insertSizes = [200, 50, 10, 1]

/** How many rows a statement creates and reads at most (`Query.several`). */
const maxReadInserts = 32

/** A count must not block the writer. */
const maxCounted = 1_000_000

export class TableAccess {
  readonly resource: Resource
  readonly columns: ReadonlyMap<StoredField | ReferenceField, TableColumn>
  readonly links: LinksField[]
  readonly uniques: UniqueConstraint[]
  /** The lists with default children. */
  readonly defaultLists: ToManyField[]
  readonly #dialect: WriteDialect
  readonly #query: SystemQuery
  /** The storage name of the type. */
  readonly #type: string
  readonly #codes: StorageCodes
  readonly #types: StorageTypeNames
  readonly #names: string[]
  readonly #table: string
  readonly #find: { change: string; delete: string; read: string }
  readonly #has: { one: string; each: string }
  readonly #changes: ChangeStatements
  readonly #insert: { plain: string; linked: string }
  /** See `ChangeStatements.beginning`. */
  readonly #insertBeginning: string | null
  /** The statements that create a row and read it back, by what reads it, which clients choose. */
  readonly #readInserts: Cache<string, Pick<Query, 'sql' | 'several'>>
  /** By the number of rows. */
  readonly #inserts = new Map<number, string>()
  readonly #delete: string
  readonly #hide: string
  readonly #purge: string
  /** Whether the table may hold hidden rows for a time: also those of a newer schema, which another node serves. */
  readonly hides: boolean
  /** The UPDATE statements by their columns, which clients choose. */
  readonly #updates: Cache<string, string>
  readonly #referring: Map<ReferenceField, string>
  /** The columns of texts with keys. */
  readonly #keys: readonly { column: string; key: string }[]
  /** Null: the type has no searched fields. */
  readonly #words: SearchAccess | null

  constructor(resource: Resource, layout: Layout, dialect: WriteDialect, images: RowImages, budget: CacheBudget) {
    this.#updates = new Cache({ name: 'sql_texts', budget, bytes: (sql) => sql.length })
    this.#readInserts = new Cache({ name: 'sql_texts', budget, bytes: ({ sql }) => maxReadInserts * sql.length })
    const table = tableOf(layout, resource)
    const { lock } = dialect
    this.resource = resource
    this.columns = table.columns
    this.links = [...resource.fields.values()].filter((field) => field.kind === 'links')
    this.defaultLists = [...resource.fields.values()]
      .filter((field) => field.kind === 'many')
      .filter((field) => field.defaultChildren.length > 0)
    this.#dialect = dialect
    this.#query = systemQuery(dialect)
    this.#type = table.type
    this.#codes = layout.codes
    this.#types = new StorageTypeNames(layout)
    this.#table = quoteName(table.name)
    this.#names = [...table.columns.values()].flatMap((column) => columnNames(column))
    const list = ['_version', ...this.#names].map(quoteName).join(', ')
    this.#keys = [...(table.keys ?? [])].map(([field, key]) => ({ column: table.columns.get(field)!.name, key }))
    const searched = searchedTable(resource, layout)
    this.#words = searched === null ? null : new SearchAccess(searched, dialect)
    const find = `SELECT ${list} FROM ${this.#table} WHERE id = ?1`
    this.#find = {
      change: dialect.text(find + lock.change),
      delete: dialect.text(find + lock.delete),
      read: dialect.text(find),
    }
    const has = (id: string) => dialect.text(`SELECT 1 FROM ${this.#table} WHERE id = ${id} AND ${isLive}${lock.refer}`)
    this.#has = { one: has('?1'), each: has(checkedId) }
    this.hides = table.hides === true || dialect.servedSchema !== null
    this.#changes = new ChangeStatements(table.type, { name: table.name, quoted: this.#table }, dialect, images)
    const [insert, width] = [this.#insertText(1), this.#insertWidth]
    this.#insert = {
      plain: this.#changes.text(insert, width, 'created', false),
      linked: this.#changes.text(insert, width, 'created', true),
    }
    this.#insertBeginning = this.#changes.beginning(insert, width)
    this.#delete = this.#changes.text(`DELETE FROM ${this.#table} AS t WHERE t.id = ?1`, 1, 'deleted', false)
    this.#hide = this.#changes.text(`UPDATE ${this.#table} AS t SET _version = ?2 WHERE t.id = ?1`, 2, 'deleted', false)
    this.#purge = dialect.text(`DELETE FROM ${this.#table} WHERE id = ?1 AND _version < 0`)
    this.#referring = new Map(
      [...table.columns].flatMap(([field, column]) =>
        field.kind === 'reference' ? [[field, dialect.text(this.#referringText(field, column))]] : [],
      ),
    )
    this.uniques = resource.indexes
      .filter(({ unique, fields }) => unique && !fields.some((field) => field.name === 'id'))
      .map(({ fields }) => {
        const columns = fields.flatMap((field) => columnNames(table.columns.get(field)!))
        const compared = fields.flatMap((field) => {
          const names = columnNames(table.columns.get(field)!).map(quoteName)
          return field.kind === 'stored' ? names.map((one) => dialect.comparable(field.type, one)) : names
        })
        const same = compared.map((column, index) => `${column} = ?${index + 1}`).join(' AND ')
        const isTaking = takesUnique(table, columns, dialect)
        const row = `SELECT id, ${list} FROM ${this.#table} WHERE ${same}${isTaking}`
        return {
          fields: fields.map((field) => field.name),
          columns,
          sql: dialect.text(this.#otherText(compared, isTaking)),
          find: { change: dialect.text(row + lock.change), delete: dialect.text(row + lock.delete) },
        }
      })
  }

  /** So many rows, with `width` parameters for each, of which the first are its columns. */
  #insertText(count: number, width = 0): string {
    const along = this.#beside({ id: '', version: 1, values: new Map() })
    const own = this.#names.length + 2
    const tuples = Array.from({ length: count }, (_, row) => {
      const place = (index: number) => `?${row * width + index + 1}`
      const values = Array.from({ length: own }, (_value, index) => place(index))
      return `(${[...values, ...along.map(({ sql }, index) => sql(place(own + index)))].join(', ')})`
    })
    const columns = ['id', '_version', ...this.#names, ...along.map(({ column }) => column)].map(quoteName).join(', ')
    return `INSERT INTO ${this.#table} AS t (${columns}) VALUES ${tuples.join(', ')}`
  }

  /** How many columns an INSERT sets. */
  get #insertWidth(): number {
    return this.#names.length + 2 + this.#beside({ id: '', version: 1, values: new Map() }).length
  }

  /** Creates these rows and logs them, if no row takes an id or a unique value of theirs. `writtenBy` tells from what the queries
   *  return how many rows they have written. */
  insertAll(rows: readonly StoredRow[], entry: ChangeEntry): InsertedRows {
    const queries: Query[] = []
    for (const some of inSizes(rows, this.#insertSizes)) {
      const own = some.flatMap((row) => [
        row.id,
        row.version,
        ...this.#names.map((column) => row.values.get(column) ?? null),
        ...this.#beside(row).map(({ value }) => value),
      ])
      const sql = this.#severalText(some.length)
      if (!this.#changes.isLoggedWithRow) queries.push({ sql, parameters: own }, ...this.#changes.countOfSeveral)
      else {
        const changes = this.#changes.createdKeys(some.map(({ id }) => id))
        queries.push({ sql, parameters: [...own, ...this.#changes.entryValues(entry)], changes })
      }
    }
    const entries = this.#changes.entriesOfSeveral(
      rows.map(({ id }) => id),
      entry,
    )
    const words = this.#words === null ? [] : rows.flatMap((row) => this.#words!.beside(row))
    const writtenBy = (found: readonly QueryRows[]) =>
      found.reduce((sum, [counted]) => sum + Number(counted?.[0] ?? 0), 0)
    return { queries, after: entries === null ? words : [entries, ...words], writtenBy }
  }

  #severalText(count: number): string {
    let text = this.#inserts.get(count)
    if (text !== undefined) return text
    const width = this.#insertWidth
    const insert = `${this.#insertText(count, width)} ON CONFLICT DO NOTHING`
    text = this.#changes.textOfSeveral(insert, count * width + 1)
    this.#inserts.set(count, text)
    return text
  }

  /** How many rows one statement inserts, largest first: few texts for any number of rows, each below the most parameters of a
   *  statement. */
  get #insertSizes(): number[] {
    const most = Math.max(1, Math.floor(maxParameters / (this.#names.length + this.#keys.length + 8)))
    return insertSizes.filter((size) => size <= most)
  }

  #referringText({ onDelete }: ReferenceField, column: TableColumn): string {
    const { lock } = this.#dialect
    const locked = onDelete === 'CASCADE' ? lock.delete : onDelete === 'SET_NULL' ? lock.change : ''
    const most = column.type === null ? '?2' : '?3'
    const columns = this.hides ? 'id, _version' : 'id'
    return `SELECT ${columns} FROM ${this.#table} WHERE ${refers(column)} LIMIT CAST(${most} AS INTEGER)${locked}`
  }

  #otherText(compared: readonly string[], isTaking: string): string {
    const same = compared.map((column, index) => `${column} = ?${index + 2}`).join(' AND ')
    return `SELECT 1 FROM ${this.#table} WHERE ${same} AND id <> ?1${isTaking} LIMIT 1`
  }

  /** Selects and locks the row; `row` or `storedRow` reads the result. */
  find(id: string, to: 'change' | 'delete'): Query {
    return { sql: this.#find[to], parameters: [id] }
  }

  /** Selects the row without a lock. */
  read(id: string): Query {
    return { sql: this.#find.read, parameters: [id] }
  }

  /** Selects and locks the row that has this key; `keyedRow` reads the result. */
  findKey({ fields, values }: JobKey, to: 'change' | 'delete'): Query {
    const unique = this.uniques.find((one) => one.fields.every((name, index) => name === fields[index]))
    if (unique === undefined) throw new Error(`${this.resource.name} has no key ${fields.join()}`)
    return { sql: unique.find[to], parameters: this.#keyValues(fields, values) }
  }

  #keyValues(fields: readonly string[], values: readonly unknown[]): SqlValue[] {
    return fields.map((name, index) => {
      const field = this.resource.fields.get(name) as StoredField | ReferenceField
      if (field.kind === 'reference') return values[index] as string
      return this.#dialect.encode(values[index], field.type, this.#codes)
    })
  }

  /** Null also if the row is being deleted in the background. */
  keyedRow([found]: QueryRows): StoredRow | null {
    if (found === undefined) return null
    const [id, ...others] = found
    return this.row(String(id), [others])
  }

  /** The same for a row that was found by its id. */
  row(id: string, found: QueryRows): StoredRow | null {
    const row = this.storedRow(id, found)
    return row === null || isHidden(row) ? null : row
  }

  storedRow(id: string, [found]: QueryRows): StoredRow | null {
    if (found === undefined) return null
    const values = new Map(this.#names.map((column, index) => [column, found[index + 1]!]))
    return { id, version: Number(found[0]), values }
  }

  /** Locks rows in the order of their ids; nothing on a database that has one writer. */
  lockRows(ids: readonly string[], to: 'change' | 'delete'): Query[] {
    const lock = this.#dialect.lock[to]
    if (lock === '') return []
    const listed = `id IN (SELECT value FROM ${this.#dialect.jsonTexts('?1')})`
    const sql = this.#dialect.text(`SELECT id FROM ${this.#table} WHERE ${listed} ORDER BY id${lock}`)
    return [{ sql, parameters: [JSON.stringify(ids)] }]
  }

  /** Returns a row if the id exists, and locks it against a delete. */
  has(id: string): Query {
    return { sql: this.#has.one, parameters: [id], ofEachId: this.#has.each }
  }

  /** Creates the row and logs it. */
  insert(row: StoredRow, entry: ChangeEntry): Query[] {
    const { id, version, values } = row
    const own = this.#names.map((column) => values.get(column) ?? null)
    const along = this.#beside(row)
    const text = entry.links === null ? this.#insert.plain : this.#insert.linked
    const insert = this.#changes.queries(text, [id, version, ...own, ...along.map(({ value }) => value)], entry)
    return this.#words === null ? insert : [...insert, ...this.#words.beside(row)]
  }

  /** Creates the row, logs it and reads it back with one statement; null if `save`, which creates it, does more than that, or if
   *  the read back looks at other rows of its table. */
  insertAndRead([insert, ...others]: readonly Query[], readBack: BoundRead, id: string): Query | null {
    const { ofNewRow } = readBack
    if (others.length > 0 || ofNewRow === undefined || this.#insertBeginning === null) return null
    if (insert?.sql !== this.#insert.plain) return null
    let text = this.#readInserts.get(ofNewRow.one)
    if (text === undefined) {
      text = this.#readInsert(ofNewRow, this.#insertBeginning, insert.parameters.length)
      this.#readInserts.set(ofNewRow.one, text)
    }
    const alone = fillId(readBack, id)
    const parameters = text.several === undefined ? [...insert.parameters, ...alone.parameters] : insert.parameters
    return { ...insert, ...text, parameters, readBack: alone }
  }

  #readInsert({ one, several }: NewRowRead, beginning: string, width: number): Pick<Query, 'sql' | 'several'> {
    if (several === null || width * maxReadInserts > maxParameters)
      return { sql: beginning + withShiftedParameters(one, width) }
    const texts = new Map<number, string>()
    return {
      sql: beginning + several,
      several: {
        table: this.#table,
        text: (count) => {
          let text = texts.get(count)
          if (text === undefined) {
            text = this.#changes.beginningOfSeveral(this.#insertText(count, width), count, width) + several
            texts.set(count, text)
          }
          return text
        },
      },
    }
  }

  /** What an INSERT sets beside the columns of the fields: the keys of texts, and search words. */
  #beside(row: StoredRow): ColumnBeside[] {
    return [...this.#keysOf(row.values, true), ...(this.#words?.inside(row, true) ?? [])]
  }

  /** The keys of the texts that are written: of all columns, or of those that change. */
  #keysOf(values: ReadonlyMap<string, SqlValue>, all: boolean): ColumnBeside[] {
    const written = all ? this.#keys : this.#keys.filter(({ column }) => values.has(column))
    return written.map(({ column, key }) => {
      const text = values.get(column)
      return { column: key, sql: (place) => place, value: typeof text === 'string' ? textKey(text) : null }
    })
  }

  /** Writes the next version of the row and logs it. */
  update({ id, values }: StoredRow, changed: ReadonlyMap<string, SqlValue>, entry: ChangeEntry): Query[] {
    const next: StoredRow = { id, version: entry.version, values }
    if (this.#words === null) return this.#update(next, changed, [], entry)
    const isTouched = this.#words.isTouched(changed)
    if (isTouched) next.values = new Map([...values, ...changed])
    const update = this.#update(next, changed, this.#words.inside(next, isTouched), entry)
    return isTouched ? [...update, ...this.#words.beside(next)] : update
  }

  #update(
    { id, version }: StoredRow,
    changed: ReadonlyMap<string, SqlValue>,
    words: readonly ColumnBeside[],
    entry: ChangeEntry,
  ): Query[] {
    const along = [...this.#keysOf(changed, false), ...words]
    const columns = [...changed.keys(), ...along.map(({ column }) => column)]
    const hasLinks = entry.links !== null
    const key = `${entry.kind} ${hasLinks ? '+' : ''}${columns.join()}`
    let sql = this.#updates.get(key)
    if (sql === undefined) {
      const sets = ['_version', ...changed.keys()].map((column, index) => `${quoteName(column)} = ?${index + 2}`)
      for (const set of along) sets.push(`${quoteName(set.column)} = ${set.sql(`?${sets.length + 2}`)}`)
      const update = `UPDATE ${this.#table} AS t SET ${sets.join(', ')} WHERE t.id = ?1`
      sql = this.#changes.text(update, sets.length + 1, entry.kind, hasLinks)
      this.#updates.set(key, sql)
    }
    const values = [id, version, ...changed.values(), ...along.map(({ value }) => value)]
    return this.#changes.queries(sql, values, entry)
  }

  /** Logs the delete of the row, which stays with a negative version until `purge`. */
  hide(id: string, entry: ChangeEntry): Query[] {
    return this.#changes.queries(this.#hide, [id, -entry.version], entry)
  }

  /** Makes a hidden row visible again, with changed columns, and logs it as a new one. */
  restore({ id, values }: StoredRow, changed: ReadonlyMap<string, SqlValue>, entry: ChangeEntry): Query[] {
    const next: StoredRow = { id, version: entry.version, values: new Map([...values, ...changed]) }
    return this.#update(next, changed, this.#words?.inside(next, true) ?? [], entry)
  }

  /** Deletes a hidden row: the log has its delete already. */
  purge(id: string): Query[] {
    const purge = { sql: this.#purge, parameters: [id] }
    const forget = this.hides ? [deleteTrash(this.#type, id, this.#query)] : []
    return [...(this.#words?.drop(id) ?? []), purge, ...forget]
  }

  /** Clears references of a hidden row, which has no versions any more. */
  clearHidden(id: string, columns: readonly string[]): Query {
    const cleared = columns.map((column) => `${quoteName(column)} = NULL`).join(', ')
    return { sql: this.#dialect.text(`UPDATE ${this.#table} SET ${cleared} WHERE id = ?1`), parameters: [id] }
  }

  /** Deletes the row and logs it. */
  delete(id: string, entry: ChangeEntry): Query[] {
    return [...(this.#words?.drop(id) ?? []), ...this.#changes.queries(this.#delete, [id], entry)]
  }

  /** Selects the ids of rows that reference this row by this field, at most `most`; where rows may be hidden, with their versions. */
  referring(field: ReferenceField, type: string, id: string, most: number): Query {
    const { type: typed } = this.columns.get(field)!
    const target = typed === null ? [id] : [id, this.#types.stored(type)]
    return { sql: this.#referring.get(field)!, parameters: [...target, most] }
  }

  /** Selects the ids of rows that reference one of these rows by this field, at most `most`, each with the id of that row. `which`:
   *  of a table that may hold hidden rows for a time, only those that are hidden or only the others. */
  referringAny(
    field: ReferenceField,
    type: string,
    ids: readonly string[],
    most: number,
    which: 'all' | 'hidden' | 'live' = 'all',
  ): Query {
    const column = this.columns.get(field)!
    const isType = column.type === null ? '' : ` AND ${quoteName(column.type)} = ?3`
    const isOne = `${quoteName(column.name)} IN (SELECT value FROM ${this.#dialect.jsonTexts('?1')})`
    const isWhich = this.hides && which !== 'all' ? ` AND _version ${which === 'live' ? '>' : '<'} 0` : ''
    const sql = `SELECT id, ${quoteName(column.name)} FROM ${this.#table} WHERE ${isOne}${isType}${isWhich} LIMIT CAST(?2 AS INTEGER)`
    const parameters = [JSON.stringify(ids), most, ...(column.type === null ? [] : [this.#types.stored(type)])]
    return { sql: this.#dialect.text(sql), parameters }
  }

  /** Counts the rows that reference this row by one of the fields, at most `maxCounted`. */
  countReferring(fields: readonly ReferenceField[], type: string, id: string): Query {
    const columns = fields.map((field) => this.columns.get(field)!)
    const some = `SELECT 1 FROM ${this.#table} WHERE ${columns.map(refers).join(' OR ')} LIMIT ${maxCounted}`
    const isTyped = columns.some((column) => column.type !== null)
    const parameters = isTyped ? [id, this.#types.stored(type)] : [id]
    return { sql: this.#dialect.text(`SELECT count(*) FROM (${some}) AS some_rows`), parameters }
  }

  /** A field's canonical value, encoded by column. A reference is resolved before. */
  encode(field: StoredField | ReferenceField, value: unknown): Map<string, SqlValue> {
    const values = new Map<string, SqlValue>()
    this.encodeInto(values, field, value)
    return values
  }

  /** The same, among the values of other fields. */
  encodeInto(values: Map<string, SqlValue>, field: StoredField | ReferenceField, value: unknown): void {
    const column = this.columns.get(field)!
    if (field.kind === 'stored') {
      values.set(column.name, this.#dialect.encode(value, field.type, this.#codes))
      return
    }
    const target = value as { type: string; id: string } | null
    values.set(column.name, target?.id ?? null)
    if (column.type !== null) values.set(column.type, target === null ? null : this.#types.stored(target.type))
  }

  /** The target of a reference. */
  target(field: ReferenceField, { values }: StoredRow): RowReference | null {
    const column = this.columns.get(field)!
    const id = values.get(column.name) ?? null
    if (id === null) return null
    const type = column.type === null ? field.to.name : this.#types.current(String(values.get(column.type)))
    return { type, id: String(id) }
  }

  /** The canonical value of a stored field. */
  decode(field: StoredField, { values }: StoredRow): unknown {
    return this.#dialect.decode(values.get(this.columns.get(field)!.name)!, field.type, this.#codes)
  }
}

/** The column refers to the row with the id ?1, of the type ?2. */
function refers({ name, type }: TableColumn): string {
  const isType = type === null ? '' : ` AND ${quoteName(type)} = ?2`
  return `${quoteName(name)} = ?1${isType}`
}

/** Which rows take their unique values: not hidden ones, if the unique index leaves these out. The index of a table in which this
 *  schema expects no hidden rows has all rows, until a newer schema replaces it (`@softDelete`). */
function takesUnique({ name, hides }: Table, columns: string[], { hasIndex }: WriteDialect): string {
  if (hides === true) return ` AND ${isLive}`
  if (hasIndex === null) return ''
  return ` AND (${isLive} OR ${hasIndex({ table: name, columns, unique: true })})`
}

export function columnNames({ name: column, type }: TableColumn): string[] {
  return type === null ? [column] : [column, type]
}

function* inSizes<Item>(items: readonly Item[], sizes: readonly number[]): Generator<Item[], void> {
  let at = 0
  for (const size of sizes) for (; items.length - at >= size; at += size) yield items.slice(at, at + size)
}

// Where the rows of a schema are stored: the names of its tables and columns. A name is assigned once and saved with the
// schema, so a rename in the schema file moves no data. Nothing above the store knows these names.
//
// Every table of a resource has `_n` (its row number), `id` and `_version` beside the columns of its fields.

import {
  type Field,
  type FileType,
  hiddenTypes,
  type Link,
  type LinksField,
  type Model,
  type ReferenceField,
  type Resource,
  type StoredField,
} from '#model'
import { kebabCase } from '#model/names'
import { quoteName, shortName } from './quote.ts'
import { type StorageCodes, storageCodesOf } from './storage-codes.ts'
import type { LinkTable, StorageNames, StoredReference, TableColumn } from './storage-names.ts'
import { type KeyColumn, keyColumn, keyedColumns } from './text-keys.ts'

export interface Layout {
  /** The account type: only a row of this type can be the viewer's account. */
  account: Resource | null
  tables: Map<Resource, Table>
  links: Map<Link, LinkTable>
  /** The stored names of enum values and of fields inside values. */
  codes: StorageCodes
  /** The references of every schema that was served from the database, this one included. */
  references: StoredReference[]
  /** The columns whose texts have no keys yet (`text-keys.ts`), or keys of another version. */
  unkeyed: readonly KeyColumn[]
  /** The public origin of the service, for the urls of files; empty: they are relative. */
  origin: string
}

export interface Table {
  name: string
  /** The storage name of the type, in references and in the change log: the type's first name. */
  type: string
  columns: Map<StoredField | ReferenceField, TableColumn>
  /** The columns of the keys of texts (`text-keys.ts`). */
  keys?: ReadonlyMap<StoredField, string>
  /** SQL that reads use in place of the table: of a type of the server itself (`system/system-rows.ts`). */
  source?: string
  /** Set if the table has no row numbers. */
  isNumbered?: false
  /** Set if the table may hold hidden rows, whose versions are negative: reads leave them out. */
  hides?: true
  /** Set if rows vanish by time alone: results can't be cached until the next write. */
  isTimed?: true
}

/** Existing names stay; new tables and columns get names that nothing has or had. */
export function layOut(model: Model, previous: StorageNames | null): { layout: Layout; names: StorageNames } {
  const names: StorageNames = structuredClone(previous ?? { tables: {}, links: {} })
  const layout: Layout = {
    account: model.account?.resource ?? null,
    tables: new Map(),
    links: new Map(),
    codes: storageCodesOf(model, names),
    references: [],
    unkeyed: [],
    origin: '',
  }
  const unkeyed: KeyColumn[] = []
  const takenTypes = new Set(Object.values(names.tables).map(({ type }) => type))
  const takenTables = new Set<string>()
  for (const { name } of [...Object.values(names.tables), ...Object.values(names.links)]) takenTables.add(fold(name))

  const hidden = hiddenTypes(model.resources)
  for (const resource of model.resources) {
    if (!Object.hasOwn(names.tables, resource.name)) {
      const type = unusedType(resource.name, takenTypes)
      const table = { name: unusedName(tableName(resource.name), takenTables), columns: {} }
      names.tables[resource.name] = type === resource.name ? table : { ...table, type }
    }
    const stored = names.tables[resource.name]!
    const taken = new Set([...systemTableColumns, ...systemColumns])
    for (const column of Object.values(stored.columns)) {
      taken.add(fold(column.name))
      if (column.type !== null) taken.add(fold(column.type))
    }
    const columns = new Map<StoredField | ReferenceField, TableColumn>()
    const isNew = new Set<TableColumn>()
    for (const field of resource.fields.values()) {
      if (!hasColumn(field)) continue
      if (!Object.hasOwn(stored.columns, field.name)) {
        stored.columns[field.name] = newColumn(field, taken)
        isNew.add(stored.columns[field.name]!)
      }
      const column = stored.columns[field.name]!
      if (field.kind === 'stored' && field.search) column.words ??= nextSearchNumber(stored.columns)
      columns.set(field, column)
    }
    if (hidden.has(resource)) stored.hides = true
    const keys = new Map<StoredField, string>()
    for (const { field, column, isFilled } of keyedColumns(columns, isNew)) {
      keys.set(field, keyColumn(column))
      if (!isFilled) unkeyed.push({ table: stored.name, column, key: keyColumn(column) })
    }
    const table: Table = { name: stored.name, type: stored.type ?? resource.name, columns, keys }
    layout.tables.set(resource, stored.hides === true ? { ...table, hides: true } : table)
  }

  if (model.file !== null) layout.tables.set(model.file.resource, fileTable(model.file))

  for (const link of linksOf(model)) {
    const key = `${link.left.owner.name}.${link.left.name}`
    names.links[key] ??= newLink(link, takenTables)
    layout.links.set(link, names.links[key]!)
  }
  layout.references = addReferences(previous?.references ?? [], layout)
  layout.unkeyed = unkeyed
  return { layout, names: { ...names, references: layout.references } }
}

/** The system table of files, the same for every schema (`sqlite/migrate/tables.ts`). */
function fileTable({ resource, bytes, fresh, uploader }: FileType): Table {
  const shown = [...resource.fields.values()].filter(hasColumn)
  const fields = [...shown, bytes, fresh, ...(uploader === null ? [] : [uploader])]
  const columns = fields.map((field) => [field, { name: kebabCase(field.name).replace('-', '_'), type: null }] as const)
  return { name: 'twain_file', type: resource.name, columns: new Map(columns) }
}

/** PostgreSQL's system columns, which every table has. */
const systemColumns = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']

/** Every table has the id under its own name. */
function hasColumn(field: Field): field is StoredField | ReferenceField {
  return (field.kind === 'stored' && field.name !== 'id') || field.kind === 'reference'
}

export function linksOf(model: Model): Set<Link> {
  const links = new Set<Link>()
  for (const resource of model.resources) {
    for (const field of resource.fields.values()) if (field.kind === 'links') links.add(field.link)
  }
  return links
}

export function tableOf(layout: Layout, resource: Resource): Table {
  return layout.tables.get(resource)!
}

/** What a read selects from: without hidden rows. Both databases flatten the sub-select. */
export function sourceOf(table: Table): string {
  return table.hides === true ? `(SELECT * FROM ${wholeSourceOf(table)} AS t WHERE t.${isLive})` : wholeSourceOf(table)
}

/** The same with hidden rows. */
export function wholeSourceOf({ name, source }: Table): string {
  return source ?? quoteName(name)
}

/** The columns of all keys. */
export function allKeyColumns({ tables }: Layout): KeyColumn[] {
  return [...tables.values()].flatMap(({ name: table, columns, keys }) =>
    [...(keys ?? [])].map(([field, key]) => ({ table, column: columns.get(field)!.name, key })),
  )
}

const unkeyedLayouts = new WeakMap<Layout, Layout>()

/** The layout for rows that are in no table: the statement computes the keys of their texts. */
export function withoutKeys(layout: Layout): Layout {
  const known = unkeyedLayouts.get(layout)
  if (known !== undefined) return known
  const tables = [...layout.tables].map(([resource, { keys: _, ...table }]): [Resource, Table] => [resource, table])
  const unkeyed = { ...layout, tables: new Map(tables) }
  unkeyedLayouts.set(layout, unkeyed)
  return unkeyed
}

const wholeLayouts = new WeakMap<Layout, Layout>()

/** The layout in which no table leaves out hidden rows: a rule about a deleted row must not take the rows that were deleted along
 *  for rows that never were. */
export function wholeLayout(layout: Layout): Layout {
  const known = wholeLayouts.get(layout)
  if (known !== undefined) return known
  const tables = [...layout.tables].map(([resource, { hides: _, ...table }]): [Resource, Table] => [resource, table])
  const whole = { ...layout, tables: new Map(tables) }
  wholeLayouts.set(layout, whole)
  return whole
}

/** The condition of rows that are not hidden. Partial indexes have it, so it must stand in queries as it is here. */
export const isLive = '_version > 0'

export function columnOf(layout: Layout, field: StoredField | ReferenceField): TableColumn {
  return layout.tables.get(field.owner)!.columns.get(field)!
}

/** Whether the layout has this table with all of these columns. Other tables and columns are those of other schemas. */
export function hasColumns({ tables, links }: Layout, table: string, columns: readonly string[]): boolean {
  for (const { name, columns: known } of tables.values()) {
    if (name !== table) continue
    const names = new Set([
      ...systemTableColumns,
      ...[...known.values()].flatMap((column) => [column.name, column.type, keyColumn(column.name)]),
    ])
    return columns.every((column) => names.has(column))
  }
  return [...links.values()].some(({ name }) => name === table)
}

/** The columns of every table of rows. */
const systemTableColumns = ['id', '_n', '_version', '_words', '_worded']

/** The storage name of the type. */
export function storageTypeOf(layout: Layout, resource: Resource): string {
  return layout.tables.get(resource)!.type
}

/** Maps the names of types to their storage names and back. */
export class StorageTypeNames {
  readonly #stored = new Map<string, string>()
  readonly #names = new Map<string, string>()

  constructor({ tables }: Pick<Layout, 'tables'>) {
    for (const [{ name }, { type }] of tables) {
      if (type === name) continue
      this.#stored.set(name, type)
      this.#names.set(type, name)
    }
  }

  stored(name: string): string {
    return this.#stored.get(name) ?? name
  }

  /** A storage name that no type of the schema has stays unchanged. */
  current(stored: string): string {
    return this.#names.get(stored) ?? stored
  }
}

/** The link table from one side: the column of this side and the column of the other. */
export function linkSides(layout: Layout, field: LinksField): { table: string; own: string; other: string } {
  const { name, left, right } = layout.links.get(field.link)!
  return field.side === 'left' ? { table: name, own: left, other: right } : { table: name, own: right, other: left }
}

/** Adds the references of this layout to those of earlier ones. */
function addReferences(earlier: readonly StoredReference[], layout: Layout): StoredReference[] {
  const all = new Map(earlier.map((reference) => [referenceKey(reference), reference]))
  for (const reference of referencesOf(layout)) all.set(referenceKey(reference), reference)
  return [...all.values()]
}

/** Identifies a reference in its database. */
export function referenceKey({ table, column }: Pick<StoredReference, 'table' | 'column'>): string {
  return `${table}.${column}`
}

/** The references of this layout alone. */
export function* referencesOf(layout: Layout): Generator<StoredReference> {
  for (const { name: table, type: of, columns } of layout.tables.values()) {
    if (table === 'twain_file') continue // the uploader has no foreign key: `write/rows/files.ts`
    for (const [field, { name: column, type: typeColumn }] of columns) {
      if (field.kind !== 'reference') continue
      const to = field.to.kind === 'resource' ? tableOf(layout, field.to).name : null
      yield { table, column, typeColumn, to, of, onDelete: field.onDelete }
    }
  }
  for (const [{ left: field }, { rightType }] of layout.links) {
    const { table, own, other } = linkSides(layout, field)
    const link = { table, of: null, onDelete: 'UNLINK' } as const
    yield { ...link, column: own, typeColumn: null, to: tableOf(layout, field.owner).name }
    const to = field.to.kind === 'resource' ? tableOf(layout, field.to).name : null
    yield { ...link, column: other, typeColumn: rightType, to }
  }
}

/** Retired columns count too: a number never stands for another field. */
function nextSearchNumber(columns: Readonly<Record<string, TableColumn>>): number {
  return Math.max(0, ...Object.values(columns).map(({ words }) => words ?? 0)) + 1
}

function newColumn(field: StoredField | ReferenceField, taken: Set<string>): TableColumn {
  const name = unusedName(field.name, taken)
  const several = field.kind === 'reference' && field.to.kind === 'abstract'
  return { name, type: several ? unusedName(`${name}_type`, taken) : null }
}

function newLink({ left }: Link, taken: Set<string>): LinkTable {
  return {
    name: unusedName(tableName(`${left.owner.name}_${left.name}`), taken),
    left: 'left_id',
    right: 'right_id',
    rightType: left.to.kind === 'abstract' ? 'right_type' : null,
  }
}

/** Rows and the change log still use the first name of a renamed type: no other type may get it. */
function unusedType(preferred: string, taken: Set<string | undefined>): string {
  let type = preferred
  for (let count = 2; taken.has(type); count++) type = `${preferred}_${count}`
  taken.add(type)
  return type
}

/** `twain_` is reserved for system tables, and `sqlite_` for SQLite. */
function tableName(type: string): string {
  return /^(twain|sqlite)_/i.test(type) ? `t_${type}` : type
}

/** Names in SQLite are case-insensitive, names in GraphQL are not. */
function unusedName(preferred: string, taken: Set<string>): string {
  let name = shortName(preferred)
  for (let count = 2; taken.has(fold(name)); count++) name = shortName(`${preferred}_${count}`)
  taken.add(fold(name))
  return name
}

function fold(name: string): string {
  return name.toLowerCase()
}

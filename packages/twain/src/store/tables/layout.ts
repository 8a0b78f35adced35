// Where a contract's rows lie: the names of its tables and columns. They are given once and kept with the contract, so
// that a rename in the file moves no data. Nothing above the store knows them.
//
// Every table of a resource has `_n` (its row number), `id` and `_version` beside the columns of its fields.

import {
  type Field,
  type FileType,
  kebabCase,
  type Link,
  type LinksField,
  type Model,
  type ReferenceField,
  type Resource,
  type StoredField,
} from '#model'
import { shortName } from './quote.ts'
import { assignStorageCodes, type LinkTable, type StorageNames, type TableColumn } from './storage-names.ts'

export interface Layout {
  /** The type whose rows sign in: only of its rows can one be the viewer's own. */
  account: Resource | null
  tables: Map<Resource, Table>
  links: Map<Link, LinkTable>
}

export interface Table {
  name: string
  /** What the type is called in rows that lead to one of its own, and in the log: the name that it had first. */
  type: string
  columns: Map<StoredField | ReferenceField, TableColumn>
}

/** Names that were given before stay; what is new gets a name that nothing has or had. */
export function layOut(model: Model, former: StorageNames | null): { layout: Layout; names: StorageNames } {
  const names: StorageNames = structuredClone(former ?? { tables: {}, links: {} })
  const layout: Layout = { account: model.account?.resource ?? null, tables: new Map(), links: new Map() }
  const takenTables = new Set<string>()
  for (const { name } of [...Object.values(names.tables), ...Object.values(names.links)]) takenTables.add(fold(name))

  for (const resource of model.resources) {
    if (!Object.hasOwn(names.tables, resource.name)) {
      const type = unusedType(resource.name, names)
      const given = { name: unusedName(tableName(resource.name), takenTables), columns: {} }
      names.tables[resource.name] = type === resource.name ? given : { ...given, type }
    }
    const kept = names.tables[resource.name]!
    const taken = new Set(['id', '_n', '_version', '_words', '_worded', ...systemColumns])
    for (const column of Object.values(kept.columns)) {
      taken.add(fold(column.name))
      if (column.type !== null) taken.add(fold(column.type))
    }
    const columns = new Map<StoredField | ReferenceField, TableColumn>()
    for (const field of resource.fields.values()) {
      if (!hasColumn(field)) continue
      if (!Object.hasOwn(kept.columns, field.name)) kept.columns[field.name] = newColumn(field, taken)
      const column = kept.columns[field.name]!
      if (field.kind === 'stored' && field.search) column.words ??= nextSearchNumber(kept.columns)
      columns.set(field, column)
    }
    layout.tables.set(resource, { name: kept.name, type: kept.type ?? resource.name, columns })
  }

  if (model.file !== null) layout.tables.set(model.file.resource, fileTable(model.file))

  for (const link of linksOf(model)) {
    const key = `${link.left.owner.name}.${link.left.name}`
    names.links[key] ??= newLink(link, takenTables)
    layout.links.set(link, names.links[key]!)
  }
  assignStorageCodes(model, names)
  return { layout, names }
}

/** Our own table, the same for every contract (`sqlite/tables.ts`). */
function fileTable({ resource, bytes, fresh, uploader }: FileType): Table {
  const shown = [...resource.fields.values()].filter(hasColumn)
  const fields = [...shown, bytes, fresh, ...(uploader === null ? [] : [uploader])]
  const columns = fields.map((field) => [field, { name: kebabCase(field.name).replace('-', '_'), type: null }] as const)
  return { name: 'twain_file', type: resource.name, columns: new Map(columns) }
}

/** PostgreSQL has these in every table. */
const systemColumns = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']

/** The id stands in every table under its own name. */
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

export function columnOf(layout: Layout, field: StoredField | ReferenceField): TableColumn {
  return layout.tables.get(field.owner)!.columns.get(field)!
}

/** What the type is called in rows. */
export function storageTypeOf(layout: Layout, resource: Resource): string {
  return layout.tables.get(resource)!.type
}

/** What types are called in rows, by their names, and the other way. */
export class StorageTypeNames {
  readonly #stored = new Map<string, string>()
  readonly #names = new Map<string, string>()

  constructor({ tables }: Layout) {
    for (const [{ name }, { type }] of tables) {
      if (type === name) continue
      this.#stored.set(name, type)
      this.#names.set(type, name)
    }
  }

  kept(name: string): string {
    return this.#stored.get(name) ?? name
  }

  /** What the contract has no type for stays as it is. */
  current(kept: string): string {
    return this.#names.get(kept) ?? kept
  }
}

/** The link's table as this side sees it: its own column, the other's, and the other's type. */
export function linkSides(layout: Layout, field: LinksField): { table: string; own: string; other: string } {
  const { name, left, right } = layout.links.get(field.link)!
  return field.side === 'left' ? { table: name, own: left, other: right } : { table: name, own: right, other: left }
}

/** Columns that the contract has forgotten count too: no number ever stands for another field. */
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

/** A type that was renamed left its first name in rows and in the log: it means no other type any more. */
function unusedType(wanted: string, { tables }: StorageNames): string {
  const taken = new Set(Object.values(tables).map(({ type }) => type))
  let type = wanted
  for (let count = 2; taken.has(type); count++) type = `${wanted}_${count}`
  return type
}

/** `twain_` is ours and `sqlite_` is SQLite's. */
function tableName(type: string): string {
  return /^(twain|sqlite)_/i.test(type) ? `t_${type}` : type
}

/** SQLite's names do not mind case, GraphQL's do. */
function unusedName(wanted: string, taken: Set<string>): string {
  let name = shortName(wanted)
  for (let count = 2; taken.has(fold(name)); count++) name = shortName(`${wanted}_${count}`)
  taken.add(fold(name))
  return name
}

function fold(name: string): string {
  return name.toLowerCase()
}

// Storage names: what the database calls tables, columns, types, enum values and fields inside values. A rename in the schema
// moves no data, so each keeps its first name. Enum values, fields inside values and type names are in the rows themselves.

import type { Renames } from '#model/compare'

/** The storage names as they are saved with the schema: by type, then by field. */
export interface StorageNames {
  tables: Record<string, TableNames>
  /** By `Type.field` of the left side. */
  links: Record<string, LinkTable>
  /** By type: the storage codes of enum values and the storage keys of fields inside values, where they differ from the
   *  current names. */
  codes?: Record<string, Record<string, string>>
  /** The references of every schema that was served. Missing in databases of earlier builds. */
  references?: StoredReference[]
}

interface TableNames {
  name: string
  /** The storage name of the type; missing: its current name. */
  type?: string
  columns: Record<string, TableColumn>
  /** Set when a schema first hides rows of the type (`@softDelete`), and for ever: every later schema must leave hidden rows out. */
  hides?: true
}

export interface TableColumn {
  name: string
  /** The column of the referred row's type, if the reference may lead to several types. */
  type: string | null
  /** The search number of the column, assigned when the field is first searched. */
  words?: number
  /** The version of the keys of its texts (`text-keys.ts`); 0: there is a column of keys, which nothing writes. */
  keyed?: number
}

export interface LinkTable {
  name: string
  left: string
  right: string
  /** The column of the right row's type, if it may be of several. */
  rightType: string | null
}

/** A reference that the database holds: a column of a reference field, or a side of a link table. */
export interface StoredReference {
  table: string
  column: string
  /** The column of the referred row's type, if that may be of several types. */
  typeColumn: string | null
  /** The table that it refers to; null if the rows may be of several types. Then there is no foreign key. */
  to: string | null
  /** The storage name of the type of the rows that refer; null for a link table. */
  of: string | null
  /** What happens to it when the referred row is deleted. */
  onDelete: 'RESTRICT' | 'CASCADE' | 'SET_NULL' | 'UNLINK'
}

/** Moves the storage names to the new names of renamed types, fields and values. */
export function renameStorageNames(names: StorageNames, { types, fields, values }: Renames): void {
  const codes: Record<string, Record<string, string>> = { ...names.codes }
  for (const [path, to] of [...fields, ...values]) {
    const [type = '', from = ''] = path.split('.')
    const columns = names.tables[type]?.columns
    if (columns !== undefined) renameKey(columns, from, to)
    else codes[type] = renameCode(codes[type] ?? {}, from, to)
    renameKey(names.links, path, `${type}.${to}`)
  }
  for (const [from, to] of types) {
    const table = names.tables[from]
    if (table !== undefined) {
      const { type = from, ...rest } = table
      delete names.tables[from]
      names.tables[to] = type === to ? rest : { ...rest, type }
    }
    renameKey(codes, from, to)
    for (const key of Object.keys(names.links)) {
      if (key.startsWith(`${from}.`)) renameKey(names.links, key, `${to}${key.slice(from.length)}`)
    }
  }
  const changed = Object.entries(codes).filter(([, ofType]) => Object.keys(ofType).length > 0)
  if (changed.length > 0) names.codes = Object.fromEntries(changed)
  else delete names.codes
}

function renameCode(codes: Record<string, string>, from: string, to: string): Record<string, string> {
  const { [from]: code = from, ...others } = codes
  return code === to ? others : { ...others, [to]: code }
}

function renameKey<Value>(record: Record<string, Value>, from: string, to: string): void {
  if (!Object.hasOwn(record, from)) return
  record[to] = record[from]!
  delete record[from]
}

/** The storage code of an enum value, or the storage key of a field inside a value. */
export function storageCode({ codes }: StorageNames, type: string, name: string): string {
  return codes?.[type]?.[name] ?? name
}

// Storage names: what the database calls tables, columns, types, enum values and fields inside values. A rename in the schema
// moves no data, so each keeps its first name. Enum values, fields inside values and type names are in the rows themselves.

import type { EnumType, Model, StoredType, ValueField, ValueType } from '#model'
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
}

export interface TableColumn {
  name: string
  /** The column of the referred row's type, if the reference may lead to several types. */
  type: string | null
  /** The search number of the column, assigned when the field is first searched. */
  words?: number
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

/** Sets the storage codes and keys in the model, where they differ from the current names. A new name that is already the
 *  storage name of another value gets a different one, which is added to `names`. */
export function assignStorageCodes(model: Model, names: StorageNames): void {
  for (const type of [...model.enums, ...model.values]) {
    if (type.kind === 'enum') delete type.storageCodes
    else delete type.storageKeys
    const codes = names.codes?.[type.name]
    if (codes === undefined) continue
    const taken = new Set(Object.values(codes))
    const members = type.kind === 'enum' ? type.values : [...type.fields.values()]
    for (const { name } of members) {
      if (codes[name] !== undefined || !taken.has(name)) continue
      let code = name
      for (let count = 2; taken.has(code); count++) code = `${name}_${count}`
      taken.add(code)
      codes[name] = code
    }
    const storage = new Map(Object.entries(codes))
    if (type.kind === 'enum') type.storageCodes = storage
    else type.storageKeys = storage
  }
  for (const value of model.values)
    if (value.storageKeys === undefined && containsStorageNames(value, new Set())) value.storageKeys = new Map()
}

function containsStorageNames(value: ValueType, seen: Set<ValueType>): boolean {
  if (value.storageKeys !== undefined) return true
  if (seen.has(value)) return false
  seen.add(value)
  const holds = (type: StoredType): boolean => {
    if (type.kind === 'list') return holds(type.of)
    if (type.kind === 'enum') return type.enum.storageCodes !== undefined
    return type.kind === 'value' && containsStorageNames(type.value, seen)
  }
  return [...value.fields.values()].some(({ type }) => holds(type))
}

/** Whether rows store other names for values of this type than the current ones. */
export function hasStorageNames(type: StoredType): boolean {
  if (type.kind === 'list') return hasStorageNames(type.of)
  if (type.kind === 'enum') return type.enum.storageCodes !== undefined
  return type.kind === 'value' && type.value.storageKeys !== undefined
}

/** The key of the field in stored values of this type. */
export function storageKey({ name }: Pick<ValueField, 'name'>, type: StoredType): string {
  if (type.kind === 'list') return storageKey({ name }, type.of)
  return (type.kind === 'value' && type.value.storageKeys?.get(name)) || name
}

/** The storage path of a member inside a stored value. */
export function storagePath({
  field,
  inside,
}: {
  field: { type: StoredType }
  inside: readonly ValueField[]
}): string[] {
  let { type } = field
  return inside.map((member) => {
    const key = storageKey(member, type)
    type = member.type
    return key
  })
}

/** A canonical value as rows store it. */
export function toStorage(value: unknown, type: StoredType): unknown {
  if (value === null || value === undefined || !hasStorageNames(type)) return value
  if (type.kind === 'enum') return type.enum.storageCodes!.get(value as string) ?? value
  if (type.kind === 'list') return (value as unknown[]).map((item) => toStorage(item, type.of))
  if (type.kind !== 'value') return value
  const { fields, storageKeys: keys } = type.value
  const members = Object.entries(value).map(([name, member]) => {
    const field = fields.get(name)
    return [keys!.get(name) ?? name, field === undefined ? member : toStorage(member, field.type)]
  })
  return Object.fromEntries(members)
}

/** The inverse of `toStorage`. */
export function fromStorage(value: unknown, type: StoredType): unknown {
  if (value === null || value === undefined || !hasStorageNames(type)) return value
  if (type.kind === 'enum') return namesByCode(type.enum).get(value as string) ?? value
  if (type.kind === 'list') return (value as unknown[]).map((item) => fromStorage(item, type.of))
  if (type.kind !== 'value') return value
  const { fields, storageKeys: keys } = type.value
  const names = new Map([...keys!].map(([name, key]) => [key, name]))
  const members = Object.entries(value).map(([key, member]) => {
    const name = names.get(key) ?? key
    const field = fields.get(name)
    return [name, field === undefined ? member : fromStorage(member, field.type)]
  })
  return Object.fromEntries(members)
}

/** The current names of values by their storage codes, where they differ. */
export function namesByCode({ storageCodes: codes }: EnumType): Map<string, string> {
  return new Map([...(codes ?? [])].map(([name, code]) => [code, name]))
}

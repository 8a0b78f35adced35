// Translates enum values and fields inside values between their current names and the names in rows (`storage-names.ts`).
// It is the only place that does, and it belongs to a layout: the model does not know these names.

import type { EnumType, Model, StoredType, ValueField, ValueType } from '#model'
import type { StorageNames } from './storage-names.ts'

/** Plain data: SQLite's writer thread gets a copy of the layout. */
export interface StorageCodes {
  /** The stored names of renamed values, by current name. */
  enums: Map<EnumType, ReadonlyMap<string, string>>
  /** The stored names of renamed fields, by current name. A value type that contains others with stored names has an empty map. */
  values: Map<ValueType, ReadonlyMap<string, string>>
}

/** A new name that is already the storage name of another value gets a different one, which is added to `names`. */
export function storageCodesOf({ enums, values }: Pick<Model, 'enums' | 'values'>, names: StorageNames): StorageCodes {
  const codes: StorageCodes = { enums: new Map(), values: new Map() }
  for (const type of enums) {
    const known = names.codes?.[type.name]
    if (known !== undefined) codes.enums.set(type, complete(known, type.values))
  }
  for (const type of values) {
    const known = names.codes?.[type.name]
    if (known !== undefined) codes.values.set(type, complete(known, [...type.fields.values()]))
  }
  for (const value of values)
    if (!codes.values.has(value) && contains(value, codes, new Set())) codes.values.set(value, new Map())
  return codes
}

function contains(value: ValueType, codes: StorageCodes, seen: Set<ValueType>): boolean {
  if (codes.values.has(value)) return true
  if (seen.has(value)) return false
  seen.add(value)
  const holds = (type: StoredType): boolean => {
    if (type.kind === 'list') return holds(type.of)
    if (type.kind === 'enum') return codes.enums.has(type.enum)
    return type.kind === 'value' && contains(type.value, codes, seen)
  }
  return [...value.fields.values()].some(({ type }) => holds(type))
}

/** Whether rows store other names for values of this type than the current ones. */
export function hasStorageCodes(type: StoredType, codes: StorageCodes): boolean {
  if (type.kind === 'list') return hasStorageCodes(type.of, codes)
  if (type.kind === 'enum') return codes.enums.has(type.enum)
  return type.kind === 'value' && codes.values.has(type.value)
}

/** The key of the field in stored values of this type. */
export function storageKey({ name }: Pick<ValueField, 'name'>, type: StoredType, codes: StorageCodes): string {
  if (type.kind === 'list') return storageKey({ name }, type.of, codes)
  return (type.kind === 'value' && codes.values.get(type.value)?.get(name)) || name
}

/** The storage path of a member inside a stored value. */
export function storagePath(
  { field, inside }: { field: { type: StoredType }; inside: readonly ValueField[] },
  codes: StorageCodes,
): string[] {
  let { type } = field
  return inside.map((member) => {
    const key = storageKey(member, type, codes)
    type = member.type
    return key
  })
}

/** The current names of values by their storage codes, where they differ. */
export function namesByCode(type: EnumType, codes: StorageCodes): Map<string, string> {
  return inverse(codes.enums.get(type))
}

/** A canonical value as rows store it. */
export function toStorage(value: unknown, type: StoredType, codes: StorageCodes): unknown {
  if (value === null || value === undefined || !hasStorageCodes(type, codes)) return value
  if (type.kind === 'enum') return codes.enums.get(type.enum)!.get(value as string) ?? value
  if (type.kind === 'list') return (value as unknown[]).map((item) => toStorage(item, type.of, codes))
  if (type.kind !== 'value') return value
  const keys = codes.values.get(type.value)!
  const members = Object.entries(value).map(([name, member]) => {
    const field = type.value.fields.get(name)
    return [keys.get(name) ?? name, field === undefined ? member : toStorage(member, field.type, codes)]
  })
  return Object.fromEntries(members)
}

/** The inverse of `toStorage`. */
export function fromStorage(value: unknown, type: StoredType, codes: StorageCodes): unknown {
  if (value === null || value === undefined || !hasStorageCodes(type, codes)) return value
  if (type.kind === 'enum') return namesByCode(type.enum, codes).get(value as string) ?? value
  if (type.kind === 'list') return (value as unknown[]).map((item) => fromStorage(item, type.of, codes))
  if (type.kind !== 'value') return value
  const names = inverse(codes.values.get(type.value))
  const members = Object.entries(value).map(([key, member]) => {
    const name = names.get(key) ?? key
    const field = type.value.fields.get(name)
    return [name, field === undefined ? member : fromStorage(member, field.type, codes)]
  })
  return Object.fromEntries(members)
}

/** For values of types that no layout has. */
export const noStorageCodes: StorageCodes = { enums: new Map(), values: new Map() }

function complete(codes: Record<string, string>, members: readonly { name: string }[]): ReadonlyMap<string, string> {
  const taken = new Set(Object.values(codes))
  for (const { name } of members) {
    if (codes[name] !== undefined || !taken.has(name)) continue
    let code = name
    for (let count = 2; taken.has(code); count++) code = `${name}_${count}`
    taken.add(code)
    codes[name] = code
  }
  return new Map(Object.entries(codes))
}

function inverse(codes: ReadonlyMap<string, string> | undefined): Map<string, string> {
  return new Map([...(codes ?? [])].map(([name, code]) => [code, name]))
}

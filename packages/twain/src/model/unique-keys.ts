// The unique keys of a type: what `@unique` declares. A key finds one row, as its id does.

import type { ReferenceField, Resource, StoredField } from './model.ts'

export type KeyField = StoredField | ReferenceField

export interface UniqueKey {
  /** The member of the type's key input: `slug`, `listAndName`. */
  name: string
  /** In the order of the schema file. */
  fields: readonly KeyField[]
}

const known = new WeakMap<Resource, readonly UniqueKey[]>()

/** A key has no reference to an interface or a union, since the id of such a row does not name it alone. Types of the server itself
 *  have no keys. */
export function uniqueKeysOf(resource: Resource): readonly UniqueKey[] {
  const made = known.get(resource)
  if (made !== undefined) return made
  const uniques = resource.indexes.filter(({ unique, fields }) => unique && fields.every(isKeyField))
  const keys = resource.system === undefined ? uniques.map(({ fields }) => ({ name: keyName(fields), fields })) : []
  known.set(resource, keys)
  return keys
}

function isKeyField(field: KeyField): boolean {
  return field.kind === 'stored' ? field.name !== 'id' : field.to.kind === 'resource'
}

function keyName(fields: readonly { name: string }[]): string {
  return fields.map(({ name }, index) => (index === 0 ? name : upperFirst(name))).join('And')
}

/** The name of the key before its fields were renamed; undefined if none was. */
export function formerKeyName({ name, fields }: UniqueKey): string | undefined {
  const former = keyName(fields.map((field) => ({ name: field.alias ?? field.name })))
  return former === name ? undefined : former
}

/** The input type that names a row by one of its keys: `PostKey`. */
export function keyInput({ name }: Pick<Resource, 'name'>): string {
  return `${name}Key`
}

/** The input type of a key of several fields: `ItemListAndNameKey`. */
export function compoundKeyInput({ name }: Pick<Resource, 'name'>, key: UniqueKey): string {
  return `${name}${upperFirst(key.name)}Key`
}

function upperFirst(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

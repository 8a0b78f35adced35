// A unique key in a path: `slug=knots` of `/posts/slug=knots`, `list=l1,name=milk` of `/items/list=l1,name=milk` (docs/reference/rest.md,
// R9). A part of a path with a raw `=` is a key; ids have none.

import { ApiError, didYouMean } from '#base'
import { type KeyField, type Resource, uniqueKeysOf } from '#model'
import { namesOf } from '#model/names'
import { decodePercentOrFail } from './query-string.ts'

/** The fields of a key in the order of the schema. */
export type PathKey = readonly PathKeyPart[]

interface PathKeyPart {
  field: KeyField
  /** The name in the path: it may be an alias. */
  name: string
  /** The place of the value among those of the path. */
  at: number
}

/** The names and values of a part of a path, in its order. */
export interface ReadKey {
  names: string[]
  values: string[]
}

const equalsSign = '='

export function isKey(part: string): boolean {
  return part.includes(equalsSign)
}

/** Splits on raw `,` and `=`, and then decodes: `%2C`, `%3D` and `%2F` are a part of a value. */
export function readKey(part: string): ReadKey {
  const key: ReadKey = { names: [], values: [] }
  for (const one of part.split(',')) {
    const at = one.indexOf(equalsSign)
    if (at < 0) throw incompleteKey(one)
    key.names.push(decodePercentOrFail(one.slice(0, at), 'The path'))
    key.values.push(decodePercentOrFail(one.slice(at + 1), 'The path'))
  }
  return key
}

function incompleteKey(part: string): ApiError {
  return new ApiError('BAD_REQUEST', `"${part}" has no "=": a key in a path is written as name=value,name=value.`, {
    hint: 'Write a comma inside a value as %2C.',
  })
}

/** The key of the type that has exactly these fields, in any order. Throws an ApiError that names the keys if there is none. */
export function findKey(names: readonly string[], of: Resource): PathKey {
  for (const { fields } of uniqueKeysOf(of)) {
    if (fields.length !== names.length) continue
    const parts = fields.map((field) => partOf(field, names))
    if (parts.every((part) => part !== null)) return parts
  }
  throw unknownKey(names, of)
}

function partOf(field: KeyField, names: readonly string[]): PathKeyPart | null {
  const at = names.findIndex((name) => namesOf(field).includes(name))
  return at < 0 ? null : { field, name: names[at]!, at }
}

function unknownKey(names: readonly string[], of: Resource): ApiError {
  const keys = uniqueKeysOf(of).map(({ fields }) => fields.map(({ name }) => name))
  const near = names.map((name) => didYouMean(name, keys.flat())).find((text) => text !== '')
  const message = `${of.name} has no unique key ${names.join(', ')}.${near ?? ''}`
  return new ApiError('NOT_FOUND', message, { hint: keyHint(keys, of) })
}

function keyHint(keys: readonly string[][], { name, path }: Resource): string {
  const byId = `One ${name} by its id is at /${path}/{id}.`
  if (keys.length === 0) return byId
  return `The unique keys are ${keys.map((fields) => `/${path}/${keyTemplate(fields)}`).join(', ')}. ${byId}`
}

/** Whether a path of the document names a row by a unique key: `/posts/slug={slug}`. */
export function isKeyPath(path: string): boolean {
  return path.includes('={')
}

/** `list={list},name={name}`. */
export function keyTemplate(names: readonly string[]): string {
  return names.map((name) => `${name}={${name}}`).join(',')
}

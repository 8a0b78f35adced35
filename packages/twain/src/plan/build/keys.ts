// A row by a unique key: the key of a request → the parts by which a plan finds the row. Both adapters plan it here.

import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '#base'
import type { KeyField, Resource, StoredType } from '#model'
import { namesOf } from '#model/names'
import { checkValue } from '../check/check-value.ts'
import type { KeyPart, RowLocator, Where } from '../plan.ts'
import { noteIfHidden } from '../visibility.ts'
import type { PlanBuilder } from './plan-builder.ts'
import { currentValue } from './request-value.ts'

const idType: StoredType = { kind: 'scalar', name: 'ID' }

/** The type of a part's value. A reference is named by the id of its row. */
export function keyType(field: KeyField): StoredType {
  return field.kind === 'stored' ? field.type : idType
}

/** One part of the key of a request. */
export interface RequestKeyPart {
  field: KeyField
  /** The name in the request: it may be an alias. */
  name: string
  leaf: unknown
  place: string
}

/** A viewer can't find rows by a field that they can never read: to them there is no such key. */
export function planKey(parts: readonly RequestKeyPart[], of: Resource, builder: PlanBuilder): RowLocator {
  const key = parts.map(({ field, name, leaf, place }): KeyPart => {
    builder.noteName(name, field, of)
    if (noteIfHidden(field, of, builder)) builder.problem(place, 'UNKNOWN', `"${name}" is no key of ${of.name}.`)
    return { field, parameter: builder.parameter({ kind: 'type', type: keyType(field) }, leaf, place) }
  })
  return { id: null, key }
}

/** `slug "knots"`, `list "l1" and name "milk"`: the key in a sentence. */
export function printKey(fields: readonly string[], values: readonly unknown[]): string {
  return fields.map((name, index) => `${name} ${JSON.stringify(values[index])}`).join(' and ')
}

/** The parts as a filter. */
export function keyWhere(key: readonly KeyPart[]): Where {
  const parts = key.map(({ field, parameter }): Where => {
    if (field.kind === 'stored') return equals(field, parameter)
    const id = field.to.fields.get('id')
    if (id?.kind !== 'stored') throw new Error(`${field.to.name} has no id`)
    return { kind: 'through', field, where: equals(id, parameter) }
  })
  return parts.length === 1 ? parts[0]! : { kind: 'and', of: parts }
}

function equals(field: KeyField & { kind: 'stored' }, parameter: KeyPart['parameter']): Where {
  return { kind: 'compare', target: { kind: 'target', field, inside: [] }, op: 'eq', parameter }
}

/** The body of a write without the fields of the key, which must be those of the request's key, under any of their names. */
export function withoutKey(
  body: unknown,
  parts: readonly RequestKeyPart[],
  builder: PlanBuilder,
  where: 'in the path' | 'in key',
): unknown {
  const input = currentValue(body)
  if (!isRecord(input)) return body
  const rest = { ...input }
  for (const { field, leaf } of parts) {
    const expected = currentValue(leaf)
    for (const name of namesOf(field)) {
      if (!Object.hasOwn(rest, name)) continue
      if (!isSameValue(rest[name], expected, keyType(field))) {
        const value = typeof expected === 'string' ? `"${expected}"` : String(expected)
        builder.problem(name, 'READONLY', `must be ${value} as ${where}, or be left out.`)
      }
      delete rest[name]
    }
  }
  return rest
}

/** A body that sets the fields of the key too. */
export function withKey(body: unknown, parts: readonly RequestKeyPart[]): unknown {
  const input = currentValue(body)
  if (!isRecord(input)) return body
  return { ...Object.fromEntries(parts.map(({ field, leaf }) => [field.name, currentValue(leaf)])), ...input }
}

/** Two texts may be one value, such as a time with and without an offset. */
function isSameValue(one: unknown, other: unknown, type: StoredType): boolean {
  const canonical = (value: unknown) => (value === null ? null : checkValue(type, value, '', []))
  return isDeepStrictEqual(canonical(one), canonical(other))
}

// A key as GraphQL and custom code write it (`{slug: "knots"}`) → the parts of a unique key, by which the plan finds the row.

import { isRecord } from '#base'
import { formerKeyName, type KeyField, type Resource, type UniqueKey, uniqueKeysOf } from '#model'
import { namesOf } from '#model/names'
import type { RequestKeyPart } from './keys.ts'
import type { PlanBuilder } from './plan-builder.ts'

/** Empty after a problem. */
export function readKeyArgument(tree: unknown, of: Resource, builder: PlanBuilder, place: string): RequestKeyPart[] {
  const [[member, value] = [], ...others] = isRecord(tree)
    ? Object.entries(tree).filter(([, one]) => one !== undefined)
    : []
  const key =
    member === undefined || others.length > 0
      ? undefined
      : uniqueKeysOf(of).find((one) => memberNames(one).includes(member))
  if (member === undefined || key === undefined) {
    builder.problem(place, 'TYPE', `must have exactly one member: a unique key of ${of.name}.`)
    return []
  }
  const path = `${place}.${member}`
  const [only, ...more] = key.fields
  if (more.length === 0) return [{ field: only!, name: member, leaf: value, place: path }]
  const isFormer = member !== key.name
  return key.fields.map((field) => {
    const name = namesOf(field).find((one) => isRecord(value) && value[one] !== undefined) ?? field.name
    const leaf = isRecord(value) ? value[name] : undefined
    return { field, name: isFormer ? (field.alias ?? name) : name, leaf, place: `${path}.${name}` }
  })
}

/** The names of a key in requests. */
function memberNames(key: UniqueKey): string[] {
  const [only, ...more] = key.fields as [KeyField, ...KeyField[]]
  if (more.length === 0) return namesOf(only)
  const former = formerKeyName(key)
  return former === undefined ? [key.name] : [key.name, former]
}

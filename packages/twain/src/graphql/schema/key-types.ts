// The input types that name a row by one of its unique keys: `PostKey`, and one for each key of several fields.

import { compoundKeyInput, formerKeyName, keyInput, type Resource, type UniqueKey, uniqueKeysOf } from '#model'
import { hasOneName, renamedReason, withAliases } from '#model/names'
import { keyType } from '#plan/build'
import { block, deprecation, described, inputType } from './sdl.ts'

/** The argument that names the row. */
export const keyArgument = 'key'

export function keyTypes(resource: Resource): string[] {
  const keys = uniqueKeysOf(resource)
  if (keys.length === 0) return []
  const members = keys.flatMap((key) => keyMembers(key, resource))
  const about = `A unique key of a ${resource.name}: exactly one of its members.`
  return [
    described(about, block(`input ${keyInput(resource)} @oneOf`, members)),
    ...keys.filter(isCompound).map((key) => compoundType(key, resource)),
  ]
}

function isCompound({ fields }: UniqueKey): boolean {
  return fields.length > 1
}

function keyMembers(key: UniqueKey, resource: Resource): string[] {
  if (!isCompound(key)) {
    return withAliases(key.fields).map((field) => {
      const text = `${field.name}: ${inputType(keyType(field))}${deprecation(field.deprecated)}`
      return described(field.description, text)
    })
  }
  const type = compoundKeyInput(resource, key)
  const former = formerKeyName(key)
  const member = `${key.name}: ${type}`
  return former === undefined ? [member] : [member, `${former}: ${type}${deprecation(renamedReason(key.name))}`]
}

function compoundType(key: UniqueKey, resource: Resource): string {
  const lines = withAliases(key.fields).map((field) => {
    const end = hasOneName(field) ? '!' : deprecation(field.deprecated)
    return described(field.description, `${field.name}: ${inputType(keyType(field))}${end}`)
  })
  const names = key.fields.map(({ name }) => name).join(' and ')
  const about = `The ${names} of a ${resource.name}, which are unique together.`
  return described(about, block(`input ${compoundKeyInput(resource, key)}`, lines))
}

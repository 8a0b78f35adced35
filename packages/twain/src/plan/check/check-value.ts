// Checks one value against its type: gives the canonical value, or every problem with its place. All adapters and writes use
// it, so a wrong value gives the same message everywhere.

import { isDeepStrictEqual } from 'node:util'
import { didYouMean, hasEnoughProblems, isRecord, type Problem, unreachable } from '#base'
import { checkConstraint, checkJson, type StoredType, scalarOf, type ValueType } from '#model'
import { itemNamed } from '#model/names'

export interface CheckOptions {
  /** A merge patch of a value type: absent members are not missing, and null clears a member. */
  partial?: boolean
  /** The enum values beside those of the schema: `any` while it is not known which ones the row holds. */
  moreEnumValues?: 'any' | ReadonlySet<string>
}

/** `value` is never null: the caller decides whether null is allowed. */
export function checkValue(
  type: StoredType,
  value: unknown,
  path: string,
  problems: Problem[],
  options: CheckOptions = {},
): unknown {
  switch (type.kind) {
    case 'scalar':
      return scalarOf(type.name).check(value, path, problems)
    case 'custom':
      return checkJson(value, path, problems)
    case 'enum': {
      if (typeof value === 'string') {
        const named = itemNamed(type.enum.values, value)
        if (named !== undefined) return named.name
        const more = options.moreEnumValues
        if (more === 'any' ? isName(value) : more?.has(value)) return value
      }
      const names = type.enum.values.map(({ name }) => name)
      const near = typeof value === 'string' ? didYouMean(value, names) : ''
      return problem(problems, path, 'TYPE', `must be one of ${names.join(', ')}.${near}`)
    }
    case 'value':
      return checkMembers(type.value, value, path, problems, options)
    case 'list': {
      if (!Array.isArray(value)) return problem(problems, path, 'TYPE', 'must be a list.')
      const items: unknown[] = []
      for (const [index, item] of value.entries()) {
        if (hasEnoughProblems(problems)) break
        const place = `${path}.${index}`
        if (item !== null && item !== undefined)
          items.push(checkValue(type.of, item, place, problems, { ...options, partial: false }))
        else items.push(type.itemRequired ? problem(problems, place, 'REQUIRED', 'must not be null.') : null)
      }
      return items
    }
    default:
      return unreachable(type)
  }
}

/** Only a name can be a value of an enum of another schema version. */
function isName(text: string): boolean {
  return /^[_A-Za-z][_0-9A-Za-z]{0,255}$/.test(text)
}

function checkMembers(
  type: ValueType,
  value: unknown,
  path: string,
  problems: Problem[],
  options: CheckOptions,
): unknown {
  if (!isRecord(value)) {
    return problem(problems, path, 'TYPE', `must be an object (${type.name}).`)
  }
  for (const key of Object.keys(value)) {
    if (hasEnoughProblems(problems)) break
    if (!type.fields.has(key)) {
      problem(
        problems,
        `${path}.${key}`,
        'UNKNOWN',
        `is not a field of ${type.name}.${didYouMean(key, type.fields.keys())}`,
      )
    }
  }
  if (hasEnoughProblems(problems)) return null
  const input = new Map(Object.entries(value))
  const members: [string, unknown][] = []
  for (const field of type.fields.values()) {
    const place = `${path}.${field.name}`
    let member = input.get(field.name)
    const aliased = field.alias === undefined ? undefined : input.get(field.alias)
    if (member === undefined) member = aliased
    else if (aliased !== undefined && !isDeepStrictEqual(member, aliased)) {
      problem(
        problems,
        `${path}.${field.alias}`,
        'TYPE',
        `is the previous name of ${field.name}, and its value differs.`,
      )
    }
    if (member === undefined) {
      if (options.partial || (type.isInput && field.default === undefined && !field.required)) continue
      member = field.default ?? null
    }
    if (member === null) {
      if (field.required) problem(problems, place, 'REQUIRED', 'is required and must not be null.')
      members.push([field.name, null])
      continue
    }
    const before = problems.length
    const canonical = checkValue(field.type, member, place, problems, options)
    if (problems.length === before) checkConstraint(field.constraint, field.type, canonical, place, problems)
    members.push([field.name, canonical])
  }
  if (type.isOneOf && (input.size !== 1 || [...input.values()][0] === null)) {
    problem(problems, path, 'TYPE', `must name exactly one field of ${type.name}, and not null.`)
  }
  return Object.fromEntries(members)
}

function problem(problems: Problem[], path: string, code: Problem['code'], message: string): null {
  problems.push({ path, code, message })
  return null
}

// Checks one value against its type: gives the canonical value, or every problem with its place. All adapters and writes use
// it, so a wrong value gives the same message everywhere.

import { isDeepStrictEqual } from 'node:util'
import { canonicalDateTime, didYouMean, hasEnoughProblems, isDate, isRecord, type Problem, unreachable } from '#base'
import type { ScalarName, StoredType, ValueType } from '#model'
import { checkConstraint } from './check-constraint.ts'
import { canonicalDecimal, canonicalInteger, numberDigits } from './decimal.ts'

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
      return scalarChecks[type.name](value, path, problems)
    case 'custom':
      return checkJson(value, path, problems)
    case 'enum': {
      if (typeof value === 'string') {
        const named =
          type.enum.values.find(({ name }) => name === value) ?? type.enum.values.find(({ alias }) => alias === value)
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

type ScalarCheck = (value: unknown, path: string, problems: Problem[]) => unknown

const scalarChecks: Record<ScalarName, ScalarCheck> = {
  Int(value, path, problems) {
    if (typeof value !== 'number' || !Number.isInteger(value)) {
      return problem(problems, path, 'TYPE', 'must be a whole number.')
    }
    if (value < -2147483648 || value > 2147483647) {
      return problem(problems, path, 'RANGE', 'must be between -2147483648 and 2147483647 (32 bits).')
    }
    return value + 0 // −0 becomes 0
  },
  Float(value, path, problems) {
    if (typeof value !== 'number') return problem(problems, path, 'TYPE', 'must be a number.')
    if (!Number.isFinite(value)) return problem(problems, path, 'RANGE', 'must be a finite number of double precision.')
    return value + 0
  },
  String: checkText,
  Boolean(value, path, problems) {
    return typeof value === 'boolean' ? value : problem(problems, path, 'TYPE', 'must be true or false.')
  },
  ID(value, path, problems) {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
    return checkText(value, path, problems)
  },
  DateTime(value, path, problems) {
    const canonical = typeof value === 'string' ? canonicalDateTime(value) : null
    return (
      canonical ?? problem(problems, path, 'TYPE', 'must be an RFC 3339 date and time such as "2026-01-31T09:30:00Z".')
    )
  },
  Date(value, path, problems) {
    if (typeof value === 'string' && isDate(value)) return value
    return problem(problems, path, 'TYPE', 'must be a date such as "2026-01-31".')
  },
  JSON: (value, path, problems) => checkJson(value, path, problems),
  Decimal(value, path, problems) {
    return (
      canonicalDecimal(numberText(value)) ??
      problem(problems, path, 'TYPE', 'must be a decimal number of at most 200 digits, as a string such as "19.90".')
    )
  },
  BigInt(value, path, problems) {
    return (
      canonicalInteger(numberText(value)) ??
      problem(
        problems,
        path,
        'TYPE',
        'must be a whole number of at most 200 digits, as a string such as "9007199254740993".',
      )
    )
  },
}

/** Accepts a JSON number only if it is exact: beyond 2^53, or with more than 15 digits, parsing may have lost some. */
function numberText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'number' || Math.abs(value) > Number.MAX_SAFE_INTEGER) return ''
  return Number.isInteger(value) || Number(value.toPrecision(15)) === value ? numberDigits(value) : ''
}

function isText(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed()
}

function checkText(value: unknown, path: string, problems: Problem[]): unknown {
  if (typeof value !== 'string') return problem(problems, path, 'TYPE', 'must be a string.')
  if (value.includes('\0')) return problem(problems, path, 'PATTERN', 'must not contain a NUL character.')
  if (!value.isWellFormed())
    return problem(problems, path, 'PATTERN', 'must be well-formed Unicode (it holds half a surrogate pair).')
  return value
}

const maxJsonDepth = 64

/** `trail` is the path from `path` to the value. It is joined only for a problem. */
function checkJson(value: unknown, path: string, problems: Problem[], trail: (string | number)[] = []): unknown {
  if (trail.length > maxJsonDepth) {
    return problem(problems, placeIn(), 'RANGE', `must not be nested deeper than ${maxJsonDepth} levels.`)
  }
  if (typeof value === 'number' && Number.isFinite(value)) return value + 0 // −0 becomes 0
  if (typeof value === 'string' && isText(value)) return value
  if (value === null || typeof value === 'boolean' || hasEnoughProblems(problems)) return value
  if (Array.isArray(value)) return value.map((item, index) => inside(index, item))
  if (typeof value === 'object') {
    // fromEntries defines each member, so that one called `__proto__` stays plain data.
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => {
        if (!isText(key)) checkText(key, placeIn(), problems)
        return [key, inside(key, member)]
      }),
    )
  }
  if (typeof value === 'string') return checkText(value, placeIn(), problems)
  if (typeof value === 'number') return scalarChecks.Float(value, placeIn(), problems)
  return problem(problems, placeIn(), 'TYPE', 'must be JSON.')

  function inside(key: string | number, member: unknown): unknown {
    trail.push(key)
    const checked = checkJson(member, path, problems, trail)
    trail.pop()
    return checked
  }

  function placeIn(): string {
    return [path, ...trail].join('.')
  }
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

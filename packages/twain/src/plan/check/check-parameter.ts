// Checks one value against its parameter.

import { canonicalTimeZone, didYouMean, type Problem, timeZoneNames, unreachable } from '#base'
import { type Argument, type Constraint, checkConstraint, jsonPath, jsonPathAdvice, type StoredField } from '#model'
import type { Limits } from '../limit/limits.ts'
import type { ParameterType } from '../plan.ts'
import { searchedWords } from '../search-words.ts'
import { checkValue } from './check-value.ts'
import { isCommonPassword } from './common-passwords/common-passwords.ts'
import { checkVariant, type RequestedVariant, variantQuery } from './image-variant.ts'
import { isPossibleId, possibleIdMessage } from './possible-id.ts'

/** The canonical value. Problems are added to `problems`. */
export function checkParameter(
  accepts: ParameterType,
  value: unknown,
  path: string,
  limits: Limits,
  problems: Problem[],
): unknown {
  switch (accepts.kind) {
    case 'type':
      if (value === null || value === undefined) return reportNull(path, problems)
      if (isListTooLong(value, path, problems)) return value
      if (accepts.ofRow === true) checkRowIds(value, path, problems)
      return checkValue(accepts.type, value, path, problems)
    case 'types':
      if (value === null || value === undefined) return reportNull(path, problems)
      if (isListTooLong(value, path, problems)) return value
      if (accepts.ofRow === true) checkRowIds(value, path, problems)
      return checkValue({ kind: 'list', of: accepts.type, itemRequired: true }, value, path, problems)
    case 'bound':
      if (value === undefined) return reportRange(accepts.is, path, problems)
      if (value === null) return reportNull(path, problems)
      return checkValue(accepts.type, value, path, problems)
    case 'field':
      return checkField(accepts, value, path, problems)
    case 'ids':
      return unique(checkValue(idList, value, path, problems))
    case 'increment':
      return checkIncrement(accepts.field, value, path, problems)
    case 'size': {
      const max = limits.page === 0 ? maxInt : Math.max(limits.page, accepts.allowed ?? 0)
      return checkCount(value, accepts.max ?? max, path, problems)
    }
    case 'offset':
      return checkCount(value, maxInt, path, problems)
    case 'password':
      return checkPassword(value, path, problems)
    case 'currentPassword':
      return checkCurrentPassword(value, path, problems)
    case 'argument':
      return checkArgument(accepts.argument, value, path, problems)
    case 'search':
      return checkSearch(value, path, problems)
    case 'timeZone':
      return checkTimeZone(value, path, problems)
    case 'path': {
      const keys = jsonPath(value)
      if (keys === null) problems.push({ path, code: 'TYPE', message: jsonPathAdvice })
      return keys
    }
    case 'image': {
      const variant = checkVariant(value as RequestedVariant, path, limits.imageSizes ?? [], problems)
      return variant === null ? '' : `?${variantQuery(variant)}`
    }
    case 'version':
      return checkCount(value, maxInt, path, problems)
    default:
      return unreachable(accepts)
  }
}

/** A filter by what can be the id of no row is a mistake, such as the syntax of another server. `id[in]=` has one empty id: no ids. */
function checkRowIds(value: unknown, path: string, problems: Problem[]): void {
  const isWrong = (one: unknown) => typeof one === 'string' && !isPossibleId(one.replace(typePrefix, ''))
  const wrong = Array.isArray(value) ? value.find((one) => one !== '' && isWrong(one)) : value
  if (!isWrong(wrong)) return
  const hint = /[(,]/.test(String(wrong)) ? listHint(path) : ''
  problems.push({ path, code: 'PATTERN', message: `${possibleIdMessage}${hint}` })
}

/** Of the id of a row of an interface or union. */
const typePrefix = /^[A-Za-z_]\w*:/

/** `where.id.eq`, or the parameter of REST: `id`, `author[eq]`. */
function listHint(path: string): string {
  if (/\.(eq|ne|in|notIn)$/.test(path)) return ' For several ids write {"in": ["a", "b"]}.'
  return ` For several ids write ${path.replace(/\[\w+\]$/, '')}[in]=a,b.`
}

/** Whether a filter compares with too long a list; then it is reported. */
export function isListTooLong(value: unknown, path: string, problems: Problem[]): boolean {
  if (!Array.isArray(value) || value.length <= maxListedValues) return false
  problems.push({
    path,
    code: 'RANGE',
    message: `lists ${value.length} values; at most ${maxListedValues} are allowed.`,
  })
  return true
}

const maxListedValues = 1000

/** The largest Int of GraphQL. */
const maxInt = 2147483647

function checkCount(value: unknown, max: number, path: string, problems: Problem[]): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    problems.push({ path, code: 'TYPE', message: 'must be a whole number.' })
  } else if (value < 0 || value > max) {
    problems.push({ path, code: 'RANGE', message: `must be between 0 and ${max}.` })
  }
  return value
}

/** Names of zones are short. */
const maxZoneLength = 64

function checkTimeZone(value: unknown, path: string, problems: Problem[]): unknown {
  if (value === null || value === undefined) return 'UTC'
  const isName = typeof value === 'string' && value !== '' && value.length <= maxZoneLength
  const zone = isName ? canonicalTimeZone(value) : null
  if (zone === null) {
    const near = isName ? didYouMean(value, timeZoneNames()) : ''
    problems.push({ path, code: 'TYPE', message: `must be the name of a time zone, such as Europe/Oslo.${near}` })
  }
  return zone
}

function checkField(
  { field, merge, mayKeep }: ParameterType & { kind: 'field' },
  value: unknown,
  path: string,
  problems: Problem[],
): unknown {
  if (field.kind === 'links') {
    if (value === null) return []
    return unique(checkValue(idList, value, path, problems))
  }
  if (value === null || value === undefined) return field.required ? reportNull(path, problems) : null
  if (field.kind === 'reference') return checkValue(id, value, path, problems)
  const before = problems.length
  const options = { partial: merge, ...(mayKeep && { moreEnumValues: 'any' as const }) }
  const canonical = checkValue(field.type, value, path, problems, options)
  if (problems.length === before) checkStored(field, canonical, path, problems)
  return canonical
}

/** Checks a canonical value against what the schema says of its field. */
export function checkStored(field: StoredField, value: unknown, path: string, problems: Problem[]): void {
  checkConstraint(field.isLogin ? loginConstraint(field) : field.constraint, field.type, value, path, problems)
  if (field.maxIndexedBytes !== undefined) checkIndexedBytes(field, value, path, problems)
}

/** The constraints of the field hold for the sum, which only the store knows. */
function checkIncrement({ type }: StoredField, value: unknown, path: string, problems: Problem[]): unknown {
  if (value === null || value === undefined) return reportNull(path, problems)
  const before = problems.length
  const amount = checkValue(type, value, path, problems)
  if (problems.length === before && String(amount) === '0') {
    problems.push({ path, code: 'RANGE', message: 'must not be 0.' })
  }
  return amount
}

/** A custom scalar is indexed as its JSON text. */
function checkIndexedBytes(field: StoredField, value: unknown, path: string, problems: Problem[]): void {
  const max = field.maxIndexedBytes!
  const text = field.type.kind === 'custom' ? JSON.stringify(value) : String(value)
  if (text.length * 3 <= max) return // a UTF-16 unit has at most three bytes in UTF-8
  const bytes = Buffer.byteLength(text)
  if (bytes <= max) return
  const message = `must have at most ${max} bytes in UTF-8, because the field is indexed (it has ${bytes}).`
  problems.push({ path, code: 'LENGTH', message })
}

/** GraphQL specification, 6.4.1: an argument that is left out takes its default, or is absent. */
function checkArgument(argument: Argument, input: unknown, path: string, problems: Problem[]): unknown {
  const value = input === undefined ? argument.default : input
  if (value !== undefined && value !== null) {
    const before = problems.length
    const canonical = checkValue(argument.type, value, path, problems)
    if (problems.length === before) checkConstraint(argument.constraint, argument.type, canonical, path, problems)
    return canonical
  }
  if (argument.required) {
    problems.push({ path, code: 'REQUIRED', message: 'is required and must not be null.' })
    return null
  }
  return value
}

const id = { kind: 'scalar', name: 'ID' } as const
const idList = { kind: 'list', of: id, itemRequired: true } as const

function unique(ids: unknown): unknown {
  return Array.isArray(ids) ? [...new Set(ids)] : ids
}

function reportNull(path: string, problems: Problem[]): null {
  problems.push({ path, code: 'REQUIRED', message: 'must not be null.' })
  return null
}

/** The operand of `between` has other than two values. Both ends say so, and the first is reported. */
function reportRange(is: 'least' | 'greatest', path: string, problems: Problem[]): undefined {
  if (is === 'greatest') return
  problems.push({ path, code: 'TYPE', message: 'must list two values: the least and the greatest.' })
}

/** The upper bound keeps hashing fast for clients that are not authenticated. It is checked before anything is hashed. */
export function checkPassword(value: unknown, path: string, problems: Problem[]): unknown {
  if (typeof value !== 'string') {
    problems.push({ path, code: 'TYPE', message: 'must be a string.' })
  } else if (value.length < 8 || value.length > 256) {
    problems.push({ path, code: 'LENGTH', message: 'must have 8 to 256 characters.' })
  } else if (isCommonPassword(value)) {
    problems.push({ path, code: 'COMMON', message: 'is one of the 100,000 most common passwords. Choose another one.' })
  }
  return value
}

/** The bounds of a new password do not apply: the answer to a wrong one is the same for every text. */
function checkCurrentPassword(value: unknown, path: string, problems: Problem[]): unknown {
  if (value === null || value === undefined) return null
  if (typeof value !== 'string') problems.push({ path, code: 'TYPE', message: 'must be a string.' })
  else if (value.length > 256) problems.push({ path, code: 'LENGTH', message: 'must have at most 256 characters.' })
  return value
}

/** The store saves a login a second time in canonical form, which may be many times as long. E-mail addresses have at most 320
 *  characters. */
function loginConstraint({ constraint }: StoredField): Constraint {
  return { minLength: 1, maxLength: 320, ...constraint }
}

export const maxSearchLength = 500
const maxSearchWords = 20

/** The words of a search text. */
export function checkSearch(value: unknown, path: string, problems: Problem[]): unknown {
  if (typeof value !== 'string') {
    problems.push({ path, code: 'TYPE', message: 'must be a string.' })
    return value
  }
  if (value.length > maxSearchLength) {
    problems.push({ path, code: 'LENGTH', message: `must have at most ${maxSearchLength} characters.` })
    return value
  }
  const words = searchedWords(value)
  if (words.length > maxSearchWords) {
    problems.push({ path, code: 'RANGE', message: `has ${words.length} words; at most ${maxSearchWords} are allowed.` })
  }
  return words
}

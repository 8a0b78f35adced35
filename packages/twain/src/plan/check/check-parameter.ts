// One value against the slot that it fills.

import { type Problem, unreachable } from '#base'
import type { Argument, Constraint, StoredField } from '#model'
import type { Limits } from '../limit/limits.ts'
import type { ParameterType } from '../plan.ts'
import { checkConstraint } from './check-constraint.ts'
import { checkSearch } from './check-search.ts'
import { checkValue } from './check-value.ts'

/** The canonical value; what is wrong goes to `problems`. */
export function checkParameter(
  fits: ParameterType,
  value: unknown,
  path: string,
  limits: Limits,
  problems: Problem[],
): unknown {
  switch (fits.kind) {
    case 'type':
      if (value === null || value === undefined) return reportNull(path, problems)
      if (isListTooLong(value, path, problems)) return value
      return checkValue(fits.type, value, path, problems)
    case 'types':
      if (value === null || value === undefined) return reportNull(path, problems)
      if (isListTooLong(value, path, problems)) return value
      return checkValue({ kind: 'list', of: fits.type, itemRequired: true }, value, path, problems)
    case 'field':
      return checkField(fits, value, path, problems)
    case 'size': {
      const most = limits.page === 0 ? maxInt : limits.page
      return checkCount(value, 0, most, path, problems)
    }
    case 'offset':
      return checkCount(value, 0, maxInt, path, problems)
    case 'password':
      return checkPassword(value, path, problems)
    case 'argument':
      return checkArgument(fits.argument, value, path, problems)
    case 'search':
      return checkSearch(value, path, problems)
    case 'version':
      return checkCount(value, 0, maxInt, path, problems)
    default:
      return unreachable(fits)
  }
}

/** Whether a filter compares with a list that is too long, which is then told. */
export function isListTooLong(value: unknown, path: string, problems: Problem[]): boolean {
  if (!Array.isArray(value) || value.length <= maxListedValues) return false
  problems.push({ path, code: 'RANGE', message: `lists ${value.length} values; there may be ${maxListedValues}.` })
  return true
}

const maxListedValues = 1000

/** What GraphQL's Int can say. */
const maxInt = 2147483647

function checkCount(value: unknown, least: number, most: number, path: string, problems: Problem[]): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value)) {
    problems.push({ path, code: 'TYPE', message: 'must be a whole number.' })
  } else if (value < least || value > most) {
    problems.push({ path, code: 'RANGE', message: `must be between ${least} and ${most}.` })
  }
  return value
}

function checkField(
  { field, merge }: ParameterType & { kind: 'field' },
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
  const canonical = checkValue(field.type, value, path, problems, { partial: merge })
  if (problems.length === before)
    checkConstraint(field.isLogin ? loginConstraint(field) : field.constraint, field.type, canonical, path, problems)
  return canonical
}

/** As the specification has it (6.4.1): what is left out takes its default, or is not there. */
function checkArgument(argument: Argument, given: unknown, path: string, problems: Problem[]): unknown {
  const value = given === undefined ? argument.default : given
  if (value !== undefined && value !== null) return checkValue(argument.type, value, path, problems)
  if (argument.required) {
    problems.push({ path, code: 'REQUIRED', message: 'must be given and not null.' })
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

/** Long ones would make the hash slow before anybody is known; the bound is told before anything is hashed. */
function checkPassword(value: unknown, path: string, problems: Problem[]): unknown {
  if (typeof value !== 'string') {
    problems.push({ path, code: 'TYPE', message: 'must be a string.' })
  } else if (value.length < 8 || value.length > 256) {
    problems.push({ path, code: 'LENGTH', message: 'must have 8 to 256 characters.' })
  }
  return value
}

/** A login is kept a second time in its canonical form, which may be many times as long. An address has 320 at most. */
function loginConstraint({ constraint }: StoredField): Constraint {
  return { minLength: 1, maxLength: 320, ...constraint }
}

// `@constraint` against a canonical value. On a list of strings or numbers, all but minItems and maxItems is for the items.

import { formats, isEnough, type Problem } from '#base'
import type { Constraint, StoredType } from '#model'
import { compareDecimals, numberDigits } from './decimal.ts'

export function checkConstraint(
  constraint: Constraint | null,
  type: StoredType,
  value: unknown,
  path: string,
  problems: Problem[],
): void {
  if (constraint === null || value === null) return
  if (type.kind === 'list' && Array.isArray(value)) {
    const { minItems, maxItems } = constraint
    if (minItems !== undefined && value.length < minItems) {
      problems.push({ path, code: 'LENGTH', message: `must have at least ${minItems} items.` })
    }
    if (maxItems !== undefined && value.length > maxItems) {
      problems.push({ path, code: 'LENGTH', message: `must have at most ${maxItems} items.` })
    }
    for (const [index, item] of value.entries()) {
      if (isEnough(problems)) break
      checkConstraint(constraint, type.of, item, `${path}.${index}`, problems)
    }
    return
  }
  checkRange(constraint, type, value, path, problems)
  if (typeof value === 'string') checkString(constraint, value, path, problems)
}

function checkRange(
  { min, max }: Constraint,
  type: StoredType,
  value: unknown,
  path: string,
  problems: Problem[],
): void {
  const exact = type.kind === 'scalar' && (type.name === 'Decimal' || type.name === 'BigInt')
  if (!exact && typeof value !== 'number') return
  const compare = (limit: number): number =>
    exact ? compareDecimals(String(value), numberDigits(limit)) : (value as number) - limit
  if (min !== undefined && compare(min) < 0) problems.push({ path, code: 'RANGE', message: `must be at least ${min}.` })
  if (max !== undefined && compare(max) > 0) problems.push({ path, code: 'RANGE', message: `must be at most ${max}.` })
}

function checkString(constraint: Constraint, value: string, path: string, problems: Problem[]): void {
  const { minLength, maxLength, pattern, format } = constraint
  if (minLength !== undefined || maxLength !== undefined) {
    const length = codePoints(value)
    if (minLength !== undefined && length < minLength) {
      problems.push({ path, code: 'LENGTH', message: `must have at least ${minLength} characters (it has ${length}).` })
    }
    if (maxLength !== undefined && length > maxLength) {
      problems.push({ path, code: 'LENGTH', message: `must have at most ${maxLength} characters (it has ${length}).` })
    }
  }
  if (pattern !== undefined && !expression(pattern).test(value)) {
    problems.push({ path, code: 'PATTERN', message: `must match the pattern ${pattern}` })
  }
  if (format !== undefined && !formats[format]!(value)) {
    problems.push({ path, code: 'PATTERN', message: `must have the format "${format}".` })
  }
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

const expressions = new Map<string, RegExp>()

/** Patterns stand in the schema file, so there are only so many of them. */
function expression(pattern: string): RegExp {
  const known = expressions.get(pattern)
  if (known !== undefined) return known
  const compiled = new RegExp(pattern, 'u')
  expressions.set(pattern, compiled)
  return compiled
}

// Checks a canonical value against `@constraint`. On a list, only minItems and maxItems apply to the list itself. A custom scalar
// with a constraint takes only the kinds of JSON that the constraint is about.

import {
  compareDecimals,
  formats,
  hasEnoughProblems,
  matchesPattern,
  maxPatternTextLength,
  numberDigits,
  type Problem,
  unreachable,
} from '#base'
import type { Constraint, Json, StoredType } from '../model.ts'
import { type Scalar, scalarOf } from './scalars.ts'

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
      if (hasEnoughProblems(problems)) break
      checkConstraint(constraint, type.of, item, `${path}.${index}`, problems)
    }
    return
  }
  if (type.kind === 'custom') {
    const kinds: readonly string[] | null = admittedKinds(constraint)
    if (kinds !== null && !kinds.includes(typeof value)) {
      problems.push({ path, code: 'TYPE', message: `must be a ${kinds.join(' or a ')}.` })
      return
    }
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
  if (min === undefined && max === undefined) return
  // A custom scalar that is no number has no range.
  const range = type.kind === 'scalar' ? scalarOf(type.name).range : typeof value === 'number' ? 'number' : null
  if (range === null) return
  const compare = (limit: number | string): number => compareToBound(range, value as number | string, limit)
  if (min !== undefined && compare(min) < 0) problems.push({ path, code: 'RANGE', message: `must be at least ${min}.` })
  if (max !== undefined && compare(max) > 0) problems.push({ path, code: 'RANGE', message: `must be at most ${max}.` })
}

/** Whether a canonical value is below its bound (negative), equal to it, or above (positive). */
export function compareToBound(
  range: NonNullable<Scalar['range']>,
  value: number | string,
  bound: number | string,
): number {
  switch (range) {
    case 'number':
      return Number(value) - Number(bound)
    case 'exact':
      return compareDecimals(String(value), typeof bound === 'number' ? numberDigits(bound) : bound)
    case 'text':
      return value < bound ? -1 : value > bound ? 1 : 0
    default:
      return unreachable(range)
  }
}

function checkString(constraint: Constraint, value: string, path: string, problems: Problem[]): void {
  const { minLength, maxLength, pattern, format } = constraint
  const isMeasured = minLength !== undefined || maxLength !== undefined || pattern !== undefined
  const length = isMeasured ? codePoints(value) : 0
  const tooShort = minLength !== undefined && length < minLength
  const tooLong = maxLength !== undefined && length > maxLength
  if (tooShort) {
    problems.push({ path, code: 'LENGTH', message: `must have at least ${minLength} characters (it has ${length}).` })
  }
  if (tooLong) {
    problems.push({ path, code: 'LENGTH', message: `must have at most ${maxLength} characters (it has ${length}).` })
  }
  if (pattern !== undefined && !tooShort && !tooLong) checkPattern(pattern, value, length, maxLength, path, problems)
  if (format !== undefined && !formats[format]!(value)) {
    problems.push({ path, code: 'PATTERN', message: `must have the format "${format}".` })
  }
}

/** Patterns are fast on texts of bounded length. Longer texts are matched only if the schema file sets maxLength. */
function checkPattern(
  pattern: string,
  value: string,
  length: number,
  maxLength: number | undefined,
  path: string,
  problems: Problem[],
): void {
  if (maxLength === undefined && length > maxPatternTextLength) {
    const message = `must have at most ${maxPatternTextLength} characters to be matched against its pattern.`
    problems.push({ path, code: 'PATTERN', message })
  } else if (!matchesPattern(value, pattern)) {
    problems.push({ path, code: 'PATTERN', message: `must match the pattern ${pattern}` })
  }
}

function codePoints(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** A custom scalar is any JSON, but with a constraint only what the constraint is about: a string, a number, or one of both.
 *  Null: any JSON. */
export function admittedKinds(constraint: Constraint): readonly ('string' | 'number')[] | null {
  const { min, max, minLength, maxLength, pattern, format } = constraint
  const isOfText = [minLength, maxLength, pattern, format].some((one) => one !== undefined)
  const isOfNumbers = [min, max].some((one) => one !== undefined)
  if (isOfText) return isOfNumbers ? ['string', 'number'] : ['string']
  return isOfNumbers ? ['number'] : null
}

/** How a value of the schema file violates its constraint, without a subject and a full stop; null if it does not. */
export function violation(constraint: Constraint | null, type: StoredType, value: Json): string | null {
  const problems: Problem[] = []
  checkConstraint(constraint, type, value, '', problems)
  const [problem] = problems
  if (problem === undefined) return null
  const item = problem.path === '' ? '' : `item ${problem.path.slice(1)} `
  return `violates its @constraint: ${item}${problem.message.replace(/\.$/, '')}`
}

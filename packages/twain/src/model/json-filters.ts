// Filters of a scalar inside a JSON field: `{path: "size.width", gt: 3}`.

import type { StoredType } from './model.ts'
import { type CompareOp, operatorOf } from './values/operators.ts'

/** With their descriptions. `isNull` has its own meaning here: there is no value, or it is null. */
export const jsonOperators = {
  eq: 'Equals this string, number or boolean.',
  ne: 'Differs from this value, is of another type, or is missing.',
  in: 'Equals one of these strings, numbers or booleans.',
  notIn: 'Equals none of these values, or is missing.',
  lt: 'Is a string or a number less than this one.',
  lte: 'Is a string or a number less than or equal to this one.',
  gt: 'Is a string or a number greater than this one.',
  gte: 'Is a string or a number greater than or equal to this one.',
  contains: 'Is a string that contains this text.',
  startsWith: 'Is a string that starts with this text.',
  endsWith: 'Is a string that ends with this text.',
  ieq: 'Is a string that equals this text, whatever the case and the accents of both.',
  icontains: 'Is a string that contains this text, whatever the case and the accents of both.',
  istartsWith: 'Is a string that starts with this text, whatever the case and the accents of both.',
  iendsWith: 'Is a string that ends with this text, whatever the case and the accents of both.',
} as const satisfies Partial<Record<CompareOp, string>>
export type JsonOperator = keyof typeof jsonOperators

/** Whether it is about strings only, and takes one. */
export function isJsonTextOperator(word: JsonOperator): boolean {
  return operatorOf(word).scansText
}

/** Whether it takes a list of values. */
export function takesJsonList(word: JsonOperator): boolean {
  return operatorOf(word).operand === 'list'
}

/** The words that are true or false. */
export const jsonFlags = {
  isNull: 'Whether there is no value, or null.',
  exists: 'Whether there is a value; null is one.',
} as const
export type JsonFlag = keyof typeof jsonFlags

/** The words of a filter with a path, beside the path. */
export const jsonWords: readonly string[] = [...Object.keys(jsonOperators), ...Object.keys(jsonFlags)]

export function isJsonOperator(word: string): word is JsonOperator {
  return Object.hasOwn(jsonOperators, word)
}

export function isJsonFlag(word: string): word is JsonFlag {
  return Object.hasOwn(jsonFlags, word)
}

export function isJson(type: StoredType): boolean {
  return type.kind === 'scalar' && type.name === 'JSON'
}

/** The keys of a path; null: it is none. A key never looks like the index of a list, which databases would take for one. */
export function jsonPath(text: unknown): string[] | null {
  if (typeof text !== 'string') return null
  const keys = text.split('.')
  return keys.length <= maxPathLength && keys.every((key) => keyPattern.test(key)) ? keys : null
}

const maxPathLength = 10
const keyPattern = /^[\p{L}_][\p{L}\p{N}_-]{0,63}$/u

export const jsonPathAdvice =
  'must be a path of at most 10 keys of objects, such as "size.width"; a key has letters, digits, _ and -, and no digit first.'

// Checks a value while it is typed, by the constraints of the schema file. The server checks again.

import type { FieldModel } from '../api/model.ts'
import { texts } from '../texts.ts'

/** Null: nothing is wrong. */
export function mistakeIn({ constraint, type, required }: FieldModel, value: unknown): string | null {
  if (value === null) return required ? texts.needed : null
  if (constraint === undefined) return null
  const { min, max, minLength, maxLength, pattern } = constraint
  if (typeof value === 'string' && type === 'String') {
    const length = [...value].length
    if (minLength !== undefined && length < minLength) return texts.tooShort(minLength)
    if (maxLength !== undefined && length > maxLength) return texts.tooLong(maxLength)
    if (pattern !== undefined && !matches(pattern, value)) return texts.pattern(pattern)
  }
  if (typeof value === 'string' && (type === 'Decimal' || type === 'BigInt')) {
    if (min !== undefined && compareExact(value, String(min)) < 0) return texts.tooSmall(min)
    if (max !== undefined && compareExact(value, String(max)) > 0) return texts.tooLarge(max)
  }
  if (typeof value === 'number') {
    if (min !== undefined && value < Number(min)) return texts.tooSmall(min)
    if (max !== undefined && value > Number(max)) return texts.tooLarge(max)
  }
  return null
}

/** Compares decimal texts digit by digit; those with an exponent as doubles. */
export function compareExact(a: string, b: string): number {
  if (/e/i.test(a + b)) return Number(a) - Number(b)
  const places = Math.max(...[a, b].map((text) => text.split('.')[1]?.length ?? 0))
  const whole = (text: string) => {
    const [digits = '', rest = ''] = text.replace('+', '').split('.')
    return BigInt(`${digits === '' || digits === '-' ? `${digits}0` : digits}${rest.padEnd(places, '0')}`)
  }
  const difference = whole(a) - whole(b)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** A pattern that this browser can't read is left to the server. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value)
  } catch {
    return true
  }
}

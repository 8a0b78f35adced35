// Questions about a stored type that the record of its scalar answers.

import type { StoredType } from '../model.ts'
import { scalarOf } from './scalars.ts'

/** Int, Float, Decimal and BigInt. */
export function isNumber(type: StoredType): boolean {
  const range = type.kind === 'scalar' ? scalarOf(type.name).range : null
  return range === 'number' || range === 'exact'
}

/** A number with all of its digits, which is text in JSON. */
export function isExactNumber(type: StoredType): boolean {
  return type.kind === 'scalar' && scalarOf(type.name).range === 'exact'
}

/** A scalar of which any text is a value. */
export function isText(type: StoredType): boolean {
  return type.kind === 'scalar' && scalarOf(type.name).isText
}

/** Any JSON: it can't be compared, and adapters write it as JSON text where they have no JSON. */
export function isAnyJson(type: StoredType): boolean {
  return type.kind === 'scalar' && scalarOf(type.name).literals.includes('any')
}

/** Whether the values of a field are texts in the order for people: by their folded form first (`textKey`). Ids, enums, dates and
 *  exact numbers are not. */
export function isFolded({ type, collation }: { type: StoredType; collation?: 'BINARY' }): boolean {
  return type.kind === 'scalar' && type.name === 'String' && collation !== 'BINARY'
}

// Cursors: the keys of the row where a page ended, as text that is opaque and checked. A changed one, or one of another
// order, is told from a true one by its checksum. It holds nothing that the page did not show the order of.
//
//   cursor   = keys "." checksum
//   keys     = base64url(json array of the keys)
//   checksum = first 10 hex digits of sha-256(order name + keys)

import { hash } from 'node:crypto'
import type { Abstract, Resource } from '#model'
import type { OrderKey } from '../plan.ts'

/** What a cursor is good for: the type and the order, as text. In former names, while these go on working: a cursor that was
 *  given under one is good under the next. */
export function orderName(of: Resource | Abstract, order: readonly OrderKey[]): string {
  const keys = order.map(
    (key) => `${key.kind === 'field' ? (key.field.alias ?? key.field.name) : '__typename'} ${key.direction}`,
  )
  return `${of.alias ?? of.name}(${keys.join(',')})`
}

/** `keys` is the text of a JSON array. */
export function writeCursor(name: string, keys: string): string {
  const encoded = Buffer.from(keys).toString('base64url')
  return `${encoded}.${checksum(name, encoded)}`
}

/** The keys, or null when the cursor was not made by `writeCursor` under this name. Anyone can compute a checksum, so what
 *  it holds is looked at as well: at worst a forged cursor is a position that no row had. */
export function readCursor(name: string, cursor: string): unknown[] | null {
  const dot = cursor.indexOf('.')
  if (dot < 0) return null
  const encoded = cursor.slice(0, dot)
  // Of the encoded text, since Node reads the same keys from several: it skips what is no base64url.
  if (checksum(name, encoded) !== cursor.slice(dot + 1)) return null
  return decodeKeys(encoded)
}

/** Which keys are null: the part of a cursor that changes the SQL. Takes any text; a wrong one is found when planned. */
export function cursorShape(cursor: unknown): string {
  if (typeof cursor !== 'string') return ''
  const keys = decodeKeys(cursor.slice(0, cursor.indexOf('.')))
  return keys === null ? '?' : keys.map((key) => (key === null ? 'n' : 'v')).join('')
}

/** The checksum holds no secret, so what bears a right one may still be no keys of ours. */
function decodeKeys(encoded: string): unknown[] | null {
  try {
    const keys: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString())
    return Array.isArray(keys) && keys.length <= maxKeyCount && keys.every(isScalar) ? keys : null
  } catch {
    return null
  }
}

function isScalar(key: unknown): boolean {
  return typeof key !== 'object' || key === null
}

/** No order has more: the shape of a cursor is a part of the key of a plan, and must stay short. */
const maxKeyCount = 2000

function checksum(name: string, encoded: string): string {
  return hash('sha256', name + encoded, 'hex').slice(0, 10)
}

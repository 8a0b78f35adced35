// Cursors: the order keys of the last row of a page, as opaque text. Its checksum detects a changed cursor, and a cursor of
// another order. It holds nothing but the keys.
//
//   cursor   = keys "." checksum
//   keys     = base64url(json array of the keys)
//   checksum = first 10 hex digits of sha-256(order name + keys)

import { hash } from 'node:crypto'
import { type Abstract, isFolded, type Resource } from '#model'
import { firstName } from '#model/names'
import type { OrderKey } from '../plan.ts'
import { orderKeyName } from './order.ts'

/** The type and the order that a cursor belongs to, as text. It uses aliases while they exist: a cursor stays valid when a name
 *  changes. It says which texts are sorted for people: a cursor of another order of texts would skip rows. */
export function orderName(of: Resource | Abstract, order: readonly OrderKey[]): string {
  const keys = order.map((key) => `${orderKeyName(key, firstName)}${isText(key) ? '~' : ''} ${key.direction}`)
  return `${firstName(of)}(${keys.join(',')})`
}

function isText(key: OrderKey): boolean {
  return (key.kind === 'field' || key.kind === 'referred') && isFolded(key.field)
}

/** `keys` is the text of a JSON array. */
export function writeCursor(name: string, keys: string): string {
  const encoded = Buffer.from(keys).toString('base64url')
  return `${encoded}.${checksum(name, encoded)}`
}

/** The keys, or null if the cursor was not made by `writeCursor` for this name. The checksum is no secret, so the keys are
 *  checked too: at worst, a forged cursor is a position between rows. */
export function readCursor(name: string, cursor: string): readonly unknown[] | null {
  const dot = cursor.indexOf('.')
  if (dot < 0) return null
  const encoded = cursor.slice(0, dot)
  // The checksum covers the encoded text: Node ignores invalid base64url, so several texts decode to the same keys.
  if (checksum(name, encoded) !== cursor.slice(dot + 1)) return null
  return decodeKeys(encoded)
}

/** Which keys are null: the part of a cursor that changes the SQL. Takes any text; planning rejects a wrong one. */
export function cursorShape(cursor: unknown): string {
  if (typeof cursor !== 'string') return ''
  const keys = decodeKeys(cursor.slice(0, cursor.indexOf('.')))
  if (keys === null) return '?'
  let shape = ''
  for (const key of keys) shape += key === null ? 'n' : 'v'
  return shape
}

/** The shape of a request and its values decode the same cursor, one after the other. */
let lastDecoded: { encoded: string; keys: readonly unknown[] | null } = { encoded: '', keys: null }

function decodeKeys(encoded: string): readonly unknown[] | null {
  if (lastDecoded.encoded !== encoded) lastDecoded = { encoded, keys: readKeys(encoded) }
  return lastDecoded.keys
}

/** Null: the text holds no keys. A client can compute a correct checksum for any text. */
function readKeys(encoded: string): readonly unknown[] | null {
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

/** No order has more. The bound keeps the shape of a cursor short, which is part of the key of cached plans. */
const maxKeyCount = 2000

function checksum(name: string, encoded: string): string {
  return hash('sha256', name + encoded, 'hex').slice(0, 10)
}

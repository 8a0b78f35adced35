// What `writeCursor` of the plan does, in PostgreSQL.

import type { ShownRows } from '../sql/shown-rows.ts'
import { quoteText } from '../tables/quote.ts'

export function cursor(order: string, keys: readonly string[]): string {
  return cursorOf(order, keysText(keys))
}

/** OFFSET inside: the server would compute the keys of the rows that it skips. */
export function lastCursor(order: string, keys: readonly string[], { table, alias, size }: ShownRows): string {
  const last = `greatest(least((SELECT count(*) FROM ${table}), ${size}) - 1, 0)`
  const row = `(SELECT * FROM ${table} LIMIT least(${size}, 1) OFFSET ${last}) AS ${alias}`
  return cursorOf(order, `(SELECT ${keysText(keys)} FROM ${row})`)
}

/** OFFSET 0: the server would compute the keys for each use of `e`. */
function cursorOf(order: string, keys: string): string {
  return `(SELECT ${withChecksum(order, 'e')} FROM (SELECT ${encodedText(keys)} AS e OFFSET 0) AS e)`
}

/** The part of a cursor before its checksum. */
export function encodedKeys(keys: readonly string[]): string {
  return encodedText(keysText(keys))
}

/** The whole cursor. */
export function withChecksum(order: string, encoded: string): string {
  const checksum = `left(encode(sha256(convert_to(${quoteText(order)} || ${encoded}, 'UTF8')), 'hex'), 10)`
  return `${encoded} || '.' || ${checksum}`
}

function keysText(keys: readonly string[]): string {
  return `'[' || ${keys.map((key) => `coalesce(${key}::text, 'null')`).join(` || ',' || `)} || ']'`
}

function encodedText(text: string): string {
  return `translate(encode(convert_to(${text}, 'UTF8'), 'base64'), E'+/=\\n', '-_')`
}

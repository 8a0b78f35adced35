// Names and texts in SQL. Identifiers are quoted here and nowhere else; texts of a request are bound, never quoted.

import { hash } from 'node:crypto'

/** PostgreSQL cuts names off at 63 bytes. */
const maxNameBytes = 63

/** Quotes an identifier. */
export function quoteName(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

/** Quotes a text of Twain itself (a response key, the name of a type) as an SQL string. */
export function quoteText(constant: string): string {
  return `'${constant.replaceAll("'", "''")}'`
}

/** Shortens long names so that two names with the same beginning stay different. SQLite gets the same names, so that
 *  `twain copy` can keep them. The names of a schema file are ASCII. */
export function shortName(name: string): string {
  if (name.length <= maxNameBytes) return name
  const mark = `~${hash('sha256', name, 'hex').slice(0, 12)}`
  return name.slice(0, maxNameBytes - mark.length) + mark
}

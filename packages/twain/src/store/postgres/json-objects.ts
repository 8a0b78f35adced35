// Objects that PostgreSQL builds, of the members of a selection.

import type { Members } from '../sql/dialect.ts'
import { quoteName, quoteText } from '../tables/quote.ts'

/** PostgreSQL cuts longer names off. */
const maxNameBytes = 63

/** A SELECT has at most 1,664. */
const maxColumns = 1600

/** As a sub-select in brackets. Without a source the members are values that are at hand. */
export function objectOf(members: Members, source: string | null): string {
  const from = source === null ? '' : ` FROM ${source}`
  if (!areColumns(members)) return `(SELECT ${concatenatedObject(members, [])}::json${from})`
  return `(SELECT row_to_json(${row}) FROM (SELECT ${columnsOf(members)}${from}) AS ${row})`
}

/** The object as a value, and the row source that has it. With a sub-select for each row it would cost more. */
export function objectBeside(members: Members, source: string): { value: string; source: string } {
  if (!areColumns(members)) return { value: concatenatedObject(members, []), source }
  return { value: `row_to_json(${row})`, source: `${source}, LATERAL (SELECT ${columnsOf(members)}) AS ${row}` }
}

/** The text of the object, put together of its members. Those of `built` are texts of JSON. */
export function concatenatedObject(members: Members, built: readonly string[]): string {
  if (members.length === 0) return `'{}'::text`
  const parts = Array.from({ length: Math.ceil(members.length / maxColumns) }, (_, part) => {
    const some = members.slice(part * maxColumns, (part + 1) * maxColumns)
    const columns = some.map(([, value], index) => `${value} AS c${index}`).join(', ')
    const printed = some.map(([key], index) => {
      const text = built.includes(key) ? `o.c${index}` : `coalesce(to_json(o.c${index})::text, 'null')`
      return `${quoteText(`${JSON.stringify(key)}:`)} || ${text}`
    })
    return `(SELECT ${printed.join(` || ',' || `)} FROM (SELECT ${columns}) AS o)`
  })
  return `('{' || ${parts.join(` || ',' || `)} || '}')`
}

/** No column has this name, neither of the object nor beside it: `row_to_json` would take the column. */
const row = '"{}"'

function areColumns(members: Members): boolean {
  return members.length <= maxColumns && members.every(([key]) => Buffer.byteLength(key) <= maxNameBytes)
}

function columnsOf(members: Members): string {
  return members.map(([key, value]) => `${value} AS ${quoteName(key)}`).join(', ')
}

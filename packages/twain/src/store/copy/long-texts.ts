// The texts that PostgreSQL can't index, for a message: SQLite of an earlier build stored them without a limit.

import type { Session } from '../postgres/connect/session.ts'
import type { Layout } from '../tables/layout.ts'
import { quoteName } from '../tables/quote.ts'
import { StartRefused } from '../tables/start-refused.ts'

/** How many rows of a field the message names. */
const maxNamedRows = 3

/** Null if no indexed text is longer than a write may make it. */
export async function refuseLongTexts(session: Session, layout: Layout, place: string): Promise<StartRefused | null> {
  const lines: string[] = []
  for (const [resource, { name: table, columns }] of layout.tables) {
    for (const [field, { name: column }] of columns) {
      if (field.kind !== 'stored' || field.maxIndexedBytes === undefined) continue
      const rows = await session.query<{ id: string; bytes: number }>(
        `SELECT id, octet_length(${quoteName(column)}::text) AS bytes FROM ${quoteName(table)} ` +
          `WHERE octet_length(${quoteName(column)}::text) > ${field.maxIndexedBytes} ORDER BY bytes DESC, id LIMIT ${maxNamedRows}`,
      )
      for (const { id, bytes } of rows) {
        lines.push(
          `  ${resource.name}.${field.name} of ${id} has ${bytes} bytes; an index takes ${field.maxIndexedBytes}\n`,
        )
      }
    }
  }
  if (lines.length === 0) return null
  return new StartRefused(
    `Texts are too long for an index in ${place}:\n${lines.join('')}` +
      'Shorten them at the source, or take @index or @unique from the field and start once, and copy again. Nothing was copied.',
  )
}

// The tables of usage, the same on both databases: which client used which part of the schema, by day, and since when a part
// is deprecated.

import type { LastUse, LastUses } from '../../tables/last-schema.ts'

/** `text` is the SQL type of texts that sort by code point, `whole` that of integers; `kind` is appended to each table. */
export function usageTables({ text, whole, kind }: { text: string; whole: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_usage (
  day ${text} NOT NULL,
  path ${text} NOT NULL, -- Post, Post.title, Query.topAuthors
  client ${text} NOT NULL, -- the name that it sent
  requested ${whole} NOT NULL, -- how often the client named it
  returned ${whole} NOT NULL, -- how often it was part of a default representation, whose fields the client did not choose
  apis ${whole} NOT NULL DEFAULT 0, -- through which APIs: 1 REST, 2 GraphQL, 3 both
  PRIMARY KEY (day, path, client)
)${kind};
CREATE TABLE IF NOT EXISTS twain_deprecated (
  path ${text} PRIMARY KEY,
  since ${text} NOT NULL
)${kind}`
}

const lastUses =
  'SELECT path, client, min(day) AS first, max(CASE WHEN requested > 0 THEN day END) AS requested, ' +
  'max(CASE WHEN returned > 0 THEN day END) AS returned'

/** Its rows are `UsedRow`s, on both databases. It also reads a table that an earlier build has made, before it is extended. */
export const selectLastUses = `${lastUses} FROM twain_usage GROUP BY path, client`

export const selectLastUsesByApi =
  `${lastUses}, max(CASE WHEN apis IN (1, 3) THEN day END) AS rest, ` +
  'max(CASE WHEN apis IN (2, 3) THEN day END) AS graphql FROM twain_usage GROUP BY path, client'

export interface UsedRow {
  path: string
  client: string
  first: string
  requested: string | null
  returned: string | null
  rest?: string | null
  graphql?: string | null
}

export function toLastUses(rows: readonly UsedRow[]): LastUses {
  const byPath = Map.groupBy(rows, ({ path }) => path)
  const firsts = rows.map(({ first }) => first).sort()
  return { since: firsts[0] ?? null, of: new Map([...byPath].map(([path, some]) => [path, lastOf(some)])) }
}

function lastOf(rows: readonly UsedRow[]): LastUse {
  const requested = latest(rows.map((row) => row.requested))
  const day = (row: UsedRow) => (requested === null ? row.returned : row.requested)
  const users = rows.filter((row) => day(row) !== null).toSorted((a, b) => (day(a)! < day(b)! ? 1 : -1))
  return {
    requested,
    returned: latest(rows.map((row) => row.returned)),
    clients: users.map(({ client }) => client),
    by: rows
      .toSorted((a, b) => (lastDay(a) < lastDay(b) ? 1 : -1))
      .map(({ client, requested, returned, rest = null, graphql = null }) => ({
        ...{ client, requested, returned, rest, graphql },
      })),
  }
}

function lastDay({ requested, returned }: UsedRow): string {
  return latest([requested, returned]) ?? ''
}

function latest(days: readonly (string | null)[]): string | null {
  return days.reduce((last, day) => (day !== null && (last === null || day > last) ? day : last), null)
}

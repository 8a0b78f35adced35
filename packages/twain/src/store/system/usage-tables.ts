// The tables of usage, the same on both databases: which client used which part of the schema, by day, and since when a part
// is deprecated.

import type { LastUse, LastUses } from '../tables/last-used.ts'

/** `text` is the SQL type of texts that sort by code point, `whole` that of integers; `kind` is appended to each table. */
export function usageTables({ text, whole, kind }: { text: string; whole: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_usage (
  day ${text} NOT NULL,
  path ${text} NOT NULL, -- Post, Post.title, Query.topAuthors
  client ${text} NOT NULL, -- the name that it sent
  asked ${whole} NOT NULL, -- how often it was named
  whole ${whole} NOT NULL, -- how often it was part of a whole row, whose fields the client did not choose
  PRIMARY KEY (day, path, client)
)${kind};
CREATE TABLE IF NOT EXISTS twain_deprecated (
  path ${text} PRIMARY KEY,
  since ${text} NOT NULL
)${kind}`
}

/** Its rows are `UsedRow`s, on both databases. */
export const selectLastUses =
  'SELECT path, client, min(day) AS first, max(CASE WHEN asked > 0 THEN day END) AS asked, ' +
  'max(CASE WHEN whole > 0 THEN day END) AS given FROM twain_usage GROUP BY path, client'

export interface UsedRow {
  path: string
  client: string
  first: string
  asked: string | null
  given: string | null
}

export function toLastUses(rows: readonly UsedRow[]): LastUses {
  const byPath = Map.groupBy(rows, ({ path }) => path)
  const firsts = rows.map(({ first }) => first).sort()
  return { since: firsts[0] ?? null, of: new Map([...byPath].map(([path, some]) => [path, lastOf(some)])) }
}

function lastOf(rows: readonly UsedRow[]): LastUse {
  const asked = latest(rows.map((row) => row.asked))
  const day = (row: UsedRow) => (asked === null ? row.given : row.asked)
  const users = rows.filter((row) => day(row) !== null).toSorted((a, b) => (day(a)! < day(b)! ? 1 : -1))
  return { asked, given: latest(rows.map((row) => row.given)), clients: users.map(({ client }) => client) }
}

function latest(days: readonly (string | null)[]): string | null {
  return days.reduce((last, day) => (day !== null && (last === null || day > last) ? day : last), null)
}

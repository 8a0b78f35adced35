// The usage store, on either database: which clients used which parts of the schema, and since when a part is deprecated.

import type { QueryRows } from '../../sql/query.ts'
import type { LastUses } from '../../tables/last-schema.ts'
import { type SystemQuery, type SystemTables, systemQuery, toText, toTime } from '../system-tables.ts'
import { selectLastUsesByApi, toLastUses, type UsedRow } from './usage-tables.ts'

/** How often a client named a part of the schema, or received it in a default representation. */
export interface UsageCount {
  path: string
  client: string
  requested: number
  returned: number
  /** A sum of `usageApis`. */
  apis: number
}

export const usageApis = { rest: 1, graphql: 2 } as const

export interface UsageStore {
  /** Adds to the counts of that day, by this node or by others. */
  add(day: string, uses: readonly UsageCount[]): Promise<void>
  /** When each part was last used, and by which clients. */
  last(): Promise<LastUses>
  /** Deletes the counts of earlier days. */
  deleteBefore(before: string): Promise<void>
  /** Since when each of these paths is deprecated. New paths are deprecated from now on; missing paths are deleted. */
  deprecatedSince(paths: readonly string[], now: number): Promise<Map<string, number>>
}

/** Small enough that no write waits long for the transaction. */
const maxRowsPerTransaction = 500

const adding =
  'INSERT INTO twain_usage (day, path, client, requested, returned, apis) VALUES (?1, ?2, ?3, ?4, ?5, ?6) ' +
  'ON CONFLICT (day, path, client) DO UPDATE SET requested = twain_usage.requested + excluded.requested, ' +
  'returned = twain_usage.returned + excluded.returned, apis = twain_usage.apis | excluded.apis'

export class SqlUsageStore implements UsageStore {
  readonly #tables: SystemTables
  readonly #query: SystemQuery

  constructor(tables: SystemTables) {
    this.#tables = tables
    this.#query = systemQuery(tables.dialect)
  }

  async add(day: string, uses: readonly UsageCount[]): Promise<void> {
    // Sorted, so that two nodes that count the same paths can't deadlock.
    const sorted = uses.toSorted((a, b) => compare(a.path, b.path) || compare(a.client, b.client))
    for (let at = 0; at < sorted.length; at += maxRowsPerTransaction) {
      const some = sorted.slice(at, at + maxRowsPerTransaction)
      await this.#tables.run(
        ...some.map(({ path, client, requested, returned, apis }) =>
          this.#query(adding, day, path, client, requested, returned, apis),
        ),
      )
    }
  }

  async last(): Promise<LastUses> {
    const rows = await this.#tables.read(this.#query(selectLastUsesByApi))
    return toLastUses(
      rows.map(
        ([path, client, first, requested, returned, rest, graphql]) =>
          ({ path, client, first, requested, returned, rest, graphql }) as unknown as UsedRow,
      ),
    )
  }

  async deleteBefore(before: string): Promise<void> {
    await this.#tables.run(this.#query('DELETE FROM twain_usage WHERE day < ?1', before))
  }

  async deprecatedSince(paths: readonly string[], now: number): Promise<Map<string, number>> {
    const select = this.#query('SELECT path, since FROM twain_deprecated')
    const there = toTimes(await this.#tables.read(select))
    if (there.size === paths.length && paths.every((path) => there.has(path))) return there
    const list = JSON.stringify(paths.toSorted())
    const listed = `${this.#tables.dialect.jsonTexts('?1')} AS l`
    const [, , rows] = await this.#tables.run(
      this.#query(`DELETE FROM twain_deprecated WHERE path NOT IN (SELECT value FROM ${listed})`, list),
      this.#query(
        `INSERT INTO twain_deprecated (path, since) SELECT value, ?2 FROM ${listed} WHERE true ON CONFLICT DO NOTHING`,
        list,
        toText(now),
      ),
      select,
    )
    return toTimes(rows!)
  }
}

function toTimes(rows: QueryRows): Map<string, number> {
  return new Map(rows.map(([path, since]) => [path as string, toTime(since)]))
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

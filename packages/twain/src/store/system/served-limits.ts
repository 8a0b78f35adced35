// The limits that were last served, stored with the data: a start warns of one that is lower now.

import { type SystemTables, systemQuery } from './system-tables.ts'

export function servedLimitTable({ text, whole, kind }: { text: string; whole: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_limit (
  name ${text} PRIMARY KEY, -- as in the settings: page
  value ${whole} NOT NULL -- 0: none
)${kind}`
}

export interface ServedLimits {
  /** By name; empty before the first start. */
  last(): Promise<ReadonlyMap<string, number>>
  save(limits: ReadonlyMap<string, number>): Promise<void>
}

export function openServedLimits({ dialect, read, run }: SystemTables): ServedLimits {
  const query = systemQuery(dialect)
  return {
    async last() {
      const rows = await read(query('SELECT name, value FROM twain_limit'))
      return new Map(rows.map(([name, value]) => [String(name), Number(value)]))
    },
    async save(limits) {
      const sql =
        'INSERT INTO twain_limit (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value'
      await run(...[...limits].map(([name, value]) => query(sql, name, value)))
    },
  }
}

// A PostgreSQL store for tests of reads: what is written goes to a SQLite store, and from there, row by row as it stands,
// to PostgreSQL before the next read.

import { DatabaseSync } from 'node:sqlite'
import { columnType } from './compile/postgres-dialect.ts'
import { name } from './compile/statement.ts'
import type { Store } from './contract.ts'
import type { Layout } from './layout.ts'
import type { TestDatabase } from './postgres/test-database.fixture.ts'

interface Mirror {
  /** Takes the writes. */
  sqlite: Store
  file: string
  postgres: Store
  database: TestDatabase
  layout: Layout
}

export function mirrored({ sqlite, file, postgres, database, layout }: Mirror): Store {
  /** The version of each row that was copied, by table. */
  const copied = new Map<string, Map<string, unknown>>()
  let isDirty = true

  return {
    vault: sqlite.vault,
    files: sqlite.files,
    changes: sqlite.changes,
    async run(plan, values, extras, viewer) {
      if (plan.kind === 'write') {
        isDirty = true
        return sqlite.run(plan, values, extras, viewer)
      }
      if (isDirty) await copy()
      isDirty = false
      return postgres.run(plan, values, extras, viewer)
    },
    ready: () => sqlite.ready() && postgres.ready(),
    gauges: () => [...sqlite.gauges(), ...postgres.gauges()],
    async close() {
      await sqlite.close()
      await postgres.close()
      await database.drop()
    },
  }

  /** In one transaction, at whose end the references are looked at. */
  async function copy(): Promise<void> {
    const rows = new DatabaseSync(file, { readOnly: true })
    try {
      await database.raw.begin(async (transaction) => {
        for (const [, table] of layout.tables) {
          const json = new Set<string>()
          for (const [field, column] of table.columns) {
            if (field.kind === 'stored' && columnType(field.type) === 'json') json.add(column.name)
          }
          const { gone, changed } = differences(table.name)
          if (gone.length > 0) {
            await transaction.unsafe(`DELETE FROM ${name(table.name)} WHERE id = ANY($1::text[])`, [arrayOf(gone)])
          }
          await insert(transaction, table.name, changed, json)
        }
        for (const { name: link } of layout.links.values()) {
          await transaction.unsafe(`DELETE FROM ${name(link)}`)
          await insert(transaction, link, rows.prepare(`SELECT * FROM ${name(link)}`).all(), new Set())
        }
      })
    } finally {
      rows.close()
    }

    function differences(table: string): { gone: string[]; changed: Record<string, unknown>[] } {
      const known = copied.get(table) ?? new Map<string, unknown>()
      const all = rows.prepare(`SELECT * FROM ${name(table)}`).all() as Record<string, unknown>[]
      const now = new Map(all.map((row) => [String(row.id), row._version]))
      copied.set(table, now)
      return {
        gone: [...known.keys()].filter((id) => known.get(id) !== now.get(id)),
        changed: all.filter(({ id, _version }) => known.get(String(id)) !== _version),
      }
    }
  }
}

type Transaction = { unsafe(sql: string, parameters: string[]): PromiseLike<unknown> }

async function insert(
  transaction: Transaction,
  table: string,
  rows: readonly Record<string, unknown>[],
  json: ReadonlySet<string>,
): Promise<void> {
  if (rows.length === 0) return
  const objects = rows.map((row) => {
    const members = Object.entries(row).map(([column, value]) => {
      return `${JSON.stringify(column)}:${json.has(column) ? (value ?? 'null') : JSON.stringify(value)}`
    })
    return `{${members.join(',')}}`
  })
  const set = `SELECT * FROM json_populate_recordset(NULL::${name(table)}, $1::text::json)`
  const columns = Object.keys(rows[0]!).map(name).join(', ')
  await transaction.unsafe(`INSERT INTO ${name(table)} (${columns}) SELECT ${columns} FROM (${set}) AS rows`, [
    `[${objects.join(',')}]`,
  ])
}

function arrayOf(ids: readonly string[]): string {
  return `{${ids.map((id) => `"${id}"`).join(',')}}`
}

// `twain migrate` on a data folder. It is one transaction: an interrupted migration leaves the file as it was. Before data
// is dropped, the whole file is copied. Commands that compare schemas read the one that was last served.

import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { system } from '#base/http'
import type { MigrateOptions } from '../../options.ts'
import { bind } from '../../sql/bind.ts'
import type { SqlValue } from '../../sql/encode.ts'
import { withMissingColumns } from '../../sql/missing-columns.ts'
import { compileRead, totalColumn } from '../../sql/read.ts'
import {
  type LeftRows,
  type PlannedMigrations,
  selectMigrations,
  selectUnfilled,
  unfinished,
} from '../../system/data-migrations.ts'
import { selectLastUses, toLastUses, type UsedRow } from '../../system/usage/usage-tables.ts'
import { planDroppedColumns } from '../../tables/dropped-columns.ts'
import type { CreatedObjects } from '../../tables/foreign-objects.ts'
import type { LastSchema } from '../../tables/last-schema.ts'
import { layOut } from '../../tables/layout.ts'
import { quoteName, quoteText } from '../../tables/quote.ts'
import { StartRefused } from '../../tables/start-refused.ts'
import type { StorageNames } from '../../tables/storage-names.ts'
import { backUpBeforeChange } from '../backup/backup.ts'
import { openWriteConnection } from '../connect/connect.ts'
import { makeDatabaseFile } from '../connect/database-file.ts'
import { lockFolder } from '../connect/lock-folder.ts'
import { sqlite } from '../dialect.ts'
import { dropIndexes } from './indexes.ts'
import { migrate, planMigration, readServedSchema, saveNames, selectRows, tableExists } from './migrate.ts'
import { executeSteps, recordSteps } from './migration-steps.ts'
import { dropTriggers } from './time-columns.ts'

export function migrateFolder(options: MigrateOptions): void {
  const { data, model, sdl, allowBreaking, migrations, drop, log, onStep } = options
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const lock = lockFolder(data)
  try {
    const database = openWriteConnection(makeDatabaseFile(data))
    try {
      const folder = { data, allowBreaking, migrations, checksKeys: true, log } as const
      migrate(database, model, sdl, folder, executeSteps(database, onStep))
      if (drop) dropUnused(database, data, log, onStep)
    } finally {
      database.close()
    }
  } finally {
    lock.release()
  }
}

function dropUnused(
  database: DatabaseSync,
  data: string,
  log: MigrateOptions['log'],
  onStep: MigrateOptions['onStep'],
): void {
  const { dropped, names } = planDroppedColumns(readServedSchema(database)!.names)
  const statements = dropStatements(database, dropped)
  if (statements.length === 0) return
  backUpBeforeChange(data, log, 'database backed up: unused tables and columns are dropped')
  const steps = executeSteps(database, onStep)
  // Dropped tables may refer to each other; no other table refers to them.
  database.exec('PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE')
  try {
    for (const statement of statements) steps.run(statement)
    steps.run(saveNames(names))
    database.exec('COMMIT')
  } catch (error) {
    database.exec('ROLLBACK')
    throw error
  }
}

/** SQLite refuses to drop a column that a trigger or an index uses. */
function dropStatements(database: DatabaseSync, { tables, columns }: CreatedObjects): string[] {
  const [triggers, indexes] = [dropTriggers(database), dropIndexes(database)]
  const ofColumns = Object.entries(columns).flatMap(([table, names]) =>
    names.flatMap((name) => [
      ...triggers(table, name),
      ...indexes(table, name),
      `ALTER TABLE ${quoteName(table)} DROP COLUMN ${quoteName(name)}`,
    ]),
  )
  return [...ofColumns, ...tables.map((table) => `DROP TABLE ${quoteName(table)}`)]
}

/** Only reads the file: a server may be running on it. */
export function planFolder(options: MigrateOptions): string[] {
  return withReadOnly(options.data, (database) => {
    const steps = recordSteps()
    const names = planIn(database, options, steps)
    if (options.drop) {
      const { dropped, names: rest } = planDroppedColumns(names)
      const statements = dropStatements(database, dropped)
      for (const statement of statements) steps.run(statement)
      if (statements.length > 0) steps.run(saveNames(rest))
    }
    return steps.list
  })
}

function planIn(database: DatabaseSync, options: MigrateOptions, steps = recordSteps()): StorageNames {
  const { data, model, sdl, allowBreaking, migrations } = options
  return planMigration(database, model, sdl, { data, allowBreaking, migrations }, steps)
}

/** The data migrations that are left, as after the migration of the tables. Only reads the file. */
export function planFolderMigrations(options: MigrateOptions, leftRows: LeftRows): PlannedMigrations {
  const { model, migrations = [] } = options
  return withReadOnly(options.data, (database) => {
    const isNew = !tableExists(database, 'twain_data_migration')
    const begun = isNew ? [] : selectRows(database, selectMigrations)
    const checksRows = !isNew && selectRows(database, selectUnfilled).length > 0
    const pending = unfinished(migrations, begun)
    if (pending.length === 0) return { left: [], checksRows }
    const { layout } = layOut(model, planIn(database, options))
    const present = new Map([...layout.tables.values()].map(({ name }) => [name, columnsOf(database, name)]))
    const there = new Map([...present].filter(([, columns]) => columns.size > 0))
    const seen = withMissingColumns(layout, there, (value) => literal(value))
    const left = pending.map(({ name, last, visited }) => ({ name, visited, rows: count(leftRows(name, last)) }))
    return { left, checksRows }

    function count(left: ReturnType<LeftRows>): number | null {
      if (left === null) return null
      const { sql, parameters } = compileRead(left.plan, seen, false, sqlite)
      try {
        const statement = database.prepare(sql)
        statement.setReturnArrays(true)
        const row = statement.get(...bind(parameters, left.values, system, sqlite)) as unknown as unknown[]
        return Number(row[totalColumn])
      } catch {
        return null // it filters by a table that does not exist yet
      }
    }
  })
}

function literal(value: SqlValue): string {
  return value === null ? 'NULL' : typeof value === 'string' ? quoteText(value) : String(value)
}

function columnsOf(database: DatabaseSync, table: string): ReadonlySet<string> {
  return new Set(
    selectRows(database, `SELECT name FROM pragma_table_info(${quoteText(table)})`).map(([name]) => name as string),
  )
}

function withReadOnly<Result>(data: string, use: (database: DatabaseSync) => Result): Result {
  const file = join(data, 'twain.db')
  const database = existsSync(file)
    ? new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    : new DatabaseSync(':memory:')
  try {
    return use(database)
  } finally {
    database.close()
  }
}

/** Reads the schema that was last served; null if nothing was served yet. Only reads the file: a server may be running on it. */
export function readSqliteSchema(data: string): LastSchema | null {
  const file = join(data, 'twain.db')
  if (!existsSync(file)) throw new StartRefused(`There is no data in ${data}: it has no twain.db.`)
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  try {
    const exists = (table: string) =>
      database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined
    if (!exists('twain_schema')) return null
    const row = database.prepare('SELECT sdl FROM twain_schema ORDER BY n DESC LIMIT 1').get()
    if (row === undefined) return null
    const rows = exists('twain_usage') ? database.prepare(selectLastUses).all() : []
    return { sdl: row.sdl as string, uses: toLastUses(rows as unknown as UsedRow[]) }
  } finally {
    database.close()
  }
}

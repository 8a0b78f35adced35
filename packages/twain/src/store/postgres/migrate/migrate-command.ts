// `twain migrate` on a PostgreSQL database: makes or lists the steps of a start (`migrate.ts`), and drops what earlier
// schemas left behind in one short transaction. Nodes may be serving meanwhile; those whose schema still has the dropped
// parts fail from then on. Commands that compare schemas read the one that was last served.

import { system } from '#base/http'
import type { ReferenceField, StoredField } from '#model'
import type { MigrateOptions } from '../../options.ts'
import { bind } from '../../sql/bind.ts'
import type { SqlValue } from '../../sql/encode.ts'
import { withMissingColumns } from '../../sql/missing-columns.ts'
import { compileRead, totalColumn } from '../../sql/read.ts'
import { searchedTables } from '../../sql/search/searched-table.ts'
import {
  type LeftRows,
  noteUnfilled,
  type PlannedMigration,
  type PlannedMigrations,
  selectMigrations,
  selectUnfilled,
  unfinished,
} from '../../system/data-migrations.ts'
import { selectLastUses, toLastUses, type UsedRow } from '../../system/usage/usage-tables.ts'
import { type DroppedColumns, planDroppedColumns } from '../../tables/dropped-columns.ts'
import type { LastSchema } from '../../tables/last-schema.ts'
import { layOut } from '../../tables/layout.ts'
import { quoteText } from '../../tables/quote.ts'
import { updateRowImages } from '../changes/row-images.ts'
import { connect, describeAddress } from '../connect/connect.ts'
import { errorCode, toStartRefused } from '../connect/database-errors.ts'
import { reserveSession } from '../connect/reserve-session.ts'
import type { Session } from '../connect/session.ts'
import { postgres } from '../dialect.ts'
import { ordered } from '../scalar-columns.ts'
import { existingColumns } from './catalogue.ts'
import { dropStatements } from './drops.ts'
import { missingForeignKeys } from './foreign-keys.ts'
import { missingIndexes, unusedIndexes } from './indexes.ts'
import {
  fillSearchStep,
  type MigrateDatabaseOptions,
  migrate,
  saveNames,
  saveSchema,
  takeMigrationLock,
} from './migrate.ts'
import { expectSchema, type MigrationPlan, planMigration, readSchema } from './plan-migration.ts'
import { columnTypeOf, missingTables, systemTables } from './tables.ts'
import { fillKeysStep, missingKeyTriggers } from './text-keys.ts'

export async function migrateDatabase(address: string, options: MigrateOptions): Promise<void> {
  await migrate(address, options)
  if (!options.drop) return
  const onStep = options.onStep ?? (() => {})
  await withSession(address, async (session) => {
    await takeMigrationLock(session, describeAddress(address))
    await session.query('BEGIN')
    const { names } = (await readSchema(session))!
    const dropped = planDroppedColumns(names)
    for (const statement of await dropSteps(session, dropped)) {
      onStep(statement)
      await session.query(statement)
    }
    await updateRowImages(session, dropped.names)
    await session.query('COMMIT')
  })
}

async function dropSteps(session: Session, { dropped, names }: DroppedColumns): Promise<string[]> {
  const statements = await dropStatements(session, dropped)
  return statements.length === 0 ? [] : [...statements, saveNames(names)]
}

/** Changes nothing and blocks nobody. */
export async function planDatabase(
  address: string,
  options: MigrateDatabaseOptions & { drop: boolean },
): Promise<string[]> {
  return withSession(address, async (session) => {
    await session.query('SET default_transaction_read_only = on')
    return stepsOf(session, await planMigration(session, options, describeAddress(address)), options)
  })
}

async function stepsOf(
  session: Session,
  plan: MigrationPlan,
  { model, sdl, drop }: Pick<MigrateDatabaseOptions & { drop: boolean }, 'model' | 'sdl' | 'drop'>,
): Promise<string[]> {
  const { catalogue, interrupted, layout, names } = plan
  const steps: string[] = catalogue.made === null ? [systemTables.trim()] : []
  if (plan.changes) {
    if (interrupted?.created && !plan.goesOn) steps.push(...(await dropStatements(session, interrupted.created)))
    steps.push(...missingTables(layout, catalogue.columns))
    steps.push(...(await missingKeyTriggers(session, layout)))
    steps.push(...noteUnfilled(plan.checked?.unfilled ?? [], names))
    for (const table of new Set(layout.unkeyed.map((one) => one.table))) steps.push(fillKeysStep(table))
    for (const { table } of searchedTables(layout)) steps.push(fillSearchStep(table))
    const { leftovers, together, apart } = await missingIndexes(session, model, layout)
    const unused = await unusedIndexes(session, model, layout, plan.previousLayout)
    steps.push(...leftovers, ...together, ...apart, ...unused)
    steps.push(plan.isServed ? saveNames(names) : saveSchema(sdl, names))
  }
  const missing = await missingForeignKeys(session, names.references ?? [], catalogue.columns)
  for (const { create } of missing) if (create !== null) steps.push(create)
  return drop ? [...steps, ...(await dropSteps(session, planDroppedColumns(names)))] : steps
}

/** The data migrations that are left, as after the migration of the tables. Changes nothing and blocks nobody. */
export async function planDatabaseMigrations(
  address: string,
  options: MigrateOptions,
  leftRows: LeftRows,
): Promise<PlannedMigrations> {
  const { model, migrations = [] } = options
  return withSession(address, async (session) => {
    await session.query('SET default_transaction_read_only = on')
    const [own] = await session.query(`SELECT to_regclass('twain_data_migration') IS NOT NULL AS there`)
    const begun = own?.there === true ? await session.values(selectMigrations) : []
    const checksRows = own?.there === true && (await session.query(selectUnfilled)).length > 0
    const pending = unfinished(migrations, begun)
    if (pending.length === 0) return { left: [], checksRows }
    const { names } = await planMigration(session, options, describeAddress(address))
    const { layout } = layOut(model, names)
    const seen = withMissingColumns(layout, await existingColumns(session), literal)
    const left: PlannedMigration[] = []
    for (const { name, last, visited } of pending) left.push({ name, visited, rows: await count(leftRows(name, last)) })
    return { left, checksRows }

    async function count(left: ReturnType<LeftRows>): Promise<number | null> {
      if (left === null) return null
      const { sql, parameters } = compileRead(left.plan, seen, false, postgres)
      try {
        const [row] = await session.values(sql, bind(parameters, left.values, system, postgres))
        return Number(row![totalColumn])
      } catch (error) {
        if (errorCode(error) === undefinedTable) return null // it filters by a table that does not exist yet
        throw error
      }
    }
  })
}

const undefinedTable = '42P01'

function literal(value: SqlValue, field: StoredField | ReferenceField | null): string {
  const type = field === null ? ordered('text') : columnTypeOf(field)
  return `${value === null ? 'NULL' : quoteText(String(value))}::${type}`
}

async function withSession<Result>(address: string, use: (session: Session) => Promise<Result>): Promise<Result> {
  let session: Session | null = null
  try {
    session = await reserveSession(address, `SET lock_timeout = '5s'`)
    await expectSchema(session, describeAddress(address))
    return await use(session)
  } catch (error) {
    throw toStartRefused(error, describeAddress(address))
  } finally {
    await session?.close()
  }
}

/** Reads the schema that was last served; null if nothing was served yet. */
export async function readPostgresSchema(address: string): Promise<LastSchema | null> {
  const database = connect(address, { size: 1, time: 10 })
  try {
    const [tables] = await database.query(
      `SELECT to_regclass('twain_schema') IS NOT NULL AS served, to_regclass('twain_usage') IS NOT NULL AS counted`,
    )
    if (tables?.served !== true) return null
    const [row] = await database.query<{ sdl: string }>('SELECT sdl FROM twain_schema ORDER BY n DESC LIMIT 1')
    if (row === undefined) return null
    const rows = tables.counted === true ? await database.query<UsedRow>(selectLastUses) : []
    return { sdl: row.sdl, uses: toLastUses(rows) }
  } catch (error) {
    throw toStartRefused(error, describeAddress(address))
  } finally {
    await database.end(0)
  }
}

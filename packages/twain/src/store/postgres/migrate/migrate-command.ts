// `twain migrate` on a PostgreSQL database: makes or lists the steps of a start (`migrate.ts`), and drops what earlier
// schemas left behind in one short transaction. Nodes may be serving meanwhile; those whose schema still has the dropped
// parts fail from then on. Commands that compare schemas read the one that was last served.

import type { MigrateOptions } from '../../options.ts'
import { searchedTables } from '../../sql/search/searched-table.ts'
import { selectLastUses, toLastUses, type UsedRow } from '../../system/usage-tables.ts'
import { planDroppedColumns } from '../../tables/dropped-columns.ts'
import type { LastSchema } from '../../tables/last-schema.ts'
import { layOut } from '../../tables/layout.ts'
import type { StorageNames } from '../../tables/storage-names.ts'
import { updateRowImages } from '../changes/row-images.ts'
import { connect, describeAddress } from '../connect/connect.ts'
import { toStartRefused } from '../connect/database-errors.ts'
import { reserveSession } from '../connect/reserve-session.ts'
import type { Session } from '../connect/session.ts'
import { missingForeignKeys } from './foreign-keys.ts'
import { missingIndexes, unusedIndexes } from './indexes.ts'
import {
  checkChanges,
  existingColumns,
  fillReferences,
  fillSearchStep,
  goOnWith,
  layoutOf,
  type MigrateDatabaseOptions,
  migrate,
  noNames,
  readSchema,
  saveNames,
  saveSchema,
  takeMigrationLock,
} from './migrate.ts'
import { missingTables, systemTables, undoStatements } from './tables.ts'

export async function migrateDatabase(address: string, options: MigrateOptions): Promise<void> {
  await migrate(address, options)
  if (!options.drop) return
  const onStep = options.onStep ?? (() => {})
  await withSession(address, async (session) => {
    await takeMigrationLock(session, describeAddress(address))
    await session.query('BEGIN')
    const { names } = (await readSchema(session))!
    for (const statement of dropStatements(names)) {
      onStep(statement)
      await session.query(statement)
    }
    await updateRowImages(session)
    await session.query('COMMIT')
  })
}

function dropStatements(names: StorageNames): string[] {
  const { statements, names: rest } = planDroppedColumns(names)
  if (statements.length === 0) return []
  // A table that is dropped later may still reference this one, and a trigger may set a column.
  return [...statements.map((one) => `${one} CASCADE`), saveNames(rest)]
}

/** Changes nothing and blocks nobody. */
export async function planDatabase(
  address: string,
  options: MigrateDatabaseOptions & { drop: boolean },
): Promise<string[]> {
  return withSession(address, async (session) => {
    await session.query('SET default_transaction_read_only = on')
    return planIn(session, options, describeAddress(address))
  })
}

async function planIn(
  session: Session,
  options: MigrateDatabaseOptions & { drop: boolean },
  place: string,
): Promise<string[]> {
  const { model, sdl, drop } = options
  const [own] = await session.query(`SELECT to_regclass('twain_schema') IS NOT NULL AS there`)
  const isNew = own?.there !== true
  const previous = isNew ? null : await readSchema(session)
  const interrupted = isNew ? null : await readSchema(session, 'twain_migration')
  const steps: string[] = isNew ? [systemTables.trim()] : []
  const previousLayout = layoutOf(previous)
  if (previous !== null) await fillReferences(session, previous)
  let names = previous?.names ?? noNames
  if (interrupted !== null || previous?.sdl !== sdl) {
    if (interrupted !== null && interrupted.sdl !== sdl) steps.push(...undoStatements(interrupted.names, names))
    if (previous !== null && previous.sdl !== sdl) await checkChanges(session, previous, options, place)
    const laid = layOut(model, interrupted?.sdl === sdl ? goOnWith(interrupted, previous) : (previous?.names ?? null))
    names = laid.names
    steps.push(...missingTables(laid.layout, await existingColumns(session)))
    for (const { table } of searchedTables(laid.layout)) {
      steps.push(fillSearchStep(table))
    }
    const { leftovers, together, apart } = await missingIndexes(session, model, laid.layout)
    steps.push(
      ...leftovers,
      ...together,
      ...apart,
      ...(await unusedIndexes(session, model, laid.layout, previousLayout)),
    )
    if (previous?.sdl !== sdl) steps.push(saveSchema(sdl, names))
  }
  const missing = await missingForeignKeys(session, names.references ?? [], await existingColumns(session))
  for (const { create } of missing) if (create !== null) steps.push(create)
  return drop ? [...steps, ...dropStatements(names)] : steps
}

async function withSession<Result>(address: string, use: (session: Session) => Promise<Result>): Promise<Result> {
  let session: Session | null = null
  try {
    session = await reserveSession(address, `SET lock_timeout = '5s'`)
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

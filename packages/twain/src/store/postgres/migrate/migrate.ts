// At each start: compares the schema file with the schema that was last served, on a database that other nodes may be
// serving.
//
// 1. One start migrates at a time (an advisory lock). Another start waits, and then finds nothing left to do.
// 2. Nothing changes before all checks have passed (`plan-migration.ts`). What has a name of Twain's and is not its own stays as it is.
//    One transaction creates tables and columns and records the schema that they are for. Then come search words and
//    indexes, those of tables with rows one by one without blocking writers. A last transaction switches the schema.
// 3. An interrupted start leaves the record: the next start of the same schema continues there. A start of another schema
//    undoes what the record says was created; no node has served it yet.
// 4. No statement waits for ever for a lock (`lock_timeout`): the start is refused, and nothing has changed.

import type { Log } from '#base'
import { monotonicTime, sleep, wallTime } from '#base/time'
import { searchedTables } from '../../sql/search/searched-table.ts'
import { noteUnfilled } from '../../system/data-migrations.ts'
import type { Catalogue } from '../../tables/foreign-objects.ts'
import { allKeyColumns, type Layout } from '../../tables/layout.ts'
import { quoteName, quoteText } from '../../tables/quote.ts'
import { rememberServed } from '../../tables/served-model.ts'
import { StartRefused } from '../../tables/start-refused.ts'
import type { StorageNames } from '../../tables/storage-names.ts'
import { isOfEarlierBuild, recordObjects } from '../../tables/system-objects.ts'
import { updateRowImages } from '../changes/row-images.ts'
import { describeAddress } from '../connect/connect.ts'
import { toStartRefused } from '../connect/database-errors.ts'
import { reserveSession } from '../connect/reserve-session.ts'
import type { Session } from '../connect/session.ts'
import { createFoldFunction } from '../fold-function.ts'
import { existingColumns } from './catalogue.ts'
import { dropStatements } from './drops.ts'
import { missingForeignKeys, restoreForeignKeys } from './foreign-keys.ts'
import { mergeWordsAtOnce, missingIndexes, unusedIndexes } from './indexes.ts'
import { expectSchema, type PlanOptions, planMigration } from './plan-migration.ts'
import { fillSearch, type RunSql } from './search-tables.ts'
import { missingSystemColumns, missingTables, systemObjects, systemTables } from './tables.ts'
import { fillKeys, fillKeysStep, missingKeyTriggers } from './text-keys.ts'

export interface MigrateDatabaseOptions extends PlanOptions {
  log?: Log
  /** Called before each step, with its SQL or a comment. */
  onStep?: (step: string) => void
}

export async function migrate(address: string, options: MigrateDatabaseOptions): Promise<Layout> {
  const place = describeAddress(address)
  let session: Session | null = null
  try {
    // The session holds the lock: if it is lost, the next statement fails instead of going on without the lock.
    session = await reserveSession(address, sessionSettings)
    await expectSchema(session, place)
    await takeMigrationLock(session, place)
    const layout = await migrateLocked(session, options, place)
    rememberServed(options.sdl, options.model)
    return layout
  } catch (error) {
    throw toStartRefused(error, place)
  } finally {
    await session?.close() // this releases the lock
  }
}

/** One process builds an index, because the server answers other clients meanwhile; not every server has the setting. */
const sessionSettings =
  `SELECT set_config('lock_timeout', '5s', false), (SELECT set_config(name, '0', false) FROM pg_settings ` +
  `WHERE name = 'max_parallel_maintenance_workers')`

/** SQL of the advisory lock under which one start or one copy changes the tables. */
export const migrationLock = `hashtext('twain migration'), hashtext(current_schema())`

/** How long another start may take. */
const lockTimeoutSeconds = 600

/** Polls for the lock: a waiting statement would hold a snapshot, and CREATE INDEX CONCURRENTLY waits for all snapshots. */
export async function takeMigrationLock(session: Session, place: string): Promise<void> {
  const until = monotonicTime() + lockTimeoutSeconds * 1000
  while (monotonicTime() < until) {
    const [row] = await session.query(`SELECT pg_try_advisory_lock(${migrationLock}) AS got`)
    if (row?.got === true) return
    await sleep(100)
  }
  throw new StartRefused(
    `Another start has been migrating ${place} for ${lockTimeoutSeconds / 60} minutes. Start again later.`,
  )
}

async function migrateLocked(session: Session, options: MigrateDatabaseOptions, place: string): Promise<Layout> {
  const { model, sdl, log, onStep = () => {} } = options
  const plan = await planMigration(session, options, place)
  const { interrupted, checked, layout, names, isServed } = plan
  await makeSystemObjects(session, plan.catalogue, onStep)
  await mergeWordsAtOnce(session, layout)
  const restoreKeys = async () => {
    const missing = await missingForeignKeys(session, layout.references, await existingColumns(session))
    await restoreForeignKeys(session, missing, onStep, log)
  }
  if (!plan.changes) {
    await updateRowImages(session, names)
    if (plan.isFilled) await session.query(saveNames(names))
    await restoreKeys()
    return layout
  }
  await session.query('BEGIN')
  try {
    if (interrupted?.created && !plan.goesOn)
      await run(session, await dropStatements(session, interrupted.created), onStep)
    for (const warning of checked?.warnings ?? []) log?.warn({}, warning)
    await run(session, missingTables(layout, await existingColumns(session)), onStep)
    await run(session, await missingKeyTriggers(session, layout), onStep)
    await run(session, noteUnfilled(checked?.unfilled ?? [], names), onStep)
    await updateRowImages(session, names)
    await session.query('DELETE FROM twain_migration')
    await session.query('INSERT INTO twain_migration (sdl, names, created) VALUES ($1, $2, $3)', [
      sdl,
      JSON.stringify(names),
      JSON.stringify(plan.created),
    ])
    await session.query('COMMIT')
    await restoreKeys()
    // The interrupted start may have filled some.
    const unkeyed = plan.goesOn ? allKeyColumns(layout) : layout.unkeyed
    for (const table of new Set(unkeyed.map((one) => one.table))) onStep(fillKeysStep(table))
    await fillKeys(session, unkeyed, (table, rows) => onStep(`${fillKeysStep(table)}: ${rows} so far`))
    for (const { table } of searchedTables(layout)) onStep(fillSearchStep(table))
    // Before their index, which is then built at once.
    await fillSearchTables(session, layout, (table, rows) => onStep(`${fillSearchStep(table)}: ${rows} so far`))
    const { leftovers, together, apart } = await missingIndexes(session, model, layout)
    await run(session, leftovers, onStep)
    await run(session, together, onStep)
    for (const statement of apart) await run(session, [statement], onStep)
    await fillSearchTables(session, layout) // for rows that were written meanwhile
    await session.query('BEGIN')
    await run(session, await unusedIndexes(session, model, layout, plan.previousLayout), onStep)
    await run(session, [isServed ? saveNames(names) : saveSchema(sdl, names)], onStep)
    await session.query('DELETE FROM twain_migration')
    await session.query('COMMIT')
    return layout
  } catch (error) {
    await session.query('ROLLBACK').catch(() => undefined) // after a lost connection the server rolls back itself
    throw error
  }
}

/** Creates the system objects that the database lacks, and records all in the same transaction. */
export async function makeSystemObjects(
  session: Session,
  { columns }: Pick<Catalogue, 'columns'>,
  onStep: (step: string) => void = () => {},
): Promise<void> {
  await session.script(`${systemTables};${recordObjects(systemObjects)}`)
  await run(session, missingSystemColumns(await existingColumns(session), isOfEarlierBuild(columns)), onStep)
  await createFoldFunction(session)
}

/** Of the schema that was last served. */
export function saveNames(names: StorageNames): string {
  return `UPDATE twain_schema SET names = ${quoteText(JSON.stringify(names))} WHERE n = (SELECT max(n) FROM twain_schema)`
}

export function saveSchema(sdl: string, names: StorageNames): string {
  const values = [sdl, JSON.stringify(names), new Date(wallTime()).toISOString()].map(quoteText).join(', ')
  return `INSERT INTO twain_schema (sdl, names, since) VALUES (${values})`
}

export function fillSearchStep(table: string): string {
  return `-- fill the missing search words of ${quoteName(table)}, a hundred rows at a time`
}

/** Sends all statements in one message: a schema has hundreds. */
async function run(session: Session, statements: Iterable<string>, onStep: (step: string) => void): Promise<void> {
  const all = [...statements]
  for (const statement of all) onStep(statement)
  if (all.length > 0) await session.script(all.join(';\n'))
}

export async function fillSearchTables(
  session: Session,
  layout: Layout,
  onProgress?: (table: string, rows: number) => void,
): Promise<void> {
  const runSql: RunSql = (sql, parameters) => session.values(sql, parameters)
  await fillSearch(runSql, searchedTables(layout), onProgress)
}

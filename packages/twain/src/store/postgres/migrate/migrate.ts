// At each start: compares the schema file with the schema that was last served, on a database that other nodes may be
// serving.
//
// 1. One start migrates at a time (an advisory lock). Another start waits, and then finds nothing left to do.
// 2. One transaction creates tables and columns and records the schema that they are for. Then come search words and
//    indexes, those of tables with rows one by one without blocking writers. A last transaction switches the schema.
// 3. An interrupted start leaves the record: the next start of the same schema continues there. A start of another schema
//    undoes what was created; no node has served it yet.
// 4. No statement waits for ever for a lock (`lock_timeout`): the start is refused, and nothing has changed.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '#base'
import { type Model, SchemaMistakes } from '#model'
import { searchedTables } from '../../sql/search/searched-table.ts'
import {
  type MigrationFile,
  noteUnfilled,
  selectFinishedMigrations,
  typesToChange,
} from '../../system/data-migrations.ts'
import { selectLastUses, toLastUses, type UsedRow } from '../../system/usage/usage-tables.ts'
import { allKeyColumns, type Layout, layOut } from '../../tables/layout.ts'
import { quoteName, quoteText } from '../../tables/quote.ts'
import {
  type DataLocation,
  type MigrationEffects,
  refuseBreaking,
  type ServedSchema,
} from '../../tables/refuse-breaking.ts'
import { hasRetiredNames, returningNames } from '../../tables/returning-names.ts'
import { loadServed, rememberServed } from '../../tables/served-model.ts'
import { StartRefused } from '../../tables/start-refused.ts'
import type { StorageNames } from '../../tables/storage-names.ts'
import { referencesInHistory } from '../../tables/stored-references.ts'
import { updateRowImages } from '../changes/row-images.ts'
import { describeAddress } from '../connect/connect.ts'
import { toStartRefused } from '../connect/database-errors.ts'
import { reserveSession } from '../connect/reserve-session.ts'
import type { Session } from '../connect/session.ts'
import { createFoldFunction } from '../fold-function.ts'
import { missingForeignKeys, restoreForeignKeys } from './foreign-keys.ts'
import { mergeWordsAtOnce, missingIndexes, unusedIndexes } from './indexes.ts'
import { fillSearch, type RunSql } from './search-tables.ts'
import { type ExistingColumns, missingSystemColumns, missingTables, systemTables, undoStatements } from './tables.ts'
import { fillKeys, fillKeysStep, missingKeyTriggers } from './text-keys.ts'

export interface MigrateDatabaseOptions {
  model: Model
  sdl: string
  /** Whether changes may break clients. */
  allowBreaking: boolean
  /** The data migrations that run before the schema is served. */
  migrations?: readonly MigrationFile[] | undefined
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
  const until = performance.now() + lockTimeoutSeconds * 1000
  while (performance.now() < until) {
    const [row] = await session.query(`SELECT pg_try_advisory_lock(${migrationLock}) AS got`)
    if (row?.got === true) return
    await sleep(100)
  }
  throw new StartRefused(
    `Another start has been migrating ${place} for ${lockTimeoutSeconds / 60} minutes. Start again later.`,
  )
}

async function migrateLocked(session: Session, options: MigrateDatabaseOptions, place: string): Promise<Layout> {
  const { model, sdl, onStep = () => {} } = options
  await session.script(systemTables)
  await run(session, missingSystemColumns(await existingColumns(session)), onStep)
  await createFoldFunction(session)
  await mergeWordsAtOnce(session)
  const previous = await readSchema(session)
  const isFilled = previous !== null && (await fillReferences(session, previous))
  const interrupted = await readSchema(session, 'twain_migration')
  const restoreKeys = async ({ references }: Layout) => {
    const missing = await missingForeignKeys(session, references, await existingColumns(session))
    await restoreForeignKeys(session, missing, onStep, options.log)
  }
  const isServed = previous?.sdl === sdl
  const isKeyed = isServed && layOut(model, previous.names).layout.unkeyed.length === 0
  if (interrupted === null && isServed && isKeyed) {
    await updateRowImages(session)
    const { layout, names } = layOut(model, previous.names)
    if (isFilled) await session.query(saveNames(names))
    await restoreKeys(layout)
    return layout
  }
  const goesOn = interrupted?.sdl === sdl
  const previousLayout = layoutOf(previous)
  await session.query('BEGIN')
  try {
    if (interrupted !== null && !goesOn)
      await run(session, undoStatements(interrupted.names, previous?.names ?? noNames), onStep)
    const checked =
      previous !== null && previous.sdl !== sdl ? await checkChanges(session, previous, options, place) : null
    for (const warning of checked?.warnings ?? []) options.log?.warn({}, warning)
    const { layout, names } = layOut(model, goesOn ? goOnWith(interrupted, previous) : (previous?.names ?? null))
    await run(session, missingTables(layout, await existingColumns(session)), onStep)
    await run(session, await missingKeyTriggers(session, layout), onStep)
    await run(session, noteUnfilled(checked?.unfilled ?? [], names), onStep)
    await updateRowImages(session)
    await session.query('DELETE FROM twain_migration')
    await session.query('INSERT INTO twain_migration (sdl, names) VALUES ($1, $2)', [sdl, JSON.stringify(names)])
    await session.query('COMMIT')
    await restoreKeys(layout)
    // The interrupted start may have filled some.
    const unkeyed = goesOn ? allKeyColumns(layout) : layout.unkeyed
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
    await run(session, await unusedIndexes(session, model, layout, previousLayout), onStep)
    await run(session, [isServed ? saveNames(names) : saveSchema(sdl, names)], onStep)
    await session.query('DELETE FROM twain_migration')
    await session.query('COMMIT')
    return layout
  } catch (error) {
    await session.query('ROLLBACK').catch(() => undefined) // after a lost connection the server rolls back itself
    throw error
  }
}

export const noNames: StorageNames = { tables: {}, links: {} }

/** The schema that was last served, or the one of an interrupted start. */
export async function readSchema(
  session: Session,
  from: 'twain_schema' | 'twain_migration' = 'twain_schema',
): Promise<ServedSchema | null> {
  const last = from === 'twain_schema' ? ' ORDER BY n DESC LIMIT 1' : ''
  const [row] = await session.query<{ sdl: string; names: string }>(`SELECT sdl, names FROM ${from}${last}`)
  return row === undefined ? null : { sdl: row.sdl, names: JSON.parse(row.names) as StorageNames }
}

/** The tables of a schema that was served; null if there is none, or this Twain can't read it. */
export function layoutOf(served: ServedSchema | null): Layout | null {
  if (served === null) return null
  try {
    return layOut(loadServed(served.sdl), served.names).layout
  } catch (error) {
    if (error instanceof SchemaMistakes) return null
    throw error
  }
}

/** Of the schema that was last served. */
export function saveNames(names: StorageNames): string {
  return `UPDATE twain_schema SET names = ${quoteText(JSON.stringify(names))} WHERE n = (SELECT max(n) FROM twain_schema)`
}

/** The names of an interrupted start, with all stored references. */
export function goOnWith({ names }: ServedSchema, previous: ServedSchema | null): StorageNames {
  return { ...names, references: names.references ?? previous?.names.references ?? [] }
}

/** Adds the stored references if an earlier build saved the names without them; returns whether it did. */
export async function fillReferences(session: Session, { names }: ServedSchema): Promise<boolean> {
  if (names.references !== undefined) return false
  names.references = referencesInHistory(await servedSchemas(session, 'ASC'), names)
  return true
}

/** All schemas that were served. */
async function servedSchemas(session: Session, order: 'ASC' | 'DESC'): Promise<ServedSchema[]> {
  const rows = await session.query<{ sdl: string; names: string }>(
    `SELECT sdl, names FROM twain_schema ORDER BY n ${order}`,
  )
  return rows.map((row) => ({ sdl: row.sdl, names: JSON.parse(row.names) as StorageNames }))
}

export function saveSchema(sdl: string, names: StorageNames): string {
  const values = [sdl, JSON.stringify(names), new Date().toISOString()].map(quoteText).join(', ')
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

export async function checkChanges(
  session: Session,
  previous: ServedSchema,
  options: MigrateDatabaseOptions,
  name: string,
): Promise<MigrationEffects> {
  const wayOut = 'start afresh in another database (--database), or in another schema of this one (?search_path=…).'
  const place: DataLocation = { name, alternative: wayOut }
  const { model, sdl, allowBreaking, migrations = [] } = options
  const [row] = await session.query<{ names: string }>(
    'SELECT names FROM twain_schema WHERE sdl = $1 ORDER BY n DESC LIMIT 1',
    [sdl],
  )
  const again = row === undefined ? null : (JSON.parse(row.names) as StorageNames)
  const earlierNames = again ?? (await earlierNamesOf(session, model, previous))
  // A database of an older Twain that is only read lacks these tables yet.
  const [tables] = await session.query(
    `SELECT to_regclass('twain_usage') IS NOT NULL AS usage, to_regclass('twain_data_migration') IS NOT NULL AS migrations`,
  )
  const uses = toLastUses(tables?.usage === true ? await session.query<UsedRow>(selectLastUses) : [])
  const finished = tables?.migrations === true ? await session.query<{ name: string }>(selectFinishedMigrations) : []
  const migratedTypes = typesToChange(
    migrations,
    finished.map((row) => row.name),
  )
  const next = { model, wasServed: again !== null, earlierNames, allowBreaking, uses, migratedTypes }
  const check = refuseBreaking(previous, next, place)
  let select = check.next()
  while (!select.done) select = check.next(await session.values(select.value))
  return select.value
}

async function earlierNamesOf(session: Session, model: Model, { names }: ServedSchema): Promise<StorageNames> {
  if (!hasRetiredNames(names)) return noNames
  return returningNames(model, await servedSchemas(session, 'DESC'), names)
}

export async function existingColumns(session: Session): Promise<ExistingColumns> {
  const rows = await session.query<{ table: string; columns: string }>(`
    SELECT c.relname AS "table", json_agg(a.attname) AS columns FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
    GROUP BY c.relname`)
  return new Map(rows.map(({ table, columns }) => [table, new Set(JSON.parse(columns) as string[])]))
}

export async function fillSearchTables(
  session: Session,
  layout: Layout,
  onProgress?: (table: string, rows: number) => void,
): Promise<void> {
  const runSql: RunSql = (sql, parameters) => session.values(sql, parameters)
  await fillSearch(runSql, searchedTables(layout), onProgress)
}

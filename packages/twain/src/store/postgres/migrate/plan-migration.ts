// What a start is going to change in a PostgreSQL database, or why it is refused. Nothing here changes anything: a start and a
// dry run both begin with it.

import { type Model, SchemaMistakes } from '#model'
import { type MigrationFile, selectFinishedMigrations, typesToChange } from '../../system/data-migrations.ts'
import { selectLastUses, toLastUses, type UsedRow } from '../../system/usage/usage-tables.ts'
import {
  type Catalogue,
  type CreatedObjects,
  createdBeyond,
  foreignObjects,
  nothingCreated,
  refuseForeign,
  tablesIn,
  withCreated,
} from '../../tables/foreign-objects.ts'
import { type Layout, layOut } from '../../tables/layout.ts'
import { quoteName } from '../../tables/quote.ts'
import {
  type DataLocation,
  type MigrationEffects,
  refuseBreaking,
  type ServedSchema,
} from '../../tables/refuse-breaking.ts'
import { hasRetiredNames, returningNames } from '../../tables/returning-names.ts'
import { loadServed } from '../../tables/served-model.ts'
import { StartRefused } from '../../tables/start-refused.ts'
import type { StorageNames } from '../../tables/storage-names.ts'
import { referencesInHistory } from '../../tables/stored-references.ts'
import type { Session } from '../connect/session.ts'
import { readCatalogue } from './catalogue.ts'
import { refuseCitusTables } from './citus.ts'
import { indexesByName, tablesWithRows } from './indexes.ts'
import { searchColumns } from './search-tables.ts'
import { systemObjects } from './tables.ts'

/** What the checks of a start depend on. */
export interface PlanOptions {
  model: Model
  sdl: string
  /** Whether changes may break clients. */
  allowBreaking: boolean
  /** The data migrations that run before the schema is served. */
  migrations?: readonly MigrationFile[] | undefined
}

export interface MigrationPlan {
  catalogue: Catalogue
  previous: ServedSchema | null
  /** The layout of the previous schema; null if there is none, or this Twain can't read it. */
  previousLayout: Layout | null
  /** The start that was interrupted. */
  interrupted: InterruptedStart | null
  /** Whether this start goes on with it. */
  goesOn: boolean
  /** Whether the schema is the one that was last served. */
  isServed: boolean
  /** Whether tables have to change. */
  changes: boolean
  /** Whether the storage names of the previous schema lacked their references. */
  isFilled: boolean
  checked: MigrationEffects | null
  layout: Layout
  names: StorageNames
  /** What it creates, with what the interrupted start has created if it goes on. */
  created: CreatedObjects
}

interface InterruptedStart extends ServedSchema {
  /** Null: an earlier Twain did not record it. */
  created: CreatedObjects | null
}

/** Throws StartRefused. `place` names the database. */
export async function planMigration(session: Session, options: PlanOptions, place: string): Promise<MigrationPlan> {
  const { model, sdl } = options
  const catalogue = await readCatalogue(session)
  const isNew = catalogue.made === null
  const previous = isNew ? null : await readSchema(session)
  const interrupted = isNew ? null : await readInterrupted(session)
  const isFilled = previous !== null && (await fillReferences(session, previous))
  const previousLayout = layoutOf(previous)
  const isServed = previous?.sdl === sdl
  const isKeyed = isServed && layOut(model, previous.names).layout.unkeyed.length === 0
  const goesOn = interrupted?.sdl === sdl
  const served = tablesIn(previous?.names ?? noNames, searchNames)
  const checked = previous === null || isServed ? null : await checkChanges(session, previous, options, place)
  const { layout, names } = layOut(model, goesOn ? goOnWith(interrupted, previous) : (previous?.names ?? null))
  const tables = tablesIn(names, searchNames)
  await refuseCitusTables(session, (table) => tables.has(table) || systemObjects.has(table), place)
  const begun = interrupted?.created ?? nothingCreated
  if (!goesOn) await refuseUndo(session, begun, place)
  const own = withCreated(served, begun, tablesIn(interrupted?.names ?? noNames, searchNames))
  const wanted = { system: systemObjects, tables, indexes: indexesByName(model, layout) }
  const leftBehind = interrupted !== null && interrupted.created === null ? leftByEarlierBuild : ''
  refuseForeign(foreignObjects(wanted, own, catalogue), place, wayOut + leftBehind)
  return {
    catalogue,
    previous,
    previousLayout,
    interrupted,
    goesOn,
    isServed,
    changes: interrupted !== null || !isKeyed,
    isFilled,
    checked,
    layout,
    names,
    created: createdBeyond(served, tables),
  }
}

const searchNames = searchColumns.map(([name]) => name)

const wayOut =
  'Give the service a schema of its own: run CREATE SCHEMA twain, and append ?search_path=twain to the address of the ' +
  'database. Or rename the objects, or the types and fields of the schema file.'

const leftByEarlierBuild =
  ' A start of an earlier Twain was interrupted here: drop those that it made, or start that Twain again.'

/** Throws StartRefused if the schema of the address is not there: its tables, and the lock over them, have no place then. */
export async function expectSchema(session: Session, place: string): Promise<void> {
  const [row] = await session.query(
    `SELECT current_schema() AS present, current_setting('search_path') AS path, current_user AS "user"`,
  )
  if (row!.present !== null) return
  throw new StartRefused(
    `${place} has no schema of the search_path ${row!.path} that the user ${row!.user} may use. Create it: ` +
      'CREATE SCHEMA with this name, and GRANT USAGE, CREATE ON SCHEMA to the user.',
  )
}

/** No node has served the tables of an interrupted start. If one has rows, it is not the table that Twain made. */
async function refuseUndo(session: Session, { tables }: CreatedObjects, place: string): Promise<void> {
  const filled = [...(await tablesWithRows(session, new Set(tables)))]
  if (filled.length === 0) return
  throw new StartRefused(
    `A start was interrupted in ${place}. This start would undo it and drop what it made, but these tables have rows, which are not ` +
      `Twain's:\n${filled.map((table) => `  table ${quoteName(table)}`).join('\n')}\nNothing was changed. Rename these tables, or drop them yourself.`,
  )
}

const noNames: StorageNames = { tables: {}, links: {} }

/** The schema that was last served. */
export async function readSchema(session: Session): Promise<ServedSchema | null> {
  const [row] = await session.query<{ sdl: string; names: string }>(
    'SELECT sdl, names FROM twain_schema ORDER BY n DESC LIMIT 1',
  )
  return row === undefined ? null : { sdl: row.sdl, names: JSON.parse(row.names) as StorageNames }
}

/** A database of an earlier build lacks the column. */
async function readInterrupted(session: Session): Promise<InterruptedStart | null> {
  const [row] = await session.query<{ sdl: string; names: string; created: string | null }>(
    `SELECT sdl, names, to_jsonb(m) ->> 'created' AS created FROM twain_migration AS m`,
  )
  if (row === undefined) return null
  const created = row.created === null ? null : (JSON.parse(row.created) as CreatedObjects)
  return { sdl: row.sdl, names: JSON.parse(row.names) as StorageNames, created }
}

function layoutOf(served: ServedSchema | null): Layout | null {
  if (served === null) return null
  try {
    return layOut(loadServed(served.sdl), served.names).layout
  } catch (error) {
    if (error instanceof SchemaMistakes) return null
    throw error
  }
}

/** The names of an interrupted start, with all stored references. */
function goOnWith({ names }: ServedSchema, previous: ServedSchema | null): StorageNames {
  return { ...names, references: names.references ?? previous?.names.references ?? [] }
}

/** Adds the stored references if an earlier build saved the names without them; returns whether it did. */
async function fillReferences(session: Session, { names }: ServedSchema): Promise<boolean> {
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

async function checkChanges(
  session: Session,
  previous: ServedSchema,
  options: PlanOptions,
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

// Refuses a start with a schema that would break clients of the last served one (unless that is allowed), or that existing
// rows violate. The message has a fix for each difference.
//
// 1. A schema that was served before may always come back, if the last served one is an additive successor of it: in a
//    rollback, or on a node that starts late in a rolling deploy.
// 2. A field that a schema no longer has is retired, not dropped: its column and its storage name stay. If the field comes back
//    in the same form it finds its column again (`returning-names.ts`); in another form it gets a column of its own. A renamed
//    field (`@was`) keeps its column.
// 3. A retired reference keeps its foreign key: the schema that has it may still be served by another node, or come back.

import { loadModel, type Model, SchemaMistakes } from '#model'
import { applyRenames, compareModels, type Difference, findRenames } from '#model/compare'
import { describeLackingRows, fillingMigration, type LackingRows, type RowCheck } from './lacking-rows.ts'
import { describeLastUse, type LastUses } from './last-schema.ts'
import { quoteName } from './quote.ts'
import { findLacking, findViolation, type RowViolation, type SchemaChange } from './row-violations.ts'
import { loadServed } from './served-model.ts'
import { StartRefused } from './start-refused.ts'
import { renameStorageNames, type StorageNames, type TableColumn } from './storage-names.ts'

/** The schema that was last served. */
export interface ServedSchema {
  sdl: string
  names: StorageNames
}

/** The schema that replaces it. */
export interface NextSchema {
  model: Model
  /** Whether this very schema was served before. */
  wasServed: boolean
  /** The storage names of its parts in earlier schemas. */
  earlierNames: StorageNames
  /** Whether clients may break. */
  allowBreaking: boolean
  /** The last uses of the served schema. */
  uses: LastUses
  /** The types whose rows data migrations will change before the schema is served; null: any. */
  migratedTypes: ReadonlySet<string> | null
}

/** Where the data is, for messages. */
export interface DataLocation {
  /** Follows "The data in". */
  name: string
  /** What else the operator can do: follows "or". */
  alternative: string
}

/** What a migration does beside creating tables and columns. */
export interface MigrationEffects {
  /** Whether data in rows is no longer visible. */
  losesData: boolean
  /** Changes that clients notice without an error; the start logs them. */
  warnings: string[]
  /** Required fields that rows still lack: data migrations are to fill them before the schema is served. */
  unfilled: readonly LackingRows[]
}

/** Retires in `served.names` what the new schema lacks, and restores what comes back; throws StartRefused. */
export function* refuseBreaking(
  served: ServedSchema,
  { model, wasServed, earlierNames, allowBreaking, uses, migratedTypes }: NextSchema,
  place: DataLocation,
): RowCheck<MigrationEffects> {
  const was = loadServedModel(served.sdl, place)
  const differences = compareModels(was, model)
  const breaking = differences.filter(({ kind }) => kind === 'breaking')
  const comesBack = wasServed && isSuccessor(was, model)
  const renames = findRenames(was, model)
  const before = applyRenames(was, renames)
  renameStorageNames(served.names, renames)
  const change = { before, after: model, names: served.names, earlierNames }
  if (breaking.length > 0 && !allowBreaking && !comesBack) {
    // Not the model in memory: without @service it has the name of its file, which the data does not.
    const stored = loadModel(served.sdl, '')
    const lacking = yield* lackingBy(breaking, change)
    throw new StartRefused(describeBreaking(breaking, lacking, stored, model, uses, place))
  }
  // Rows that the successor wrote do not refuse a schema that comes back (1), unless they can't be indexed.
  const checked = comesBack ? differences.filter(({ rows }) => rows === 'unique') : differences
  const unfilled = yield* refuseRowViolations(checked, change, migratedTypes, place)
  const warnings = differences.filter(({ kind }) => kind === 'warning').map(({ message }) => message)
  const effects: MigrationEffects = { losesData: false, warnings, unfilled }
  for (const { path, rows } of differences) {
    if (rows !== 'dropped' && rows !== 'none') continue
    effects.losesData ||= !(yield* losesNothing(path, before, served.names))
    retireNames(path, model, served.names)
  }
  restoreNames(earlierNames, served.names)
  return effects
}

/** Whether the present schema serves everything that the older one serves. */
function isSuccessor(present: Model, older: Model): boolean {
  return !compareModels(older, present).some(({ kind }) => kind === 'breaking')
}

function loadServedModel(sdl: string, place: DataLocation): Model {
  try {
    return loadServed(sdl)
  } catch (error) {
    if (!(error instanceof SchemaMistakes)) throw error
    const [first] = error.mistakes
    throw new StartRefused(
      `The data in ${place.name} was made with a schema that this Twain no longer takes: ${first?.message}\nNothing was changed. To go on, ${place.alternative}`,
    )
  }
}

/** The rows that lack what a difference requires. */
function* lackingBy(
  differences: readonly Difference[],
  change: SchemaChange,
): RowCheck<ReadonlyMap<Difference, LackingRows>> {
  const found = new Map<Difference, LackingRows>()
  for (const difference of differences) {
    const lacking = yield* findLacking(difference, change)
    if (lacking !== null) found.set(difference, lacking)
  }
  return found
}

function describeBreaking(
  breaking: readonly Difference[],
  lacking: ReadonlyMap<Difference, LackingRows>,
  before: Model,
  model: Model,
  uses: LastUses,
  place: DataLocation,
): string {
  const types = before.resources.map((resource) => resource.name).join(', ')
  const made = `The data in ${place.name} was made with ${before.service.name || 'a schema'} (${types})`
  const now = applyRenames(before, findRenames(before, model))
  if (!now.resources.some((resource) => model.types.has(resource.name))) {
    return `${made}, and this schema has none of these types.\nNothing was changed. To go on, ${place.alternative}`
  }
  const used = (path: string) => describeLastUse(path, uses, before)
  return (
    `${made}, and this schema breaks what its clients rely on:\n${listDifferences(breaking, lacking, used)}` +
    `Nothing was changed. Mend these in the schema file; or start with --allow-breaking if no client minds; or ${place.alternative}`
  )
}

function listDifferences(
  differences: readonly Difference[],
  lacking: ReadonlyMap<Difference, LackingRows>,
  used: (path: string) => string = () => '',
): string {
  return differences
    .map((difference) => {
      const { path, message, hint } = difference
      const rows = lacking.get(difference)
      const about = rows === undefined ? [hint] : [describeLackingRows(rows), hint, fillingMigration(rows)]
      return [`  - ${message}.`, used(path), ...about].filter((part) => part !== '').join(' ')
    })
    .map((text) => `${text}\n`)
    .join('')
}

/** Returns what data migrations are to fill. */
function* refuseRowViolations(
  differences: readonly Difference[],
  change: SchemaChange,
  migratedTypes: ReadonlySet<string> | null,
  place: DataLocation,
): RowCheck<LackingRows[]> {
  const violations: RowViolation[] = []
  const unfilled: LackingRows[] = []
  for (const difference of differences) {
    const violation = yield* findViolation(difference, change)
    if (violation === null) continue
    const { lacking } = violation
    const isMigrated = lacking !== null && (migratedTypes === null || migratedTypes.has(lacking.type))
    if (isMigrated) unfilled.push(lacking)
    else violations.push(violation)
  }
  if (violations.length === 0) return unfilled
  const lacking = new Map(
    violations.flatMap(({ difference, lacking }) => (lacking === null ? [] : [[difference, lacking]])),
  )
  throw new StartRefused(
    `Rows in ${place.name} do not fit this schema:\n${listDifferences(
      violations.map(({ difference }) => difference),
      lacking,
    )}` +
      `Nothing was changed. Mend these in the schema file, or first change the rows under the previous one; or ${place.alternative}`,
  )
}

/** A type without rows loses nothing, and neither does a field that is null in every row. Other kinds of types hold no data
 *  themselves: each field of them is a difference of its own. */
function* losesNothing(path: string, before: Model, names: StorageNames): RowCheck<boolean> {
  const [typeName = '', fieldName = ''] = path.split('.')
  const type = before.types.get(typeName)
  const table = names.tables[typeName]
  if (type?.kind !== 'resource' || table === undefined) return true
  if (yield* isEmpty(quoteName(table.name))) return true
  const field = type.fields.get(fieldName)
  if (field === undefined) return fieldName !== ''
  if (field.kind === 'links') {
    const link = names.links[`${field.link.left.owner.name}.${field.link.left.name}`]
    return link === undefined || (yield* isEmpty(quoteName(link.name)))
  }
  const column = table.columns[fieldName]
  if (column === undefined) return true // the other side of a reference
  return yield* isEmpty(`${quoteName(table.name)} WHERE ${quoteName(column.name)} IS NOT NULL`)
}

function* isEmpty(source: string): RowCheck<boolean> {
  return (yield `SELECT 1 FROM ${source} LIMIT 1`).length === 0
}

/** Keys that begin with `-` are retired names: no field and no type is called so. */
function retireNames(path: string, model: Model, names: StorageNames): void {
  const [typeName = '', fieldName] = path.split('.')
  const table = names.tables[typeName]
  if (table === undefined) return
  const isRemoved = fieldName === undefined && model.types.get(typeName)?.kind !== 'resource'
  if (isRemoved) renameKey(names.tables, typeName, `-${table.name}`)
  const column = table.columns[fieldName ?? '']
  if (fieldName !== undefined && column !== undefined) renameKey(table.columns, fieldName, `-${column.name}`)
  for (const [key, link] of Object.entries(names.links)) {
    if (key !== path && !(isRemoved && key.startsWith(`${path}.`))) continue
    renameKey(names.links, key, `-${link.name}`)
  }
}

/** Restores the names that were retired since the earlier schema. */
function restoreNames(older: StorageNames, names: StorageNames): void {
  const present = new Set(Object.keys(names.tables))
  restoreKeys(older.tables, names.tables)
  for (const [type, { columns }] of Object.entries(older.tables)) {
    const restored = names.tables[type]?.columns ?? {}
    restoreKeys(columns, restored)
    if (!present.has(type)) retireOthers(columns, restored)
  }
  restoreKeys(older.links, names.links)
}

/** The columns of a restored table whose fields do not come back with it. */
function retireOthers(returning: Record<string, TableColumn>, columns: Record<string, TableColumn>): void {
  for (const [key, { name: column }] of Object.entries(columns)) {
    if (!key.startsWith('-') && !Object.hasOwn(returning, key)) renameKey(columns, key, `-${column}`)
  }
}

function restoreKeys<Value extends { name: string }>(
  older: Record<string, Value>,
  present: Record<string, Value>,
): void {
  for (const [key, { name: storageName }] of Object.entries(older)) {
    if (key.startsWith('-') || Object.hasOwn(present, key)) continue
    if (Object.hasOwn(present, `-${storageName}`)) renameKey(present, `-${storageName}`, key)
  }
}

function renameKey<Value>(record: Record<string, Value>, from: string, to: string): void {
  record[to] = record[from]!
  delete record[from]
}

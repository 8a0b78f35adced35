// What stops a start: a contract that would break clients of the one that was last served (unless that is allowed), or one
// that the rows which are there can't follow. The list says for each difference what would be right.
//
// 1. A contract that was served before, of which the present one is an additive successor, may always come back: a rollback,
//    or a node of a rolling deploy that starts late.
// 2. What a contract no longer has is forgotten, not dropped: the column stays, and its name with it, so that a field which
//    comes back under the same name, perhaps with another type, gets a column of its own. The very contract that had it finds
//    it again. What is called otherwise (`@was`) is the same, and keeps its column.
// 3. What is forgotten refers to nothing any more: no delete is stopped by what nobody sees.

import {
  applyRenames,
  compareModels,
  type Difference,
  findRenames,
  loadModel,
  type Model,
  SchemaMistakes,
} from '#model'
import { describeLastUse, type LastUses } from './last-used.ts'
import { quoteName } from './quote.ts'
import { violatesRows } from './row-violations.ts'
import { StartRefused } from './start-refused.ts'
import type { StorageNames } from './storage-names.ts'
import { renameStorageNames } from './storage-names.ts'

/** The contract that was last served. */
export interface ServedSchema {
  sdl: string
  names: StorageNames
}

/** The contract that is asked for in its place. */
export interface NextSchema {
  model: Model
  /** The names under which this very contract was served before; null if it never was. */
  earlierNames: StorageNames | null
  /** Whether clients may break. */
  allowBreaking: boolean
  /** Who used what of the former one. */
  uses: LastUses
}

/** Where the data is, for the sentences. */
export interface DataLocation {
  /** Follows "The data in". */
  name: string
  /** What to do when the schema is meant: follows "or". */
  alternative: string
}

/** What the database has to do beside making what is new. */
export interface MigrationEffects {
  /** Whether something that rows hold is seen no more. */
  losesData: boolean
  /** Tables, or columns of them, that refer to nothing from now on. */
  released: ReleasedReference[]
  /** What clients notice although nothing of theirs fails: the start tells it. */
  warnings: string[]
}

export interface ReleasedReference {
  table: string
  /** Null: all of them. */
  column: string | null
}

/** Forgets in `former.names` what is gone, and finds what comes back; throws StartRefused. Each SELECT that it gives out
 *  must be answered with whether it found a row. */
export function* refuseBreaking(
  former: ServedSchema,
  { model, earlierNames: again, allowBreaking, uses }: NextSchema,
  place: DataLocation,
): Generator<string, MigrationEffects, boolean> {
  const was = loadServedModel(former.sdl, place)
  const differences = compareModels(was, model)
  const breaking = differences.filter(({ kind }) => kind === 'breaking')
  const comesBack = again !== null && isSuccessor(was, model)
  if (breaking.length > 0 && !allowBreaking && !comesBack) {
    throw new StartRefused(describeBreaking(breaking, was, model, uses, place))
  }
  const renames = findRenames(was, model)
  const before = applyRenames(was, renames)
  renameStorageNames(former.names, renames)
  // Who comes back (1) is not stopped by rows that its successor wrote, unless they can't be indexed.
  const asked = comesBack ? differences.filter(({ rows }) => rows === 'unique') : differences
  yield* refuseRowViolations(asked, { before, after: model, names: former.names, earlierNames: again }, place)
  const warnings = differences.filter(({ kind }) => kind === 'warning').map(({ message }) => message)
  const followed: MigrationEffects = { losesData: false, released: [], warnings }
  for (const { path, rows } of differences) {
    if (rows !== 'forgets' && rows !== 'none') continue
    followed.losesData ||= !(yield* losesNothing(path, before, former.names))
    followed.released.push(...retireNames(path, model, former.names))
  }
  if (again !== null) restoreNames(again, former.names)
  return followed
}

/** Whether everything that the older one serves, the present one serves too. */
function isSuccessor(present: Model, older: Model): boolean {
  return !compareModels(older, present).some(({ kind }) => kind === 'breaking')
}

function loadServedModel(sdl: string, place: DataLocation): Model {
  try {
    return loadModel(sdl, '')
  } catch (error) {
    if (!(error instanceof SchemaMistakes)) throw error
    const [first] = error.mistakes
    throw new StartRefused(
      `The data in ${place.name} was made with a schema that this Twain no longer takes: ${first?.message}\nNothing was changed. To go on, ${place.alternative}`,
    )
  }
}

function describeBreaking(
  breaking: readonly Difference[],
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
  return (
    `${made}, and this schema breaks what its clients rely on:\n${listDifferences(breaking, (path) => describeLastUse(path, uses, before))}` +
    `Nothing was changed. Mend these in the schema file; or start with --allow-breaking if no client minds; or ${place.alternative}`
  )
}

function listDifferences(differences: readonly Difference[], used: (path: string) => string = () => ''): string {
  return differences
    .map(({ path, message, cure }) => [`  - ${message}.`, used(path), cure].filter((part) => part !== '').join(' '))
    .map((line) => `${line}\n`)
    .join('')
}

function* refuseRowViolations(
  differences: readonly Difference[],
  change: Parameters<typeof violatesRows>[1],
  place: DataLocation,
): Generator<string, void, boolean> {
  const misfits: Difference[] = []
  for (const difference of differences) if (yield* violatesRows(difference, change)) misfits.push(difference)
  if (misfits.length === 0) return
  throw new StartRefused(
    `Rows in ${place.name} do not fit this schema:\n${listDifferences(misfits)}` +
      `Nothing was changed. Mend these in the schema file, or first change the rows under the former one; or ${place.alternative}`,
  )
}

/** A resource without rows loses none, and a field that no row has is not missed; other types hold nothing by themselves:
 *  a field of theirs is a difference of its own. */
function* losesNothing(path: string, before: Model, names: StorageNames): Generator<string, boolean, boolean> {
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

function* isEmpty(source: string): Generator<string, boolean, boolean> {
  return !(yield `SELECT 1 FROM ${source} LIMIT 1`)
}

/** No field and no type is called `-…`, so what stands there is only a name that was given. */
function retireNames(path: string, model: Model, names: StorageNames): ReleasedReference[] {
  const [typeName = '', fieldName] = path.split('.')
  const table = names.tables[typeName]
  if (table === undefined) return []
  const loose: ReleasedReference[] = []
  const isGone = fieldName === undefined && model.types.get(typeName)?.kind !== 'resource'
  if (isGone) {
    loose.push({ table: table.name, column: null })
    renameKey(names.tables, typeName, `-${table.name}`)
  }
  const column = table.columns[fieldName ?? '']
  if (fieldName !== undefined && column !== undefined) {
    loose.push({ table: table.name, column: column.name })
    renameKey(table.columns, fieldName, `-${column.name}`)
  }
  for (const [key, link] of Object.entries(names.links)) {
    if (key !== path && !(isGone && key.startsWith(`${path}.`))) continue
    loose.push({ table: link.name, column: null })
    renameKey(names.links, key, `-${link.name}`)
  }
  return loose
}

/** What was forgotten since has its name again. */
function restoreNames(older: StorageNames, names: StorageNames): void {
  restoreKeys(older.tables, names.tables)
  for (const [type, { columns }] of Object.entries(older.tables))
    restoreKeys(columns, names.tables[type]?.columns ?? {})
  restoreKeys(older.links, names.links)
}

function restoreKeys<Value extends { name: string }>(
  older: Record<string, Value>,
  present: Record<string, Value>,
): void {
  for (const [key, { name: given }] of Object.entries(older)) {
    if (key.startsWith('-') || Object.hasOwn(present, key)) continue
    if (Object.hasOwn(present, `-${given}`)) renameKey(present, `-${given}`, key)
  }
}

function renameKey<Value>(record: Record<string, Value>, from: string, to: string): void {
  record[to] = record[from]!
  delete record[from]
}

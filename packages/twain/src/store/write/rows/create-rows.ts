// Creates many rows of one type with few statements: lookups of all rows together, then INSERTs of many rows with their entries in
// the change log. An import and a list of rows come here (docs/internals/decisions/0077-record-bodies.md).
//
// 1. It writes all rows, or nothing. If anything is in the way, it ends with null: then the rows are written one by one, and
//    errors, their order and their places are those of single writes. So it has no errors of its own.
// 2. Each row has its version and its entry, as if it were written alone. Hooks see the rows by these entries.
// 3. Rules see the database as it was before the first row. A rule that reads rows of the same type could see the rows before in a
//    list, and so such rows are written one by one.

import { ApiError, type Problem, seededIds, uuidv7 } from '#base'
import type { Resource } from '#model'
import { isPossibleId } from '#plan/build'
import { tableOf } from '../../tables/layout.ts'
import { quoteName } from '../../tables/quote.ts'
import { fillId, type StoredRow } from '../access/stored-row.ts'
import type { WriterContext } from '../access/writer-context.ts'
import { checkInitialStates } from '../rules/transitions.ts'
import { WriteRules } from '../rules/write-rules.ts'
import type { CascadeBudget, RowCreation, WriteState } from '../rules/write-state.ts'
import { allDistinct, inChunks, type QueryBatch, queryRows, runBatch, type Step } from '../steps/query-step.ts'
import type { BatchJob, BoundCheck, JobChecks, WriteJob, Written } from '../steps/write-job.ts'
import { chosenId, columnValues } from './create-row.ts'
import { markFilesUsed } from './files.ts'

/** How many rows share a list of lookups. */
const rowsPerLookup = 500

/** Null: the rows must be written one by one, and nothing is written. */
export function* createRows(
  { jobs, readBacks }: BatchJob,
  context: WriterContext,
  time: string,
  creation: RowCreation,
): Step<Written[] | null> {
  const [first] = jobs
  if (first === undefined || jobs.length < 2) return null
  const resource = context.resource(first.resource)
  if (!isPlainType(resource, context) || !jobs.every((job) => isPlainCreate(job, first.resource, resource, context))) {
    return null
  }
  const ids = jobs.map(chosenId)
  const chosen = ids.filter((id) => id !== null)
  if (!(yield* areFree(chosen, resource, context))) return null
  const rows: StoredRow[] = []
  const positions = new Map(chosen.length === 0 ? [] : ids.map((id, index) => [id, index]))
  for (const some of inChunks([...jobs.entries()], rowsPerLookup)) {
    const made = yield* prepareRows(some, resource, ids, positions, { context, time, creation })
    if (made === null) return null
    rows.push(...made)
  }
  if (!(yield* insertRows(rows, first, resource, context, time))) return null
  return yield* readRows(rows, jobs, readBacks)
}

/** An account has a login beside its row, and a list with default children has rows of its own. */
function isPlainType(resource: Resource, context: WriterContext): boolean {
  return resource !== context.account?.resource && context.table(resource).defaultLists.length === 0
}

function isPlainCreate(job: WriteJob, type: string, resource: Resource, context: WriterContext): boolean {
  const { action, set, rows, lists, password, identity, checks } = job
  if (action !== 'create' || job.resource !== type || rows.length > 0 || lists.length > 0) return false
  if (password !== null || identity !== null || job.proof !== null) return false
  const names = new Set(set.map(({ field }) => field))
  // A field under its former name too, or a list of links.
  if (names.size < set.length || set.some(({ field }) => resource.fields.get(field)!.kind === 'links')) return false
  return checks === null || !readsTable(checks, names, resource, context)
}

/** Whether a rule of the new row, or of a row that it refers to, reads rows of its type. */
function readsTable(
  { create, fields, targets }: JobChecks,
  set: ReadonlySet<string>,
  resource: Resource,
  { layout }: WriterContext,
): boolean {
  const table = quoteName(tableOf(layout, resource).name)
  const own = [...fields].filter(([field]) => set.has(field)).map(([, check]) => check.create)
  return [create, ...own, ...targets.values()].some((check: BoundCheck) => {
    return typeof check !== 'boolean' && check.sql.includes(table)
  })
}

/** Whether ids that the server itself chose were never used. Whether a row has one of them now, the INSERT finds out. */
function* areFree(ids: readonly string[], resource: Resource, context: WriterContext): Step<boolean> {
  if (ids.length === 0) return true
  if (!ids.every(isPossibleId)) return false
  const queries = [...context.lockIds(resource, ids), context.findAnyDeleted(resource, ids)]
  const found = yield* runBatch(queryRows(queries))
  return found.at(-1)!.length === 0
}

type SharedState = Pick<WriteState, 'context' | 'time' | 'creation'>

/** Builds the rows and checks them. Null: one of them is refused. */
function* prepareRows(
  jobs: readonly [index: number, WriteJob][],
  resource: Resource,
  ids: readonly (string | null)[],
  positions: ReadonlyMap<string | null, number>,
  shared: SharedState,
): Step<StoredRow[] | null> {
  const problems: Problem[] = []
  const version = shared.context.nextVersion(0)
  const cascade: CascadeBudget = { left: 0 }
  const prepared = jobs.map(([index, job]) => {
    const isNew = (type: string, id: string) => type === job.resource && (positions.get(id) ?? index) < index
    const state = stateOf(job, shared, cascade, positions.size === 0 ? undefined : isNew)
    const inputs = new Map(job.set.filter(({ field }) => field !== 'id').map((one) => [one.field, one]))
    checkInitialStates(resource, inputs, state, problems)
    return { state, inputs, id: ids[index] ?? null }
  })
  try {
    const values = yield* runBatch(
      allDistinct(prepared.map(({ inputs, state }) => columnValues(resource, inputs, state, problems))),
    )
    if (problems.length > 0) return null
    const rows = prepared.map(({ id, state }, index): StoredRow => {
      return { id: id ?? state.newId(), version: id === null ? 1 : version, values: values[index]! }
    })
    const allowed: QueryBatch<void>[] = prepared.map(({ state, inputs }, index) =>
      state.rules.requireCreate(resource.name, rows[index]!, inputs.keys()),
    )
    yield* runBatch(queryRows(shared.context.lockLists(resource, rows)))
    yield* runBatch(allDistinct(allowed))
    return rows
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

function stateOf(
  { viewer, checks, idSeed, transitions }: WriteJob,
  shared: SharedState,
  cascade: CascadeBudget,
  isNew: WriteState['isNew'],
): WriteState {
  return {
    ...shared,
    newId: idSeed === null ? () => uuidv7() : seededIds(idSeed),
    viewer,
    rules: new WriteRules(checks, !viewer.authenticated),
    password: null,
    confirmation: null,
    proof: null,
    signUp: null,
    identity: null,
    transitions,
    cascade,
    isAsync: false,
    isImport: false,
    ...(isNew && { isNew }),
  }
}

/** False: another row has one of the ids or unique values, and nothing is written. */
function* insertRows(
  rows: readonly StoredRow[],
  { viewer: { by, via, trace } }: WriteJob,
  resource: Resource,
  context: WriterContext,
  time: string,
): Step<boolean> {
  const entry = { kind: 'created', version: 1, time, by, via, trace, before: null, links: null } as const
  const { queries, after, writtenBy } = context.table(resource).insertAll(rows, entry)
  const found = yield* runBatch(queryRows([savepoint, ...queries]))
  if (writtenBy(found.slice(1)) < rows.length) {
    yield* runBatch(queryRows([rollback, release]))
    return false
  }
  const files = rows.flatMap(({ values }) => markFilesUsed(resource, values, [], context))
  yield* runBatch(queryRows([release, ...after, ...files]))
  return true
}

const savepoint = { sql: 'SAVEPOINT several', parameters: [] }
const rollback = { sql: 'ROLLBACK TO several', parameters: [] }
const release = { sql: 'RELEASE several', parameters: [] }

function* readRows(
  rows: readonly StoredRow[],
  jobs: readonly WriteJob[],
  readBacks: BatchJob['readBacks'],
): Step<Written[]> {
  if (readBacks === 'nothing') return rows.map(({ id, version }) => written(['{}', version], id))
  if (readBacks === null) {
    const found = yield* runBatch(queryRows(rows.map(({ id }, index) => fillId(jobs[index]!.readBack!, id))))
    return found.map(([row], index) => written(row as [string, number], rows[index]!.id))
  }
  const texts = new Map<string, [string, number]>()
  for (const some of inChunks(rows, rowsPerLookup)) {
    const list = JSON.stringify(some.map(({ id }) => id))
    const [found] = yield* runBatch(queryRows([fillId(readBacks, list)]))
    for (const [text, version, id] of found as [string, number, string][]) texts.set(id, [text, version])
  }
  return rows.map(({ id }) => written(texts.get(id)!, id))
}

function written([text, version]: [string, number], id: string): Written {
  return { kind: 'written', text, id, version: Number(version), created: true }
}

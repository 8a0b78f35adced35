// Creates a row from the values of the write, the defaults of the schema, the viewer and the times. Then it creates its
// children: those of the write, and the default children of the schema.

import { ApiError, type Problem, validationError } from '#base'
import { isAccountTime, type ReferenceField, type Resource, type StoredField, type ToManyField } from '#model'
import { checkValue, containsEnum } from '#plan'
import { defaultValue, isPossibleId, possibleIdMessage } from '#plan/build'
import type { SqlValue } from '../../sql/encode.ts'
import type { Query, QueryRows } from '../../sql/query.ts'
import type { LinkChange } from '../access/link-access.ts'
import type { StoredRow } from '../access/stored-row.ts'
import { checkInitialStates } from '../rules/transitions.ts'
import { rowNotFound, WriteRules } from '../rules/write-rules.ts'
import { childState, type PlacedRows, type WriteOutcome, type WriteState } from '../rules/write-state.ts'
import { all, collectErrors, map, ok, type QueryBatch, queryRows, runBatch, type Step } from '../steps/query-step.ts'
import type { JobField, JobRow, JobRows } from '../steps/write-job.ts'
import { findIdentityConflict, saveIdentity } from './accounts/identities.ts'
import { findLoginConflict, requireOwnToken, saveLogin } from './accounts/logins.ts'
import { provenColumns } from './accounts/proofs.ts'
import { claimSignUp, endSignUps, requireSignUp, withFreeLogin } from './accounts/sign-ups.ts'
import { checkClaimed, claimedValue } from './claimed-field.ts'
import { conflictError, findUniqueConflicts, readonlyMessage, requiredProblem } from './conflicts.ts'
import { defaultChildren, parentReference } from './default-children.ts'
import { markFilesUsed } from './files.ts'
import { compareLinks, isLinkChange, readLinks, saveLinks } from './links.ts'
import { createLinked, writeLists } from './lists.ts'
import { type ReferenceInput, resolveReferences } from './references.ts'
import { atRequestPlaces } from './request-places.ts'
import { resolveAliases } from './resolve-aliases.ts'
import { linkedText } from './save-change.ts'
import { isViewerField, requireViewerRow, viewerReference } from './viewer-field.ts'

interface NewRow {
  row: StoredRow
  links: LinkChange[]
}

/** Creates a row; with a generated id if none is given. */
export function* createRow(resource: Resource, row: JobRow, state: WriteState, id: string | null): Step<WriteOutcome> {
  const version = id === null ? 1 : state.context.nextVersion(0)
  return yield* insert(
    resource,
    yield* prepareWithLinked(resource, id ?? state.newId(), version, row, state),
    state,
    row,
  )
}

/** The id that a create of the server itself names; null: it names none. */
export function chosenId({ set }: JobRow): string | null {
  const named = set.find(({ field }) => field === 'id')
  return (named?.value ?? null) as string | null
}

/** Creates a row with an id that the server itself chose, such as that of a row in an import. */
export function* createRowWithId(resource: Resource, id: string, row: JobRow, state: WriteState): Step<WriteOutcome> {
  const { context } = state
  if (!isPossibleId(id)) throw validationError([{ path: 'id', code: 'PATTERN', message: possibleIdMessage }])
  const found = all([
    queryRows(context.lockId(resource, id)),
    queryRows([context.table(resource).find(id, 'change'), context.findDeleted(resource, id)]),
  ])
  const [, [present, [deleted]]] = (yield* runBatch(found)) as [unknown, [QueryRows, QueryRows]]
  if (present.length > 0) {
    const message = `There is a ${resource.name} with this id already.`
    throw conflictError([{ path: 'id', code: 'UNIQUE', message }])
  }
  if (deleted !== undefined && Number(deleted[1]) === 1) throw idStillLogged(resource, id)
  const version = context.nextVersion(deleted === undefined ? 0 : Number(deleted[0]))
  const { set, rows, lists } = row
  const own = { set: set.filter(({ field }) => field !== 'id'), rows, lists }
  return yield* insert(resource, yield* prepareWithLinked(resource, id, version, own, state), state, own)
}

/** Creates the rows that the new row is linked to first. */
function* prepareWithLinked(
  resource: Resource,
  id: string,
  version: number,
  { set, lists }: JobRow,
  state: WriteState,
): Step<NewRow> {
  const all = lists.length === 0 ? set : [...set, ...(yield* createLinked(resource, lists, state))]
  return yield* prepareRow(resource, id, version, all, state)
}

/** Creates a row for a replace: with the id that the client chose, or for a key with a new one. A viewer who can't read the existing row (`present`) must not learn of
 *  it or overwrite it. So errors of a new row are reported as usual, and a new row that would be allowed is "not found".
 *  A new row that the rules refuse is "not found" too. */
export function* createRowAt(
  resource: Resource,
  id: string | null,
  set: readonly JobField[],
  present: boolean,
  state: WriteState,
): Step<WriteOutcome> {
  state.rules.requireSignIn('create', resource.name)
  requireSignUp(resource, state)
  const problems: Problem[] = []
  if (id !== null && !isPossibleId(id)) problems.push({ path: 'id', code: 'PATTERN', message: possibleIdMessage })
  for (const { field: fieldName, value } of set) {
    const field = resource.fields.get(fieldName)!
    if (fieldName === 'id' ? value !== id : field.kind === 'stored' && field.auto !== null) {
      problems.push({ path: fieldName, code: 'READONLY', message: readonlyMessage(fieldName) })
    }
    // The row holds no enum value of a newer schema that the client could send back.
    const isEnum = field.kind === 'stored' && value !== null && containsEnum(field.type)
    if (isEnum) checkValue(field.type, value, fieldName, problems)
  }
  // Before the lookup, so that the error reveals nothing about an existing row.
  const isAccount = resource === state.context.account?.resource && !state.rules.isUnrestricted
  if (isAccount && state.password === null) problems.push(requiredProblem('password'))
  if (problems.length > 0) throw validationError(problems)
  const fields = set.filter(({ field }) => field !== 'id')
  // A present row that the viewer can't read has the unique key: it is the conflict of a create.
  if (id === null) return yield* insert(resource, yield* prepareRow(resource, state.newId(), 1, fields, state), state)
  const [[deleted]] = (yield [state.context.findDeleted(resource, id)]) as [QueryRows]
  const version = state.context.nextVersion(deleted === undefined ? 0 : Number(deleted[0]))
  const created = yield* nullIfForbidden(prepareRow(resource, id, version, fields, state))
  if (present || created === null) throw rowNotFound(resource, { id })
  if (deleted !== undefined && Number(deleted[1]) === 1) throw idStillLogged(resource, id)
  return yield* insert(resource, created, state)
}

/** The change log may hold entries of the deleted row, and of rows that referred to it. Rules judge such an entry by the
 *  rows that exist now, so a new row with this id would show its owner the past of the deleted one. Every entry that names
 *  the id is older than the entry of its delete, and the log loses its oldest entries first. So the id is free as soon as
 *  the log has lost that entry (docs/internals/decisions/0035-deleted-ids.md). Histories that are kept longer have no such order: an
 *  id that they may name is not free again. */
function idStillLogged(resource: Resource, id: string): ApiError {
  return new ApiError('GONE', `The ${resource.name} with the id "${id}" was deleted, and its id is not free yet.`, {
    hint: 'Use a new id. A deleted id is free again when the change log no longer holds the delete (events.retentionSeconds), unless a type with @history refers to it.',
  })
}

function* nullIfForbidden(make: Step<NewRow>): Step<NewRow | null> {
  try {
    return yield* make
  } catch (error) {
    if (error instanceof ApiError && error.code === 'FORBIDDEN') return null
    throw error
  }
}

/** Builds the row and checks it. */
function prepareRow(
  resource: Resource,
  id: string,
  version: number,
  set: readonly JobField[],
  state: WriteState,
): Step<NewRow> {
  return atRequestPlaces(set, buildRow(resource, id, version, set, state))
}

function* buildRow(
  resource: Resource,
  id: string,
  version: number,
  set: readonly JobField[],
  state: WriteState,
): Step<NewRow> {
  const { context, rules } = state
  requireSignUp(resource, state)
  yield* claimSignUp(state)
  const problems: Problem[] = []
  const inputs = new Map<string, JobField>()
  for (const one of set) inputs.set(one.field, one)
  // Rejects different values under name and alias.
  if (inputs.size < set.length) {
    resolveAliases(
      set.filter((one) => !isLinkChange(one)),
      resource,
      null,
      context,
    )
  }
  const [values, lists] = yield* runBatch(
    all([columnValues(resource, inputs, state, problems), readLinks(resource, null, set, state, problems)]),
  )
  checkInitialStates(resource, inputs, state, problems)
  const judged: StoredRow = { id, version, values }
  for (const [column, value] of provenColumns(resource, judged, state)) values.set(column, value)
  const row = withFreeLogin(resource, judged, state)
  const links = lists.length === 0 ? [] : yield* runBatch(compareLinks(lists, rules))
  const checks: QueryBatch<void>[] = []
  // The rules are not checked for an invalid row. A viewer who is denied does not learn which values are taken.
  if (problems.length === 0) {
    const lists = map(queryRows(context.lockLists(resource, [judged])), () => undefined)
    checks.push(lists, rules.requireCreate(resource.name, judged, inputs.keys()), rules.requireLinks(links))
  }
  if (problems.length === 0 || rules.isUnrestricted) {
    checks.push(
      findUniqueConflicts(resource, row, null, context, rules, problems),
      findLoginConflict(resource, row, state, problems),
      findIdentityConflict(state, problems),
    )
  }
  yield* runBatch(all(checks))
  if (problems.length > 0) throw conflictError(problems)
  return { row, links }
}

/** The value of each column of the new row. */
export function columnValues(
  resource: Resource,
  inputs: ReadonlyMap<string, JobField>,
  state: WriteState,
  problems: Problem[],
): QueryBatch<Map<string, SqlValue>> {
  const { context, rules } = state
  const table = context.table(resource)
  const invalid: Problem[] = []
  const values = new Map<string, SqlValue>()
  const references = new Map<ReferenceInput, ReferenceField>()
  const set = (field: StoredField | ReferenceField, value: unknown) => table.encodeInto(values, field, value)
  let needsViewer = false
  for (const field of table.columns.keys()) {
    const own = inputs.get(field.name)
    const filled = isViewerField(field) ? viewerReference(field, own, state, invalid) : null
    needsViewer ||= isViewerField(field)
    const value = filled ?? (own === undefined ? initialValue(field, state) : own.value)
    if (own === undefined && field.defaultClaim !== undefined) checkClaimed(field, value, invalid)
    else if (field.required && value === null) invalid.push(requiredProblem(field.name))
    if (field.kind === 'stored' || filled !== null || value === null) set(field, value)
    else {
      set(field, null) // keeps the order of the columns until the target is resolved
      const by = own === undefined ? WriteRules.unrestricted : rules
      references.set({ to: field.to, id: value as string, path: field.name, rules: by }, field)
    }
  }
  const batch = all([
    resolveReferences([...references.keys()], context, problems, state.isNew),
    needsViewer ? requireViewerRow(state) : ok,
  ])
  return map(batch, ([targets]) => {
    if (invalid.length > 0) throw validationError(invalid)
    for (const [reference, field] of references) set(field, targets.get(reference)!)
    return values
  })
}

function initialValue(field: StoredField | ReferenceField, { time, viewer }: WriteState): unknown {
  if (field.defaultClaim !== undefined) return claimedValue(field, viewer)
  if (field.kind === 'reference') return field.default ?? null
  if (isAccountTime(field.auto)) return null
  return field.auto === null ? defaultValue(field) : time
}

/** `made` are the default lists that created this row: they do not create it again. */
function* insert(
  resource: Resource,
  { row, links }: NewRow,
  state: WriteState,
  { rows, lists }: Pick<JobRow, 'rows' | 'lists'> = nothingAlong,
  made: readonly ToManyField[] = [],
): Step<WriteOutcome> {
  requireOwnToken(resource, state)
  const { context, time } = state
  const { id, version } = row
  const table = context.table(resource)
  const { by, via, trace } = state.viewer
  const linked = linkedText(links, context)
  const entry = { kind: 'created', version, time, by, via, trace, before: null, links: linked } as const
  let save = [
    ...table.insert(row, entry),
    ...saveLinks(links, id, context),
    ...saveLogin(resource, row, state),
    ...saveIdentity(row, state),
    ...endSignUps(state),
    ...markFilesUsed(resource, row.values, links, context),
  ]
  if (rows.length > 0) save = yield* insertChildren(resource, id, rows.map(placedRows), save, state)
  if (table.defaultLists.length > 0) {
    const [, children] = yield* runBatch(all([queryRows(save), defaultChildren(resource, id, rows, state)]))
    const schemaState: WriteState = { ...childState(state, WriteRules.unrestricted), transitions: null }
    save = []
    for (const { by, set } of children) {
      if (made.includes(by)) continue
      yield* runBatch(queryRows(save)) // the next row may look for it
      const child = yield* prepareRow(by.to, state.newId(), 1, set, schemaState)
      save = (yield* insert(by.to, child, schemaState, nothingAlong, [...made, by])).save
    }
  }
  if (lists.length > 0) save = yield* writeLists(resource, id, lists, save, state)
  return { id, created: true, save }
}

const nothingAlong: Pick<JobRow, 'rows' | 'lists'> = { rows: [], lists: [] }

function placedRows(rows: JobRows): PlacedRows {
  return { ...rows, place: rows.field }
}

/** Creates the children of a row, after the pending queries of the row itself. All children are checked before the first
 *  is written, so that none of them grants access to another. Unique values are checked again before each child: another
 *  child may have taken them. */
export function* insertChildren(
  owner: Resource,
  id: string,
  lists: readonly PlacedRows[],
  save: readonly Query[],
  state: WriteState,
): Step<Query[]> {
  const { context, viewer } = state
  const rows = lists.flatMap(({ field, place, checks, rows: childRows }) => {
    const by = owner.fields.get(field) as ToManyField
    const own = childState(state, new WriteRules(checks, !viewer.authenticated))
    const back = parentReference(by, { type: owner.name, id })
    return childRows.map((row, index) => ({
      place: `${place}.${index}`,
      of: by.to,
      row: { ...row, set: [back, ...row.set] },
      own,
    }))
  })
  yield* runBatch(queryRows(save))
  const news = yield* collectErrors(rows, ({ of, row, own }) => prepareWithLinked(of, state.newId(), 1, row, own))
  let left: Query[] = []
  yield* collectErrors(rows, function* ({ of, row, own }, index) {
    const problems: Problem[] = []
    yield* runBatch(
      all([queryRows(left), findUniqueConflicts(of, news[index]!.row, null, context, own.rules, problems)]),
    )
    left = []
    if (problems.length > 0) throw conflictError(problems)
    left = (yield* insert(of, news[index]!, own, row)).save
  })
  return left
}

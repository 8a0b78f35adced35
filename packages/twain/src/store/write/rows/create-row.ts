// A new row: what the write gives, what the contract gives by default, the viewer, and the times; then the rows that are
// made along: those that the write gives, and those of the contract.

import { ApiError, type Problem, uuidv7, validationError } from '#base'
import type { ReferenceField, Resource, StoredField, ToManyField } from '#model'
import { defaultValue, isPossibleId, possibleIdMessage } from '#plan/build'
import type { SqlValue } from '../../sql/encode.ts'
import type { Query, QueryRows } from '../../sql/query.ts'
import type { LinkChange } from '../access/link-change.ts'
import type { StoredRow } from '../access/stored-row.ts'
import { notThere, Rules } from '../rules/rules.ts'
import { checkStarts } from '../rules/transitions.ts'
import type { Outcome, Writing } from '../rules/write-state.ts'
import { atAllPlaces } from '../steps/collect-errors.ts'
import { all, type Look, map, passed, rowsOf, type Step, take } from '../steps/query-step.ts'
import type { JobField, JobRow, JobRows } from '../steps/write-job.ts'
import { onceEach } from './alias-conflicts.ts'
import { conflict, findTaken, missing, readonlyMessage } from './conflicts.ts'
import { madeAlong, referenceBack } from './default-children.ts'
import { holdFiles } from './files.ts'
import { compareLinks, lookAtLinks, saveLinks } from './links.ts'
import { findTakenLogin, saveLogin } from './logins.ts'
import { type Reference, resolve } from './references.ts'
import { image } from './save-change.ts'
import { isFilled, requireViewerRow, viewerFor } from './viewer-field.ts'

interface NewRow {
  row: StoredRow
  links: LinkChange[]
}

/** With an id of our own making. */
export function* createRow(resource: Resource, { set, rows }: JobRow, writing: Writing, id = uuidv7()): Step<Outcome> {
  return yield* insert(resource, yield* judged(resource, id, 1, set, writing), writing, rows)
}

/** With an id that the client chose. A viewer who can't read the row that is there (`present`) must not learn of it, nor
 *  overwrite it: what is refused to a new row is refused alike, and what a new row would be granted is not found. For the
 *  same reason a new row that the rules refuse is not found either. */
export function* createRowAt(
  resource: Resource,
  id: string,
  set: readonly JobField[],
  present: boolean,
  writing: Writing,
): Step<Outcome> {
  writing.rules.requireKnown('create', resource.name)
  const problems: Problem[] = []
  if (!isPossibleId(id)) problems.push({ path: 'id', code: 'PATTERN', message: possibleIdMessage })
  for (const { field: fieldName, value } of set) {
    const field = resource.fields.get(fieldName)!
    if (fieldName === 'id' ? value !== id : field.kind === 'stored' && field.auto !== null) {
      problems.push({ path: fieldName, code: 'READONLY', message: readonlyMessage(fieldName) })
    }
  }
  // Before it is looked whether there is a row, so that the answer tells nothing of it.
  const isAccount = resource === writing.context.account?.resource && !writing.rules.areNone
  if (isAccount && writing.password === null) problems.push(missing('password'))
  if (problems.length > 0) throw validationError(problems)
  const fields = set.filter(({ field }) => field !== 'id')
  const [[gone]] = (yield [writing.context.goneVersion(resource, id)]) as [QueryRows]
  const version = gone === undefined ? 1 : Number(gone[0]) + 1
  const created = yield* unlessRefused(judged(resource, id, version, fields, writing))
  if (present || created === null) throw notThere(resource, id)
  return yield* insert(resource, created, writing)
}

function* unlessRefused(make: Step<NewRow>): Step<NewRow | null> {
  try {
    return yield* make
  } catch (error) {
    if (error instanceof ApiError && error.code === 'FORBIDDEN') return null
    throw error
  }
}

/** The row as it would be, when nothing stands against it. */
function* judged(
  resource: Resource,
  id: string,
  version: number,
  set: readonly JobField[],
  writing: Writing,
): Step<NewRow> {
  const { context, rules } = writing
  const problems: Problem[] = []
  const given = new Map(set.map((one) => [one.field, one]))
  if (given.size < set.length) onceEach(set, resource, null, context) // the same under both names, or refused
  const [values, lists] = yield* take(
    all([valuesOf(resource, given, writing, problems), lookAtLinks(resource, null, given, writing, problems)]),
  )
  checkStarts(resource, given, writing, problems)
  const row: StoredRow = { id, version, values }
  const links = lists.length === 0 ? [] : yield* take(compareLinks(lists, rules))
  const checks: Look<void>[] = []
  // A row that can't be is not judged; and who may not make it does not learn which values are taken.
  if (problems.length === 0) {
    checks.push(rules.requireCreate(resource.name, row, given.keys()), rules.requireLinks(links))
  }
  if (problems.length === 0 || rules.areNone) {
    checks.push(
      findTaken(resource, row, null, context, rules, problems),
      findTakenLogin(resource, row, context, problems),
    )
  }
  yield* take(all(checks))
  if (problems.length > 0) throw conflict(problems)
  return { row, links }
}

/** What each column of the new row keeps. */
function valuesOf(
  resource: Resource,
  given: ReadonlyMap<string, JobField>,
  writing: Writing,
  problems: Problem[],
): Look<Map<string, SqlValue>> {
  const { context, rules, time } = writing
  const table = context.table(resource)
  const invalid: Problem[] = []
  const values = new Map<string, SqlValue>()
  const references = new Map<Reference, ReferenceField>()
  const keep = (field: StoredField | ReferenceField, value: unknown) => {
    for (const [column, content] of table.encode(field, value)) values.set(column, content)
  }
  let needsViewer = false
  for (const field of table.columns.keys()) {
    const own = given.get(field.name)
    const filled = isFilled(field) ? viewerFor(field, own, writing, invalid) : null
    needsViewer ||= isFilled(field)
    const value = filled ?? (own === undefined ? initial(field, time) : own.value)
    if (field.required && value === null) invalid.push(missing(field.name))
    if (field.kind === 'stored' || filled !== null || value === null) keep(field, value)
    else {
      keep(field, null) // in its place among the columns, until the row that it leads to is found
      const by = own === undefined ? Rules.none : rules
      references.set({ to: field.to, id: value as string, path: field.name, rules: by }, field)
    }
  }
  const looks = all([
    resolve([...references.keys()], context, problems),
    needsViewer ? requireViewerRow(writing) : passed,
  ])
  return map(looks, ([targets]) => {
    if (invalid.length > 0) throw validationError(invalid)
    for (const [reference, field] of references) keep(field, targets.get(reference)!)
    return values
  })
}

function initial(field: StoredField | ReferenceField, time: string): unknown {
  if (field.kind === 'reference') return field.default ?? null
  return field.auto === null ? defaultValue(field) : time
}

/** `made` are the lists by which this row itself is made along: they make no second row on the way. */
function* insert(
  resource: Resource,
  { row, links }: NewRow,
  writing: Writing,
  lists: readonly JobRows[] = [],
  made: readonly ToManyField[] = [],
): Step<Outcome> {
  const { context, time } = writing
  const { id, version } = row
  const table = context.table(resource)
  const after = image(row.values, links, 'after', context)
  let save = [
    ...table.insert(row),
    ...saveLinks(links, id, context),
    ...saveLogin(resource, row, writing),
    ...holdFiles(resource, row.values, links, context),
    context.log({ resource, id, kind: 'created', version, after, before: null }, time),
  ]
  if (lists.length > 0) save = yield* insertOwned(resource, id, lists, save, writing)
  if (table.makers.length > 0) {
    const [, along] = yield* take(all([rowsOf(save), madeAlong(resource, id, lists, writing)]))
    const ours: Writing = { ...writing, rules: Rules.none, password: null, states: null }
    save = []
    for (const { by, set } of along) {
      if (made.includes(by)) continue
      yield* take(rowsOf(save)) // what comes next may look for it
      const child = yield* judged(by.to, uuidv7(), 1, set, ours)
      save = (yield* insert(by.to, child, ours, [], [...made, by])).save
    }
  }
  return { id, created: true, save }
}

/** The rows of owned lists, after what is left of their owner to be saved. All are judged before the first is written, so
 *  that none of them vouches for another; whether a value is taken is looked at once more before each, since one of them
 *  may have taken it. */
function* insertOwned(
  owner: Resource,
  id: string,
  lists: readonly JobRows[],
  save: readonly Query[],
  writing: Writing,
): Step<Query[]> {
  const { context, viewer } = writing
  const rows = lists.flatMap(({ field, judge, rows: given }) => {
    const by = owner.fields.get(field) as ToManyField
    const own: Writing = { ...writing, rules: new Rules(judge, !viewer.authenticated), password: null }
    const back = referenceBack(by, { type: owner.name, id })
    return given.map((row, index) => ({
      place: `${field}.${index}`,
      of: by.to,
      set: [back, ...row.set],
      lists: row.rows,
      own,
    }))
  })
  yield* take(rowsOf(save))
  const news = yield* atAllPlaces(rows, ({ of, set, own }) => judged(of, uuidv7(), 1, set, own))
  let left: Query[] = []
  yield* atAllPlaces(rows, function* ({ of, lists: further, own }, index) {
    const problems: Problem[] = []
    yield* take(all([rowsOf(left), findTaken(of, news[index]!.row, null, context, own.rules, problems)]))
    left = []
    if (problems.length > 0) throw conflict(problems)
    left = (yield* insert(of, news[index]!, own, further)).save
  })
  return left
}

// A new row: what the write gives, what the contract gives by default, the viewer, and the times; then the rows that are
// made along: those that the write gives, and those of the contract.

import { Fault, type Problem, uuidv7, validationFault } from '#base'
import type { ReferenceField, Resource, StoredField, ToManyField } from '#model'
import { defaultValue, isPossibleId, possibleIds } from '#plan'
import { atAllPlaces } from './at-all-places.ts'
import { conflict, findTaken, missing, readonlyMessage } from './conflicts.ts'
import { encodeField } from './encode-field.ts'
import { image } from './image.ts'
import type { JobField, JobRows } from './job.ts'
import { compareLinks, type LinkChange, saveLinks } from './links.ts'
import { findTakenLogin, saveLogin } from './logins.ts'
import { madeAlong, referenceBack } from './made-along.ts'
import { notThere } from './not-there.ts'
import { Rules } from './rules.ts'
import type { StoredRow } from './table-access.ts'
import { viewerFor } from './viewer-field.ts'
import type { Writing } from './writing.ts'

type Given = JobRows['rows'][number]

interface NewRow {
  row: StoredRow
  links: LinkChange[]
}

/** With an id of our own making. */
export function createRow(resource: Resource, { set, rows }: Given, writing: Writing): string {
  return insert(resource, judged(resource, uuidv7(), 1, set, writing), writing, rows)
}

/** With an id that the client chose. A viewer who can't read the row that is there (`present`) must not learn of it, nor
 *  overwrite it: what is refused to a new row is refused alike, and what a new row would be granted is not found. For the
 *  same reason a new row that the rules refuse is not found either. */
export function createRowAt(
  resource: Resource,
  id: string,
  set: readonly JobField[],
  present: boolean,
  writing: Writing,
): string {
  const problems: Problem[] = []
  if (!isPossibleId(id)) problems.push({ path: 'id', code: 'PATTERN', message: possibleIds })
  for (const { field: fieldName, value } of set) {
    const field = resource.fields.get(fieldName)!
    if (fieldName === 'id' ? value !== id : field.kind === 'stored' && field.auto !== null) {
      problems.push({ path: fieldName, code: 'READONLY', message: readonlyMessage(fieldName) })
    }
  }
  // Before it is looked whether there is a row, so that the answer tells nothing of it.
  const isAccount = resource === writing.context.account?.resource && !writing.rules.areNone
  if (isAccount && writing.password === null) problems.push(missing('password'))
  if (problems.length > 0) throw validationFault(problems)
  const fields = set.filter(({ field }) => field !== 'id')
  const version = writing.context.goneVersion(resource, id) + 1
  const created = unlessRefused(() => judged(resource, id, version, fields, writing))
  if (present || created === null) throw notThere(resource, id)
  return insert(resource, created, writing)
}

function unlessRefused(make: () => NewRow): NewRow | null {
  try {
    return make()
  } catch (error) {
    if (error instanceof Fault && error.code === 'FORBIDDEN') return null
    throw error
  }
}

/** The row as it would be, when nothing stands against it. */
function judged(resource: Resource, id: string, version: number, set: readonly JobField[], writing: Writing): NewRow {
  const { context, rules, time } = writing
  const invalid: Problem[] = []
  const problems: Problem[] = []
  const row: StoredRow = { id, version, values: new Map() }
  const given = new Map(set.map((one) => [one.field, one]))
  const table = context.table(resource)
  for (const field of table.columns.keys()) {
    const own = given.get(field.name)
    const viewer = field.kind === 'reference' ? viewerFor(field, own, writing, invalid) : null
    const value = own === undefined ? initial(field, time) : own.value
    if (field.required && viewer === null && value === null) invalid.push(missing(field.name))
    const by = own === undefined ? unjudged(writing) : writing
    const encoded = viewer === null ? encodeField(resource, field, value, by, problems) : table.encode(field, viewer)
    for (const [column, content] of encoded) row.values.set(column, content)
  }
  if (invalid.length > 0) throw validationFault(invalid)
  const links = compareLinks(resource, null, given, writing, problems)
  // A row that can't be is not judged; and who may not make it does not learn which values are taken.
  if (problems.length === 0) {
    rules.requireCreate(resource.name, row, given.keys())
    rules.requireLinks(links)
  }
  if (problems.length === 0 || rules.areNone) {
    findTaken(resource, row, null, context, problems)
    findTakenLogin(resource, row, context, problems)
  }
  if (problems.length > 0) throw conflict(problems)
  return { row, links }
}

function initial(field: StoredField | ReferenceField, time: string): unknown {
  if (field.kind === 'reference') return field.default ?? null
  return field.auto === null ? defaultValue(field) : time
}

/** `made` are the lists by which this row itself is made along: they make no second row on the way. */
function insert(
  resource: Resource,
  { row, links }: NewRow,
  writing: Writing,
  given: readonly JobRows[] = [],
  made: readonly ToManyField[] = [],
): string {
  const { context, time } = writing
  const { id, version } = row
  context.table(resource).insert(row)
  saveLinks(links, id, context)
  saveLogin(resource, row, writing)
  const after = image(row.values, links, 'after', context)
  context.log({ resource, id, kind: 'created', version, after, before: null }, time)
  insertGiven(resource, id, given, writing)
  const ours = unjudged(writing)
  for (const { by, set } of madeAlong(resource, id, writing, given)) {
    if (made.includes(by)) continue
    insert(by.to, judged(by.to, uuidv7(), 1, set, ours), ours, [], [...made, by])
  }
  return id
}

/** The rows of owned lists. All are judged before the first is written, so that none of them vouches for another; whether
 *  a value is taken is looked at once more before each, since one of them may have taken it. */
function insertGiven(parent: Resource, id: string, lists: readonly JobRows[], writing: Writing): void {
  const { context } = writing
  const given = lists.flatMap(({ field, judge, rows }) => {
    const by = parent.fields.get(field) as ToManyField
    const own: Writing = { ...writing, rules: new Rules(judge, context.statements), password: null }
    const back = referenceBack(by, { type: parent.name, id })
    return rows.map((row, index) => ({ place: `${field}.${index}`, of: by.to, row, own, set: [back, ...row.set] }))
  })
  const judgedRows = atAllPlaces(given, ({ of, set, own }) => judged(of, uuidv7(), 1, set, own))
  atAllPlaces(given, ({ of, row, own }, index) => {
    const made = judgedRows[index]!
    const problems: Problem[] = []
    findTaken(of, made.row, null, context, problems)
    if (problems.length > 0) throw conflict(problems)
    insert(of, made, own, row.rows)
  })
}

/** What the contract itself gives or makes is judged by no rule. */
function unjudged(writing: Writing): Writing {
  return { ...writing, rules: new Rules(null, writing.context.statements), password: null }
}

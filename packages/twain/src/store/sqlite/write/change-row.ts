// A change of a row that is there, by an update or a replace.

import { type Problem, validationFault } from '#base'
import type { LinksField, ReferenceField, Resource, StoredField } from '#model'
import { decodeColumn, type SqlValue } from '../../compile/encode.ts'
import { conflict, findTaken, missing, readonlyMessage } from './conflicts.ts'
import { encodeField } from './encode-field.ts'
import type { JobField } from './job.ts'
import { compareLinks, saveLinks } from './links.ts'
import { endOtherTokens, findTakenLogin, saveLogin } from './logins.ts'
import { mergeValue } from './merge-value.ts'
import { saveChange, setTimes } from './save-change.ts'
import type { StoredRow } from './table-access.ts'
import { isUnseen } from './unseen.ts'
import type { Writing } from './writing.ts'

export function changeRow(resource: Resource, row: StoredRow, set: readonly JobField[], writing: Writing): string {
  const { context, rules, time, password } = writing
  const problems: Problem[] = []
  const { changed, touched } = compareFields(resource, row, set, writing, problems)
  const given = new Map(set.map((one) => [one.field, one]))
  const links = compareLinks(resource, row.id, given, writing, problems)
  for (const { field } of links) touched.add(field.name)
  const blind = context.table(resource).links.filter(({ name }) => given.has(name) && rules.hides(name, row.id))
  for (const { name } of blind) touched.add(name)
  if (problems.length === 0) {
    rules.requireFields(touched, row.id)
    rules.requireLinks(links)
    if (password !== null) rules.requirePassword(row.id)
  }
  // Whether a value that the viewer can't see was the one that they guessed must not show in the version either.
  const nothing = changed.size === 0 && links.length === 0 && blind.length === 0 && problems.length === 0
  if (nothing && password === null) return row.id
  if (!nothing) setTimes(resource, changed, context, time)
  const next: StoredRow = { id: row.id, version: row.version + 1, values: new Map([...row.values, ...changed]) }
  // A row that can't be is not judged; and who may not make it so does not learn which values are taken.
  if (problems.length === 0) rules.requireAfter(resource.name, next, touched)
  if (problems.length === 0 || rules.areNone) {
    findTaken(resource, next, changed, context, rules, problems)
    findTakenLogin(resource, next, context, problems)
  }
  if (problems.length > 0) throw conflict(problems)
  saveLogin(resource, next, writing)
  if (password !== null) endOtherTokens(row.id, writing)
  if (nothing) return row.id
  saveLinks(links, row.id, context)
  saveChange(resource, row, changed, links, context, time)
  return row.id
}

/** What the write changes, and what it gives and the viewer can't see: whether that differs must not show. */
interface Compared {
  changed: Map<string, SqlValue>
  /** The fields of these columns. */
  touched: Set<string>
}

function compareFields(
  resource: Resource,
  row: StoredRow,
  set: readonly JobField[],
  writing: Writing,
  problems: Problem[],
): Compared {
  const table = writing.context.table(resource)
  const invalid: Problem[] = []
  const changed = new Map<string, SqlValue>()
  const touched = new Set<string>()
  const unseen = new Set<string>()
  for (const { field: fieldName, value, merge } of set) {
    const field = resource.fields.get(fieldName) as StoredField | ReferenceField | LinksField
    if (field.kind === 'links') continue
    if (fieldName === 'id') {
      if (value !== row.id) invalid.push({ path: 'id', code: 'READONLY', message: readonlyMessage('id') })
      continue
    }
    const fixed = field.immutable || field.auto !== null
    const hidden = writing.rules.hides(fieldName, row.id)
    // What the viewer can't see was given as null, and null put back keeps it: nobody clears what they can't see, nor learns
    // by it whether there is something.
    if (field.kind === 'reference' && value === null && (isUnseen(field, row, writing) || (fixed && hidden))) continue
    if (hidden) unseen.add(fieldName)
    let complete = value
    if (merge && field.kind === 'stored') {
      // A patch of what can't be seen must be whole: what it would be merged into must not show.
      const present = hidden ? null : decodeColumn(row.values.get(table.columns.get(field)!.name)!, field.type)
      complete = mergeValue(field, present, value, invalid)
    }
    const differing = encodeField(resource, field, complete, writing, problems).filter(
      ([column, encoded]) => hidden || row.values.get(column) !== encoded,
    )
    if (differing.length === 0) continue
    if (fixed) invalid.push({ path: fieldName, code: 'READONLY', message: readonlyMessage(fieldName) })
    else if (field.required && complete === null) invalid.push(missing(fieldName))
    for (const [column, encoded] of differing) changed.set(column, encoded)
    touched.add(fieldName)
  }
  if (invalid.length > 0) {
    writing.rules.requireFields(unseen, row.id)
    throw validationFault(invalid)
  }
  return { changed, touched }
}

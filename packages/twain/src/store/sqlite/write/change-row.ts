// A change of a row that is there, by an update or a replace.

import { type Problem, validationFault } from '#base'
import type { LinksField, ReferenceField, Resource, StoredField } from '#model'
import { defaultValue } from '#plan'
import { decodeColumn, type SqlValue } from '../../compile/encode.ts'
import { conflict, findTaken, readonlyMessage } from './conflicts.ts'
import { encodeField } from './encode-field.ts'
import type { JobField } from './job.ts'
import { compareLinks, saveLinks } from './links.ts'
import { mergeValue } from './merge-value.ts'
import { saveChange } from './save-change.ts'
import type { StoredRow } from './table-access.ts'
import type { WriterContext } from './writer-context.ts'

/** What a replace leaves out goes back to its default or to null, but for what it can't write, and for links. */
export function replacement(resource: Resource, set: readonly JobField[]): JobField[] {
  const whole = [...set]
  for (const field of resource.fields.values()) {
    if (set.some((one) => one.field === field.name)) continue
    if (field.kind === 'reference' && !field.immutable) {
      whole.push({ field: field.name, value: field.default ?? null, merge: false })
    }
    if (field.kind === 'stored' && field.auto === null && !field.immutable && field.name !== 'id') {
      whole.push({ field: field.name, value: defaultValue(field), merge: false })
    }
  }
  return whole
}

export function changeRow(
  resource: Resource,
  row: StoredRow,
  set: readonly JobField[],
  context: WriterContext,
  time: string,
): string {
  const table = context.table(resource)
  const problems: Problem[] = []
  const readonly: Problem[] = []
  const changed = new Map<string, SqlValue>()
  const given = new Map(set.map((one) => [one.field, one]))
  for (const { field: fieldName, value, merge } of set) {
    const field = resource.fields.get(fieldName) as StoredField | ReferenceField | LinksField
    if (field.kind === 'links') continue
    if (fieldName === 'id') {
      if (value !== row.id) readonly.push({ path: 'id', code: 'READONLY', message: readonlyMessage('id') })
      continue
    }
    let complete = value
    if (merge && field.kind === 'stored') {
      const present = decodeColumn(row.values.get(table.columns.get(field)!.name)!, field.type)
      complete = mergeValue(field, present, value, readonly)
    }
    const differing = encodeField(resource, field, complete, context, problems).filter(
      ([column, encoded]) => row.values.get(column) !== encoded,
    )
    if (differing.length === 0) continue
    if (field.immutable || (field.kind === 'stored' && field.auto !== null)) {
      readonly.push({ path: fieldName, code: 'READONLY', message: readonlyMessage(fieldName) })
    }
    for (const [column, encoded] of differing) changed.set(column, encoded)
  }
  if (readonly.length > 0) throw validationFault(readonly)
  const links = compareLinks(resource, row.id, given, context, problems)
  if (changed.size === 0 && links.length === 0 && problems.length === 0) return row.id
  const next: StoredRow = { id: row.id, version: row.version + 1, values: new Map([...row.values, ...changed]) }
  findTaken(resource, next, changed, context, problems)
  if (problems.length > 0) throw conflict(problems)
  saveLinks(links, row.id, context)
  saveChange(resource, row, changed, links, context, time)
  return row.id
}

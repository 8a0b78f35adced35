// A new row: what the write gives, what the contract gives by default, and the times.

import { type Problem, uuidv7, validationFault } from '#base'
import type { ReferenceField, Resource, StoredField } from '#model'
import { defaultValue, isPossibleId, possibleIds } from '#plan'
import { conflict, findTaken, readonlyMessage } from './conflicts.ts'
import { encodeField } from './encode-field.ts'
import { image } from './image.ts'
import type { JobField } from './job.ts'
import { compareLinks, saveLinks } from './links.ts'
import type { StoredRow } from './table-access.ts'
import type { WriterContext } from './writer-context.ts'

/** With an id of our own making. */
export function createRow(resource: Resource, set: readonly JobField[], context: WriterContext, time: string): string {
  return create(resource, uuidv7(), set, context, time, 1)
}

/** With an id that the client chose. */
export function createRowAt(
  resource: Resource,
  id: string,
  set: readonly JobField[],
  context: WriterContext,
  time: string,
): string {
  const problems: Problem[] = []
  if (!isPossibleId(id)) problems.push({ path: 'id', code: 'PATTERN', message: possibleIds })
  for (const { field: fieldName, value } of set) {
    const field = resource.fields.get(fieldName)!
    if (fieldName === 'id' ? value !== id : field.kind === 'stored' && field.auto !== null) {
      problems.push({ path: fieldName, code: 'READONLY', message: readonlyMessage(fieldName) })
    }
  }
  if (problems.length > 0) throw validationFault(problems)
  const fields = set.filter(({ field }) => field !== 'id')
  return create(resource, id, fields, context, time, context.goneVersion(resource, id) + 1)
}

function create(
  resource: Resource,
  id: string,
  set: readonly JobField[],
  context: WriterContext,
  time: string,
  version: number,
): string {
  const table = context.table(resource)
  const problems: Problem[] = []
  const row: StoredRow = { id, version, values: new Map() }
  const given = new Map(set.map((one) => [one.field, one]))
  for (const field of table.columns.keys()) {
    const value = given.has(field.name) ? given.get(field.name)!.value : initial(field, time)
    for (const [column, encoded] of encodeField(resource, field, value, context, problems)) {
      row.values.set(column, encoded)
    }
  }
  const links = compareLinks(resource, null, given, context, problems)
  findTaken(resource, row, null, context, problems)
  if (problems.length > 0) throw conflict(problems)
  table.insert(row)
  saveLinks(links, id, context)
  const after = image(row.values, links, 'after', context)
  context.log({ resource, id, kind: 'created', version, after, before: null }, time)
  return id
}

function initial(field: StoredField | ReferenceField, time: string): unknown {
  if (field.kind === 'reference') return field.default ?? null
  return field.auto === null ? defaultValue(field) : time
}

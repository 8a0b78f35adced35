// Deleting a row: first everything that goes with it by CASCADE is found, then whatever else refers to these rows either
// forbids it (RESTRICT) or lets go of them (SET_NULL). So no order of deleting matters, and nothing is half done.

import { Fault, type Problem } from '#base'
import type { ReferenceField, Resource } from '#model'
import type { SqlValue } from '../compile/encode.ts'
import { dropLogin } from './logins.ts'
import { saveChange } from './save-change.ts'
import { columnNames, type StoredRow } from './table-access.ts'
import type { WriterContext } from './writer-context.ts'
import type { Writing } from './writing.ts'

interface Doomed {
  resource: Resource
  row: StoredRow
}

interface Referring {
  field: ReferenceField
  id: string
}

export function deleteRow(resource: Resource, row: StoredRow, writing: Writing): void {
  const { context, time } = writing
  const { doomed, referring } = findAll(resource, row, context)
  const others = referring.filter(({ field, id }) => !doomed.has(keyOf(field.owner, id)))
  refuseRestricted(resource, others)
  letGo(others, context, time)
  for (const { resource: type, row: gone } of doomed.values()) {
    context.dropLinks(type, gone.id)
    dropLogin(type, gone.id, writing)
    context.table(type).delete(gone.id)
    const version = gone.version + 1
    context.markGone(type, gone.id, version)
    const before = Object.fromEntries(gone.values)
    context.log({ resource: type, id: gone.id, kind: 'deleted', version, after: null, before }, time)
  }
}

/** The rows that go, and every reference to one of them. */
function findAll(
  resource: Resource,
  row: StoredRow,
  context: WriterContext,
): { doomed: Map<string, Doomed>; referring: Referring[] } {
  const doomed = new Map<string, Doomed>([[keyOf(resource, row.id), { resource, row }]])
  const referring: Referring[] = []
  // A Map's iteration goes on over what is added meanwhile.
  for (const { resource: type, row: going } of doomed.values()) {
    for (const field of context.incoming(type)) {
      const table = context.table(field.owner)
      for (const id of table.referring(field, type.name, going.id)) {
        if (field.onDelete !== 'CASCADE') referring.push({ field, id })
        else if (!doomed.has(keyOf(field.owner, id))) {
          doomed.set(keyOf(field.owner, id), { resource: field.owner, row: table.find(id)! })
        }
      }
    }
  }
  return { doomed, referring }
}

/** Says by which fields, but not by how many rows: not all of them need be readable for the viewer. */
function refuseRestricted(resource: Resource, others: readonly Referring[]): void {
  const problems: Problem[] = []
  const fields = new Set(others.filter(({ field }) => field.onDelete === 'RESTRICT').map(({ field }) => field))
  for (const field of fields) {
    problems.push({ path: '', code: 'REFERENCE', message: `${field.owner.list} refer to it with "${field.name}".` })
  }
  if (problems.length === 0) return
  throw new Fault(
    'CONFLICT',
    `The ${resource.name} can't be deleted: ${problems.map(({ message }) => message).join(' ')}`,
    {
      hint: 'Delete or change those first, or let the contract say @relation(onDelete: CASCADE).',
      problems,
    },
  )
}

/** A row may refer to what goes with several fields: that is one change of it. */
function letGo(others: readonly Referring[], context: WriterContext, time: string): void {
  const byRow = Map.groupBy(others, ({ field, id }) => keyOf(field.owner, id))
  for (const references of byRow.values()) {
    const { field, id } = references[0]!
    const table = context.table(field.owner)
    const columns = references.flatMap((reference) => columnNames(table.columns.get(reference.field)!))
    const changed = new Map<string, SqlValue>(columns.map((column) => [column, null]))
    saveChange(field.owner, table.find(id)!, changed, [], context, time)
  }
}

function keyOf(resource: Resource, id: string): string {
  return `${resource.name}:${id}`
}

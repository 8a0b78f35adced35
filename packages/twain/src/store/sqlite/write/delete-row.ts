// Deleting a row: first everything that goes with it by CASCADE is found, then whatever else refers to these rows either
// forbids it (RESTRICT) or lets go of them (SET_NULL). So no order of deleting matters, and nothing is half done.

import { Fault } from '#base'
import type { ReferenceField, Resource } from '#model'
import type { SqlValue } from '../../compile/encode.ts'
import { dropLogin } from './logins.ts'
import type { Rules } from './rules.ts'
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
  refuseRestricted(resource, others, writing.rules)
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

/** Says by which fields, where the viewer can read a row of those that do; but not by how many rows. */
function refuseRestricted(resource: Resource, others: readonly Referring[], rules: Rules): void {
  const restricting = others.filter(({ field }) => field.onDelete === 'RESTRICT')
  if (restricting.length === 0) return
  const byField = Map.groupBy(restricting, ({ field }) => field)
  const seen = [...byField].filter(([{ owner, name }, rows]) =>
    rows.slice(0, mostAsked).some(({ id }) => rules.showsReferrer(owner.name, name, id)),
  )
  const messages = seen.map(([{ owner, name }]) => `${owner.list} refer to it with "${name}".`)
  if (seen.length < byField.size) messages.push('Something that you may not read refers to it.')
  throw new Fault('CONFLICT', `The ${resource.name} can't be deleted: ${messages.join(' ')}`, {
    hint:
      seen.length > 0
        ? 'Delete or change those first, or let the contract say @relation(onDelete: CASCADE).'
        : 'Only who may change what refers to it can make way for this.',
    problems: messages.map((message) => ({ path: '', code: 'REFERENCE', message })),
  })
}

/** A million rows that the viewer can't read must not keep the writer. */
const mostAsked = 100

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

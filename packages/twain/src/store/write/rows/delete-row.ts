// Deleting a row: first everything that goes with it by CASCADE is found, then whatever else refers to these rows either
// forbids it (RESTRICT) or lets go of them (SET_NULL). So no order of deleting matters, and nothing is half done.

import { ApiError } from '#base'
import type { ReferenceField, Resource } from '#model'
import type { Query } from '../../sql/query.ts'
import type { StoredRow } from '../access/stored-row.ts'
import { columnNames } from '../access/table-access.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { Rules } from '../rules/rules.ts'
import type { Writing } from '../rules/write-state.ts'
import { portions, rowsOf, type Step, settle, take } from '../steps/query-step.ts'
import { disownFiles } from './files.ts'
import { dropLogin } from './logins.ts'
import { saveChange } from './save-change.ts'

interface Found {
  resource: Resource
  row: StoredRow
}

interface Referring {
  field: ReferenceField
  id: string
}

/** Gives what is left to be asked. */
export function* deleteRow(resource: Resource, row: StoredRow, writing: Writing): Step<Query[]> {
  const { context, time } = writing
  const { doomed, referring } = yield* findAll(resource, row, context)
  const others = referring.filter(({ field, id }) => !doomed.has(keyOf(field.owner, id)))
  yield* refuseRestricted(resource, others, writing.rules)
  yield* letGo(others, context, time)
  let save: Query[] = []
  for (const some of portions([...doomed.values()])) {
    yield* take(rowsOf(save))
    save = some.flatMap((one) => remove(one, writing))
  }
  return save
}

function remove({ resource, row }: Found, writing: Writing): Query[] {
  const { context, time } = writing
  const { id } = row
  const version = row.version + 1
  const before = Object.fromEntries(row.values)
  return [
    ...context.dropLinks(resource, id),
    ...dropLogin(resource, id, writing),
    ...disownFiles(resource, id, writing),
    ...context.table(resource).delete(id),
    context.markGone(resource, id, version),
    context.log({ resource, id, kind: 'deleted', version, after: null, before }, time),
  ]
}

/** The rows that go, and every reference to one of them. */
function* findAll(
  resource: Resource,
  row: StoredRow,
  context: WriterContext,
): Step<{ doomed: Map<string, Found>; referring: Referring[] }> {
  const doomed = new Map<string, Found>([[keyOf(resource, row.id), { resource, row }]])
  const referring: Referring[] = []
  for (let level = [...doomed.values()]; level.length > 0; ) {
    const next: Found[] = []
    for (const some of portions(level)) {
      const going = new Map<string, Referring>()
      for (const reference of yield* findReferring(some, context)) {
        const { field, id } = reference
        if (field.onDelete !== 'CASCADE') referring.push(reference)
        else if (!doomed.has(keyOf(field.owner, id))) going.set(keyOf(field.owner, id), reference)
      }
      for (const one of yield* findRows([...going.values()], 'delete', context)) {
        doomed.set(keyOf(one.resource, one.row.id), one)
        next.push(one)
      }
    }
    level = next
  }
  return { doomed, referring }
}

function* findReferring(doomed: readonly Found[], context: WriterContext): Step<Referring[]> {
  const ways = doomed.flatMap(({ resource, row }) =>
    context.incoming(resource).map((field) => ({ resource, row, field })),
  )
  const queries = ways.map(({ resource, row, field }) =>
    context.table(field.owner).referring(field, resource.name, row.id),
  )
  const found = yield* take(rowsOf(queries))
  return ways.flatMap(({ field }, index) => found[index]!.map(([id]) => ({ field, id: String(id) })))
}

/** The rows that refer. */
function* findRows(referring: readonly Referring[], to: 'change' | 'delete', context: WriterContext): Step<Found[]> {
  const rows: Found[] = []
  for (const some of portions(referring)) {
    const found = yield some.map(({ field, id }) => context.table(field.owner).find(id, to))
    for (const [index, { field, id }] of some.entries()) {
      rows.push({ resource: field.owner, row: context.table(field.owner).row(id, found[index]!)! })
    }
  }
  return rows
}

/** Says by which fields, where the viewer can read a row of those that do; but not by how many rows. */
function* refuseRestricted(resource: Resource, others: readonly Referring[], rules: Rules): Step<void> {
  const restricting = others.filter(({ field }) => field.onDelete === 'RESTRICT')
  if (restricting.length === 0) return
  const byField = Map.groupBy(restricting, ({ field }) => field)
  const messages: string[] = []
  for (const [{ owner, name }, rows] of byField) {
    const asked = rows.slice(0, mostAsked).map(({ id }) => rules.showsReferrer(owner.name, name, id))
    const shown = yield* take(settle(asked))
    if (shown.includes(true)) messages.push(`${owner.list} refer to it with "${name}".`)
  }
  const isSeen = messages.length > 0
  if (messages.length < byField.size) messages.push('Something that you may not read refers to it.')
  throw new ApiError('CONFLICT', `The ${resource.name} can't be deleted: ${messages.join(' ')}`, {
    hint: isSeen
      ? 'Delete or change those first, or let the contract say @relation(onDelete: CASCADE).'
      : 'Only who may change what refers to it can make way for this.',
    problems: messages.map((message) => ({ path: '', code: 'REFERENCE', message })),
  })
}

/** A million rows that the viewer can't read must not keep the writer. */
const mostAsked = 100

/** A row may refer to what goes with several fields: that is one change of it. */
function* letGo(others: readonly Referring[], context: WriterContext, time: string): Step<void> {
  const byRow = Map.groupBy(others, ({ field, id }) => keyOf(field.owner, id))
  for (const some of portions([...byRow.values()])) {
    const rows = yield* findRows(
      some.map((references) => references[0]!),
      'change',
      context,
    )
    yield rows.flatMap((one, index) => clear(one, some[index]!, context, time))
  }
}

function clear(
  { resource, row }: Found,
  references: readonly Referring[],
  context: WriterContext,
  time: string,
): Query[] {
  const { columns } = context.table(resource)
  const cleared = references.flatMap(({ field }) => columnNames(columns.get(field)!))
  return saveChange(resource, row, new Map(cleared.map((column) => [column, null])), [], context, time)
}

function keyOf(resource: Resource, id: string): string {
  return `${resource.name}:${id}`
}

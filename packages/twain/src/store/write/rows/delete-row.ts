// Deleting a row: first everything that goes with it by CASCADE is found, then whatever else refers to these rows either
// forbids it (RESTRICT) or lets go of them (SET_NULL). So no order of deleting matters, and nothing is half done.

import { ApiError } from '#base'
import type { ReferenceField, Resource } from '#model'
import type { Query } from '../../sql/query.ts'
import type { StoredRow } from '../access/stored-row.ts'
import { columnNames } from '../access/table-access.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { WriteRules } from '../rules/write-rules.ts'
import type { WriteState } from '../rules/write-state.ts'
import { evaluateChecks, inChunks, queryRows, runBatch, type Step } from '../steps/query-step.ts'
import { disownFiles } from './files.ts'
import { removeLogin } from './logins.ts'
import { saveChange } from './save-change.ts'

interface FoundRow {
  resource: Resource
  row: StoredRow
}

interface Referrer {
  field: ReferenceField
  id: string
}

/** Gives what is left to be asked. */
export function* deleteRow(resource: Resource, row: StoredRow, state: WriteState): Step<Query[]> {
  const { context, time } = state
  const { doomed, referring } = yield* findAll(resource, row, context)
  const others = referring.filter(({ field, id }) => !doomed.has(keyOf(field.owner, id)))
  yield* rejectRestricted(resource, others, state.rules)
  yield* clearReferences(others, context, time)
  let save: Query[] = []
  for (const some of inChunks([...doomed.values()])) {
    yield* runBatch(queryRows(save))
    save = some.flatMap((one) => remove(one, state))
  }
  return save
}

function remove({ resource, row }: FoundRow, state: WriteState): Query[] {
  const { context, time } = state
  const { id } = row
  const version = row.version + 1
  const before = Object.fromEntries(row.values)
  return [
    ...context.deleteLinks(resource, id),
    ...removeLogin(resource, id, state),
    ...disownFiles(resource, id, state),
    ...context.table(resource).delete(id),
    context.markDeleted(resource, id, version),
    context.log({ resource, id, kind: 'deleted', version, after: null, before }, time),
  ]
}

/** The rows that go, and every reference to one of them. */
function* findAll(
  resource: Resource,
  row: StoredRow,
  context: WriterContext,
): Step<{ doomed: Map<string, FoundRow>; referring: Referrer[] }> {
  const doomed = new Map<string, FoundRow>([[keyOf(resource, row.id), { resource, row }]])
  const referring: Referrer[] = []
  for (let level = [...doomed.values()]; level.length > 0; ) {
    const next: FoundRow[] = []
    for (const some of inChunks(level)) {
      const going = new Map<string, Referrer>()
      for (const reference of yield* findReferrers(some, context)) {
        const { field, id } = reference
        if (field.onDelete !== 'CASCADE') referring.push(reference)
        else if (!doomed.has(keyOf(field.owner, id))) going.set(keyOf(field.owner, id), reference)
      }
      for (const one of yield* loadReferrers([...going.values()], 'delete', context)) {
        doomed.set(keyOf(one.resource, one.row.id), one)
        next.push(one)
      }
    }
    level = next
  }
  return { doomed, referring }
}

function* findReferrers(doomed: readonly FoundRow[], context: WriterContext): Step<Referrer[]> {
  const ways = doomed.flatMap(({ resource, row }) =>
    context.incoming(resource).map((field) => ({ resource, row, field })),
  )
  const queries = ways.map(({ resource, row, field }) =>
    context.table(field.owner).referring(field, resource.name, row.id),
  )
  const found = yield* runBatch(queryRows(queries))
  return ways.flatMap(({ field }, index) => found[index]!.map(([id]) => ({ field, id: String(id) })))
}

/** The rows that refer. */
function* loadReferrers(
  referring: readonly Referrer[],
  to: 'change' | 'delete',
  context: WriterContext,
): Step<FoundRow[]> {
  const rows: FoundRow[] = []
  for (const some of inChunks(referring)) {
    const found = yield some.map(({ field, id }) => context.table(field.owner).find(id, to))
    for (const [index, { field, id }] of some.entries()) {
      rows.push({ resource: field.owner, row: context.table(field.owner).row(id, found[index]!)! })
    }
  }
  return rows
}

/** Says by which fields, where the viewer can read a row of those that do; but not by how many rows. */
function* rejectRestricted(resource: Resource, others: readonly Referrer[], rules: WriteRules): Step<void> {
  const restricting = others.filter(({ field }) => field.onDelete === 'RESTRICT')
  if (restricting.length === 0) return
  const byField = Map.groupBy(restricting, ({ field }) => field)
  const messages: string[] = []
  for (const [{ owner, name }, rows] of byField) {
    const asked = rows.slice(0, maxCheckedReferrers).map(({ id }) => rules.canReadReferrer(owner.name, name, id))
    const shown = yield* runBatch(evaluateChecks(asked))
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
const maxCheckedReferrers = 100

/** A row may refer to what goes with several fields: that is one change of it. */
function* clearReferences(others: readonly Referrer[], context: WriterContext, time: string): Step<void> {
  const byRow = Map.groupBy(others, ({ field, id }) => keyOf(field.owner, id))
  for (const some of inChunks([...byRow.values()])) {
    const rows = yield* loadReferrers(
      some.map((references) => references[0]!),
      'change',
      context,
    )
    yield rows.flatMap((one, index) => clear(one, some[index]!, context, time))
  }
}

function clear(
  { resource, row }: FoundRow,
  references: readonly Referrer[],
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

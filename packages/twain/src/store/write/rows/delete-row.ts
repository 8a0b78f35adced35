// Deletes a row. First it finds every row that CASCADE deletes. Then each other reference to these rows either forbids the
// delete (RESTRICT) or is cleared (SET_NULL). So the order of deletes does not matter, and nothing is half done.

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

/** Returns the queries that are still to run. */
export function* deleteRow(resource: Resource, row: StoredRow, state: WriteState): Step<Query[]> {
  const { context, time } = state
  const { deleted, referrers } = yield* findAll(resource, row, context)
  const others = referrers.filter(({ field, id }) => !deleted.has(keyOf(field.owner, id)))
  yield* rejectRestricted(resource, others, state.rules)
  yield* clearReferences(others, context, time)
  let save: Query[] = []
  for (const some of inChunks([...deleted.values()])) {
    yield* runBatch(queryRows(save))
    save = some.flatMap((one) => remove(one, state))
  }
  return save
}

function remove({ resource, row }: FoundRow, state: WriteState): Query[] {
  const { context, time } = state
  const { id } = row
  const version = context.nextVersion(row.version)
  return [
    ...context.deleteLinks(resource, id),
    ...removeLogin(resource, id, state),
    ...disownFiles(resource, id, state),
    ...context.table(resource).delete(id, { kind: 'deleted', version, time, before: null, links: null }),
    context.markDeleted(resource, id, version),
  ]
}

/** The rows to delete, and every reference to one of them. */
function* findAll(
  resource: Resource,
  row: StoredRow,
  context: WriterContext,
): Step<{ deleted: Map<string, FoundRow>; referrers: Referrer[] }> {
  const deleted = new Map<string, FoundRow>([[keyOf(resource, row.id), { resource, row }]])
  const referrers: Referrer[] = []
  for (let level = [...deleted.values()]; level.length > 0; ) {
    const next: FoundRow[] = []
    for (const some of inChunks(level)) {
      const going = new Map<string, Referrer>()
      for (const reference of yield* findReferrers(some, context)) {
        const { field, id } = reference
        if (field.onDelete !== 'CASCADE') referrers.push(reference)
        else if (!deleted.has(keyOf(field.owner, id))) going.set(keyOf(field.owner, id), reference)
      }
      for (const one of yield* loadReferrers([...going.values()], 'delete', context)) {
        deleted.set(keyOf(one.resource, one.row.id), one)
        next.push(one)
      }
    }
    level = next
  }
  return { deleted, referrers }
}

function* findReferrers(deleted: readonly FoundRow[], context: WriterContext): Step<Referrer[]> {
  const candidates = deleted.flatMap(({ resource, row }) =>
    context.incoming(resource).map((field) => ({ resource, row, field })),
  )
  const queries = candidates.map(({ resource, row, field }) =>
    context.table(field.owner).referring(field, resource.name, row.id),
  )
  const found = yield* runBatch(queryRows(queries))
  return candidates.flatMap(({ field }, index) => found[index]!.map(([id]) => ({ field, id: String(id) })))
}

/** Loads the rows that refer. */
function* loadReferrers(
  referrers: readonly Referrer[],
  to: 'change' | 'delete',
  context: WriterContext,
): Step<FoundRow[]> {
  const rows: FoundRow[] = []
  for (const some of inChunks(referrers)) {
    const found = yield some.map(({ field, id }) => context.table(field.owner).find(id, to))
    for (const [index, { field, id }] of some.entries()) {
      rows.push({ resource: field.owner, row: context.table(field.owner).row(id, found[index]!)! })
    }
  }
  return rows
}

/** Names the restricting fields for which the viewer can read at least one row, but no numbers of rows. */
function* rejectRestricted(resource: Resource, others: readonly Referrer[], rules: WriteRules): Step<void> {
  const restricting = others.filter(({ field }) => field.onDelete === 'RESTRICT')
  if (restricting.length === 0) return
  const byField = Map.groupBy(restricting, ({ field }) => field)
  const messages: string[] = []
  for (const [{ owner, name }, rows] of byField) {
    const checks = rows.slice(0, maxCheckedReferrers).map(({ id }) => rules.canReadReferrer(owner.name, name, id))
    const shown = yield* runBatch(evaluateChecks(checks))
    if (shown.includes(true)) messages.push(`${owner.list} refer to it with "${name}".`)
  }
  const isSeen = messages.length > 0
  if (messages.length < byField.size) messages.push('Something that you may not read refers to it.')
  throw new ApiError('CONFLICT', `The ${resource.name} can't be deleted: ${messages.join(' ')}`, {
    hint: isSeen
      ? 'Delete or change those first, or set @relation(onDelete: CASCADE) in the schema.'
      : 'Only a viewer who may change the referrers rows can make this delete possible.',
    problems: messages.map((message) => ({ path: '', code: 'REFERENCE', message })),
  })
}

/** A million unreadable rows must not block the writer. */
const maxCheckedReferrers = 100

/** A row may refer by several fields: that is one change of it. */
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

// Begins a delete that is too large for one transaction: the row is hidden at once, with its event, and a job of the queue deletes
// what refers to it, and the row at last (`delete-portion.ts`). Until then the row has a negative version. Reads leave it out,
// and all rows that go with it (`plan/authorize/pending-deletes.ts`).

import { membersOf, type ReferenceField, type Resource } from '#model'
import type { Query } from '../../sql/query.ts'
import { deleteJob } from '../../system/jobs/background-deletes.ts'
import { deleteTrash } from '../../system/trash-table.ts'
import { storageTypeOf } from '../../tables/layout.ts'
import { isHidden, type StoredRow } from '../access/stored-row.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { WriteState } from '../rules/write-state.ts'
import { inChunks, queryRows, runBatch, type Step } from '../steps/query-step.ts'
import { removeLogin, requireOwnToken } from './accounts/logins.ts'
import { disownFiles } from './files.ts'
import { keyOf, type Referrer } from './find-cascade.ts'

/** Returns the queries that are still to run. */
export function hideRow(resource: Resource, row: StoredRow, state: WriteState): Query[] {
  const { context, viewer } = state
  const { by, via, trace } = viewer
  const type = storageTypeOf(context.layout, resource)
  const job = deleteJob({ type, id: row.id, by, via, trace })
  // A row of the trash is hidden already, and its delete is logged.
  if (isHidden(row)) return [deleteTrash(type, row.id, context.query), context.enqueue(job)]
  return [...endRow(resource, row, 'hide', state), context.enqueue(job)]
}

/** What ends with a row for its clients: its links, login and files, and the row itself, deleted or hidden, with its event. */
export function endRow(
  resource: Resource,
  { id, version }: StoredRow,
  how: 'delete' | 'hide',
  state: WriteState,
): Query[] {
  const { context, time, viewer } = state
  const { by, via, trace } = viewer
  const next = context.nextVersion(version)
  const entry = { kind: 'deleted', version: next, time, by, via, trace, before: null, links: null } as const
  return [
    ...context.deleteLinks(resource, id),
    ...removeLogin(resource, id, state),
    ...disownFiles(resource, id, state),
    ...context.table(resource)[how](id, entry),
    context.markDeleted(resource, id, next),
    ...(how === 'delete' ? context.forgetHistory(resource, id) : []),
  ]
}

/** Deletes a hidden row. Its delete was logged when it was hidden; its links and files may still be there. */
export function purgeRow(resource: Resource, id: string, state: WriteState): Query[] {
  requireOwnToken(resource, state)
  const { context } = state
  const table = context.table(resource)
  const along = table.hides ? [...context.deleteLinks(resource, id), ...disownFiles(resource, id, state)] : []
  return [...along, ...table.purge(id), ...context.forgetHistory(resource, id)]
}

/** How many rows a request looks at to find what restricts a delete: it must not hold up other writes for long. */
const maxJudgedRows = 100_000

const idsInQuery = 500

/** Whether the delete may run in the background: not if another version of the schema knows references that this one does not, and
 *  not if too many rows would have to be searched for what restricts it. */
export type BackgroundVerdict = { kind: 'allowed' } | { kind: 'restricted'; by: Referrer[] } | { kind: 'unknown' }

/** Searches the whole cascade for references that restrict it, if the schema has any. */
export function* judgeBackground(resource: Resource, id: string, context: WriterContext): Step<BackgroundVerdict> {
  const types = cascadeTypes(resource, context)
  if (types.some((type) => context.unknown.incoming(type).length > 0)) return { kind: 'unknown' }
  const isRestricting = ({ onDelete }: ReferenceField) => onDelete === 'RESTRICT'
  if (!types.some((type) => context.incoming(type).some(isRestricting))) return { kind: 'allowed' }
  const going = new Set([keyOf(resource, id)])
  const restricting: Referrer[] = []
  for (let level = new Map([[resource, [id]]]); [...level.values()].some((ids) => ids.length > 0); ) {
    const next = new Map<Resource, string[]>()
    for (const [type, all] of level) {
      for (const ids of inChunks(all, idsInQuery)) {
        const fields = context.incoming(type).filter(({ onDelete }) => onDelete !== 'SET_NULL')
        const queries = fields.map((field) =>
          context
            .table(field.owner)
            .referringAny(field, type.name, ids, maxJudgedRows, isRestricting(field) ? 'live' : 'all'),
        )
        const found = yield* runBatch(queryRows(queries))
        for (const [index, field] of fields.entries()) {
          const below = next.get(field.owner) ?? []
          next.set(field.owner, below)
          for (const [value] of found[index]!) {
            const referring = String(value)
            const key = keyOf(field.owner, referring)
            if (isRestricting(field)) restricting.push({ field, id: referring })
            else if (!going.has(key)) {
              going.add(key)
              below.push(referring)
            }
          }
        }
        if (going.size + restricting.length > maxJudgedRows) return { kind: 'unknown' }
      }
    }
    level = next
  }
  const others = restricting.filter(({ field, id: referring }) => !going.has(keyOf(field.owner, referring)))
  return others.length === 0 ? { kind: 'allowed' } : { kind: 'restricted', by: others }
}

/** The types whose rows the cascade may delete. */
export function cascadeTypes(resource: Resource, context: WriterContext): Resource[] {
  const types = new Set([resource])
  for (const type of types) {
    for (const { onDelete, owner, to } of context.incoming(type)) {
      if (onDelete === 'CASCADE' && membersOf(to).includes(type)) types.add(owner)
    }
  }
  return [...types]
}

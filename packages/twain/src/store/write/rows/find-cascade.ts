// Finds what a delete touches: the rows that CASCADE deletes, level by level, and every reference to one of them. The search stops
// when it has found more rows than the write may touch (`limits.cascade`), so that neither its time nor its memory depends on
// how many there are.

import { ApiError } from '#base'
import type { ReferenceField, Resource } from '#model'
import type { StoredRow } from '../access/stored-row.ts'
import type { UnknownReferrer } from '../access/unknown-references.ts'
import { unlimitedRows, type WriterContext } from '../access/writer-context.ts'
import { rowName } from '../rules/row-name.ts'
import type { CascadeBudget, WriteState } from '../rules/write-state.ts'
import { all, inChunks, maxChunkItems, queryRows, runBatch, type Step } from '../steps/query-step.ts'

export interface FoundRow {
  resource: Resource
  row: StoredRow
}

export interface Referrer {
  field: ReferenceField
  id: string
  /** Whether the row that refers is hidden, in a table that may hold such rows for a time. */
  isHidden?: true
  /** The deleted row that it refers to. */
  target?: { resource: Resource; id: string }
}

export interface Cascade {
  deleted: Map<string, FoundRow>
  referrers: Referrer[]
  unknown: UnknownReferrer[]
  /** Whether there are more rows than the write may touch. Then the search ended before it had found all of them. */
  isOver: boolean
}

/** Bounds the ids that one list of queries returns. */
const maxListedIds = 500_000

/** A delete takes hidden rows along that need its rows, also where they would restrict it: nobody can see what restricts. `isSoft`:
 *  the rows stay, so hidden rows may refer to them. */
export function* findCascade(
  resource: Resource,
  row: StoredRow,
  context: WriterContext,
  budget: CascadeBudget,
  isSoft = false,
): Step<Cascade> {
  const deleted = new Map<string, FoundRow>([[keyOf(resource, row.id), { resource, row }]])
  const found: Cascade = { deleted, referrers: [], unknown: [], isOver: false }
  const touched = new Set<string>()
  for (let level = [...deleted.values()]; level.length > 0; ) {
    const next: FoundRow[] = []
    for (const some of inChunks(level, chunkSize(budget))) {
      const going = new Map<string, Referrer>()
      const { known, unknown } = yield* findReferrers(some, context, budget.left + 1)
      for (const reference of known) {
        const { field, id } = reference
        const key = keyOf(field.owner, id)
        if (deleted.has(key) || (isSoft && reference.isHidden)) continue
        touched.add(key)
        if (field.onDelete === 'CASCADE' || mayGo(reference)) going.set(key, reference)
        else found.referrers.push(reference)
      }
      for (const referrer of unknown) {
        found.unknown.push(referrer)
        touched.add(`${referrer.reference.table} ${referrer.id}`)
      }
      if (touched.size > budget.left) return { ...found, isOver: true }
      const cascading = [...going.values()].map(({ field, id }) => ({ resource: field.owner, id }))
      for (const one of yield* loadRows(cascading, 'delete', context)) {
        deleted.set(keyOf(one.resource, one.row.id), one)
        next.push(one)
      }
    }
    level = next
  }
  if (budget.left !== unlimitedRows) budget.left -= touched.size
  return found
}

function mayGo({ field, isHidden }: Referrer): boolean {
  return isHidden === true && field.onDelete === 'RESTRICT'
}

function chunkSize({ left }: CascadeBudget): number {
  if (left === unlimitedRows) return maxChunkItems
  return Math.max(1, Math.min(maxChunkItems, Math.floor(maxListedIds / (left + 1))))
}

interface FoundReferrers {
  known: Referrer[]
  unknown: UnknownReferrer[]
}

/** At most `most` for each row and field. */
function* findReferrers(deleted: readonly FoundRow[], context: WriterContext, most: number): Step<FoundReferrers> {
  const candidates = deleted.flatMap(({ resource, row }) =>
    context.incoming(resource).map((field) => ({ resource, row, field })),
  )
  const queries = candidates.map(({ resource, row, field }) =>
    context.table(field.owner).referring(field, resource.name, row.id, most),
  )
  const strange = deleted.flatMap(({ resource, row }) =>
    context.unknown.incoming(resource).map((reference) => ({ resource, row, reference })),
  )
  const strangeQueries = strange.map(({ resource, row, reference }) =>
    context.unknown.referring(reference, resource, row.id, most),
  )
  const [found, foundStrange] = yield* runBatch(all([queryRows(queries), queryRows(strangeQueries)]))
  return {
    known: candidates.flatMap(({ field, resource, row }, index) =>
      found[index]!.map(
        ([id, version = 1]): Referrer => ({
          field,
          id: String(id),
          target: { resource, id: row.id },
          ...(Number(version) < 0 && { isHidden: true }),
        }),
      ),
    ),
    unknown: strange.flatMap(({ resource, row, reference }, index) =>
      foundStrange[index]!.map(([id]) => context.unknown.referrer(reference, String(id), resource, row.id)),
    ),
  }
}

export function* loadRows(
  rows: readonly { resource: Resource; id: string }[],
  to: 'change' | 'delete',
  context: WriterContext,
): Step<FoundRow[]> {
  const loaded: FoundRow[] = []
  for (const some of inChunks(rows)) {
    const found = yield some.map(({ resource, id }) => context.table(resource).find(id, to))
    for (const [index, { resource, id }] of some.entries()) {
      loaded.push({ resource, row: context.table(resource).storedRow(id, found[index]!)! })
    }
  }
  return loaded
}

/** Refuses a delete that would touch too many rows. The number is that of the rows that refer to this one: whatever else would
 *  go with them is not counted, because this must take no time either. */
export function* rejectCascade(
  resource: Resource,
  row: StoredRow,
  state: Pick<WriteState, 'context' | 'isAsync' | 'rules'>,
  isSoft = false,
): Step<never> {
  const { context, isAsync } = state
  const byOwner = Map.groupBy(
    context.incoming(resource).filter(({ onDelete }) => onDelete !== 'RESTRICT'),
    ({ owner }) => owner,
  )
  const counts = [...byOwner].map(([owner, fields]) =>
    context.table(owner).countReferring(fields, resource.name, row.id),
  )
  const rows = yield* runBatch(queryRows(counts))
  const referring = rows.reduce((sum, [count]) => sum + Number(count![0]), 0)
  const { maxCascade } = context
  const number = Math.max(referring, maxCascade + 1).toLocaleString('en-US')
  const message = `at least ${number} other rows would be deleted or changed with it, and one request may touch ${maxCascade.toLocaleString('en-US')}.`
  throw new ApiError('CONFLICT', `The ${yield* rowName(resource, row, state)} can't be deleted at once: ${message}`, {
    hint: isSoft
      ? 'So many rows can be deleted only for good: with ?purge=true (purge: true) and the header Prefer: respond-async. Or delete the rows that refer to it first. The setting limits.cascade is the limit.'
      : isAsync
        ? 'It can not run in the background either: there are too many rows to search for what restricts the delete. Delete the rows that refer to it first.'
        : 'Delete it with the header Prefer: respond-async, or delete the rows that refer to it first. The setting limits.cascade is the limit.',
    problems: [{ path: '', code: 'CASCADE', message }],
  })
}

export function keyOf(resource: Resource, id: string): string {
  return `${resource.name}:${id}`
}

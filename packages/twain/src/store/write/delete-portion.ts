// One portion of a delete in the background: a transaction of its own that deletes some rows which nothing refers to, or clears some
// references. The portions begin at the far ends of the cascade, so that no row refers to one that is gone; the row that the
// client deleted is the last. A portion that ran before, or twice, does no harm: each looks afresh for what is left.

import type { Resource } from '#model'
import type { BackgroundDelete } from '../system/jobs/background-deletes.ts'
import { isHidden } from './access/stored-row.ts'
import { unlimitedRows, type WriterContext } from './access/writer-context.ts'
import { createRow, insertChildren } from './rows/create-row.ts'
import { clearReferences, deleteFound, removeRows } from './rows/delete-row.ts'
import { findCascade, keyOf, loadRows, type Referrer } from './rows/find-cascade.ts'
import { WriteRules } from './rules/write-rules.ts'
import type { WriteState } from './rules/write-state.ts'
import { constant, map, type QueryBatch, queryRows, runBatch, type Step } from './steps/query-step.ts'
import type { DeletedPortion } from './steps/write-job.ts'

/** How many rows a portion deletes or changes: some 30 ms of the writer. */
const maxPortionRows = 500

export function* deletePortion(
  root: BackgroundDelete,
  context: WriterContext,
  time: string,
): Step<QueryBatch<DeletedPortion>> {
  const state = portionState(root, context, time)
  const resource = context.storedResource(root.type)
  const table = context.table(resource)
  const [found] = yield [table.find(root.id, 'delete')]
  const row = table.storedRow(root.id, found!)
  if (row === null || !isHidden(row)) return constant({ kind: 'portion', isDone: true })
  const { ends, clearing, isCyclic } = yield* findEnds(resource, root.id, context)
  if (clearing.length > 0) {
    yield* clearReferences(clearing, [], state)
    return constant({ kind: 'portion', isDone: false })
  }
  const isDone = ends.some((end) => end.resource === resource && end.id === root.id)
  const rows = yield* loadRows(ends, 'delete', context)
  if (!isCyclic) return map(queryRows(yield* removeRows(rows, state)), () => ({ kind: 'portion', isDone }))
  // Rows that refer to each other can only go together.
  const [first] = rows
  const cascade = yield* findCascade(first!.resource, first!.row, context, { left: unlimitedRows })
  const last = yield* deleteFound(cascade, state)
  return map(queryRows(last), () => ({ kind: 'portion', isDone: cascade.deleted.has(keyOf(resource, root.id)) }))
}

interface RowKey {
  resource: Resource
  id: string
}

interface CascadeEnds {
  /** Rows that nothing refers to. */
  ends: RowKey[]
  /** References to clear first. */
  clearing: Referrer[]
  /** Whether only rows on the way to these refer to them. */
  isCyclic: boolean
}

/** Goes down from the row, with some of the rows of each level, until nothing refers to some of them. Hidden rows that would restrict
 *  the delete go along, as in every delete (`find-cascade.ts`). */
function* findEnds(resource: Resource, id: string, context: WriterContext): Step<CascadeEnds> {
  const seen = new Set([keyOf(resource, id)])
  for (let level: RowKey[] = [{ resource, id }]; ; ) {
    const byType = Map.groupBy(level, (one) => one.resource)
    const candidates = [...byType].flatMap(([type, rows]) =>
      context
        .incoming(type)
        .filter(({ onDelete, owner }) => onDelete !== 'RESTRICT' || context.table(owner).hides)
        .map((field) => ({ field, type, ids: rows.map((one) => one.id) })),
    )
    const queries = candidates.map(({ field, type, ids }) =>
      context
        .table(field.owner)
        .referringAny(field, type.name, ids, maxPortionRows, field.onDelete === 'RESTRICT' ? 'hidden' : 'all'),
    )
    const found = yield* runBatch(queryRows(queries))
    const referrers = candidates.flatMap(({ field, type }, index) =>
      found[index]!.map(([referring, id]) => ({ field, id: String(referring), referred: keyOf(type, String(id)) })),
    )
    const clearing = referrers.filter(({ field }) => field.onDelete === 'SET_NULL')
    if (clearing.length > 0) return { ends: [], clearing: clearing.slice(0, maxPortionRows), isCyclic: false }
    if (found.every((rows) => rows.length < maxPortionRows)) {
      const targets = new Set(referrers.map(({ referred }) => referred))
      const ends = level.filter((one) => !targets.has(keyOf(one.resource, one.id)))
      if (ends.length > 0) return { ends, clearing: [], isCyclic: false }
    }
    const next = new Map<string, RowKey>()
    for (const { field, id: referring } of referrers) {
      const key = keyOf(field.owner, referring)
      if (!seen.has(key) && next.size < maxPortionRows) next.set(key, { resource: field.owner, id: referring })
    }
    if (next.size === 0) return { ends: level, clearing: [], isCyclic: true }
    for (const key of next.keys()) seen.add(key)
    level = [...next.values()]
  }
}

/** The rules have judged the whole delete when it began. */
function portionState({ by, via, trace }: BackgroundDelete, context: WriterContext, time: string): WriteState {
  return {
    context,
    time,
    newId: () => {
      throw new Error('a delete creates no rows')
    },
    viewer: { account: null, authenticated: true, isGuest: false, token: null, by, via, trace },
    creation: { createRow, insertChildren },
    rules: WriteRules.unrestricted,
    transitions: null,
    password: null,
    confirmation: null,
    identity: null,
    proof: null,
    signUp: null,
    cascade: { left: unlimitedRows },
    isAsync: false,
    isImport: false,
  }
}

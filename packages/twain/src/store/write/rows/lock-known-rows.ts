// Locks the rows that a request of several writes names, before the first of them begins: by table, in the order of their ids, and with
// the strongest lock that one of the writes takes. So two such requests never wait for each other, and no write upgrades the lock of
// a rule that an earlier one took. On a database that has one writer there is nothing to lock.

import type { ListField, Resource } from '#model'
import type { Query, QueryRows } from '../../sql/query.ts'
import type { WriterContext } from '../access/writer-context.ts'
import { inLockOrder, type QueryBatch, queryRows } from '../steps/query-step.ts'
import type { JobList, JobRow, WriteJob } from '../steps/write-job.ts'

/** The rows of one table. `to`: the strongest that the write does to one of them; `maybeNew`: those that it may create. */
interface KnownRows {
  ids: Set<string>
  maybeNew: string[]
  to: 'change' | 'delete'
}

export function lockKnownRows(jobs: readonly WriteJob[], context: WriterContext): QueryBatch<readonly QueryRows[]> {
  const known = new Map<Resource, KnownRows>()
  for (const job of jobs) addJob(job, context, known)
  let count = 0
  for (const { ids } of known.values()) count += ids.size
  if (count < 2 && jobs.length < 2) return queryRows([])
  const locks: Query[] = []
  for (const [of, { ids, maybeNew, to }] of known) {
    const push = (lock: Query, rank: number) => locks.push({ ...lock, expects: 'lock', rank })
    if (maybeNew.length > 0) for (const lock of context.lockIds(of, maybeNew)) push(lock, -2) // as a write of one row does
    for (const lock of context.table(of).lockRows([...ids], to)) push(lock, -1) // before those of rules
  }
  return queryRows(inLockOrder(locks))
}

function addJob(
  { action, resource, id, lists, update }: WriteJob,
  context: WriterContext,
  known: Map<Resource, KnownRows>,
) {
  const of = context.resource(resource)
  if (id !== null && action !== 'create') {
    add(of, [id], action === 'delete' || action === 'purge' ? 'delete' : 'change', known)
    if (action === 'replace') known.get(of)!.maybeNew.push(id)
  }
  for (const list of [...lists, ...(update?.lists ?? [])]) addList(list, of, known)
}

function addList(
  { field, disconnect, delete: deleted, connect, update, create }: JobList,
  owner: Resource,
  known: Map<Resource, KnownRows>,
): void {
  const of = (owner.fields.get(field) as ListField).to as Resource
  add(of, [...disconnect, ...connect, ...update.map(({ id }) => id)], 'change', known)
  add(of, deleted, 'delete', known)
  for (const { lists } of [...update, ...create] as JobRow[]) for (const list of lists) addList(list, of, known)
}

function add(of: Resource, ids: readonly string[], to: KnownRows['to'], known: Map<Resource, KnownRows>): void {
  if (ids.length === 0) return
  const rows = known.get(of) ?? { ids: new Set(), maybeNew: [], to }
  for (const id of ids) rows.ids.add(id)
  if (to === 'delete') rows.to = to
  known.set(of, rows)
}

// Locks the rows of a write before it begins, if the request names several: by table, and in the order of their ids. So two such writes
// never wait for each other. On a database that has one writer there is nothing to lock.

import type { ListField, Resource } from '#model'
import type { Query, QueryRows } from '../../sql/query.ts'
import { tableOf } from '../../tables/layout.ts'
import type { WriterContext } from '../access/writer-context.ts'
import { type QueryBatch, queryRows } from '../steps/query-step.ts'
import type { JobList, JobRow, WriteJob } from '../steps/write-job.ts'

/** The rows of one table. `to`: the strongest that the write does to one of them. */
interface KnownRows {
  ids: Set<string>
  to: 'change' | 'delete'
}

export function lockKnownRows(jobs: readonly WriteJob[], context: WriterContext): QueryBatch<readonly QueryRows[]> {
  const known = new Map<Resource, KnownRows>()
  for (const job of jobs) addJob(job, context, known)
  let count = 0
  for (const { ids } of known.values()) count += ids.size
  if (count < 2) return queryRows([])
  const tables = [...known].map(([of, rows]) => ({ of, rows, name: tableOf(context.layout, of).name }))
  tables.sort((a, b) => (a.name < b.name ? -1 : 1))
  const locks = tables.flatMap(({ of, rows: { ids, to } }) => context.table(of).lockRows([...ids], to))
  return queryRows(locks.map((lock): Query => ({ ...lock, expects: 'lock' })))
}

function addJob(
  { action, resource, id, lists, update }: WriteJob,
  context: WriterContext,
  known: Map<Resource, KnownRows>,
) {
  const of = context.resource(resource)
  if (id !== null && action !== 'create')
    add(of, [id], action === 'delete' || action === 'purge' ? 'delete' : 'change', known)
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
  const rows = known.get(of) ?? { ids: new Set(), to }
  for (const id of ids) rows.ids.add(id)
  if (to === 'delete') rows.to = to
  known.set(of, rows)
}

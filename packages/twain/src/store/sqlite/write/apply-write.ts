// One write, inside the transaction that the writer holds: rules, rows, links, versions, change log, and the answer read
// back.
//
// 1. A violated reference or unique field is found by looking, by its name, before the row is touched; all at once.
// 2. What changes nothing makes no version and no change.
// 3. A row's version only rises, also when a deleted id comes back.
// 4. A row that the viewer can't read is not there: that is asked first, so that no other answer tells of it.
// 5. Every rule is judged before anything is written, by the lists as they stood: no row vouches for itself.

import { Fault } from '#base'
import type { Resource } from '#model'
import { changeRow } from './change-row.ts'
import { createRow, createRowAt } from './create-row.ts'
import { deleteRow } from './delete-row.ts'
import type { WriteJob, WriteResult } from './job.ts'
import { notThere } from './not-there.ts'
import { replacement } from './replacement.ts'
import { Rules } from './rules.ts'
import type { StoredRow } from './table-access.ts'
import type { WriterContext } from './writer-context.ts'
import type { Writing } from './writing.ts'

type Written = WriteResult & { kind: 'written' | 'deleted' }

export function applyWrite(job: WriteJob, context: WriterContext, time: string): Written {
  const { action, viewer, password, ifVersion, set } = job
  const resource = context.resource(job.resource)
  const rules = new Rules(job.judge, context.statements)
  const writing: Writing = { context, time, viewer, rules, password }
  if (action === 'create') return answer(job, createRow(resource, job, writing), true, context)
  const id = job.id!
  const found = context.table(resource).find(id)
  const row = found !== null && rules.canRead(id) ? found : null
  if (row !== null) rules.requireBefore(action === 'delete' ? 'delete' : 'update', resource.name, id)
  if (ifVersion !== null && row?.version !== ifVersion) throw staleVersion(resource, row, ifVersion)
  switch (action) {
    case 'delete':
      if (row !== null) deleteRow(resource, row, writing)
      return { kind: 'deleted', found: row !== null, id }
    case 'replace':
      if (row === null) return answer(job, createRowAt(resource, id, set, found !== null, writing), true, context)
      return answer(job, changeRow(resource, row, replacement(resource, row, set, writing), writing), false, context)
    case 'update':
      if (row === null) throw notThere(resource, id)
      return answer(job, changeRow(resource, row, set, writing), false, context)
  }
}

function answer(job: WriteJob, id: string, created: boolean, { statements }: WriterContext): Written {
  const { sql, parameters, idAt } = job.answer!
  for (const index of idAt) parameters[index] = id
  const [text, version] = statements.get(sql).get(...parameters) as unknown as [string, number]
  return { kind: 'written', text, id, version, created }
}

function staleVersion(resource: Resource, row: StoredRow | null, wanted: number): Fault {
  const found = row === null ? 'it is not there' : `it has version ${row.version}`
  return new Fault('PRECONDITION_FAILED', `The ${resource.name} was to have version ${wanted}, but ${found}.`, {
    hint: 'Read it again, and repeat the write with the version that it has now.',
    problems: [{ path: '', code: 'VERSION', message: `expected version ${wanted}, but ${found}.` }],
  })
}

// One write, inside the transaction that the writer holds: rows, links, versions, change log, and the answer read back.
//
// 1. A violated reference or unique field is found by looking, by its name, before the row is touched; all at once.
// 2. What changes nothing makes no version and no change.
// 3. A row's version only rises, also when a deleted id comes back.

import { Fault } from '#base'
import type { Resource } from '#model'
import { changeRow, replacement } from './change-row.ts'
import { createRow, createRowAt } from './create-row.ts'
import { deleteRow } from './delete-row.ts'
import type { WriteJob, WriteResult } from './job.ts'
import type { StoredRow } from './table-access.ts'
import type { WriterContext } from './writer-context.ts'

type Written = Exclude<WriteResult, { kind: 'fault' | 'error' }>

export function applyWrite(job: WriteJob, context: WriterContext, time: string): Written {
  const resource = context.resource(job.resource)
  if (job.action === 'create') {
    return answer(job, createRow(resource, job.set, context, time), true, context)
  }
  const id = job.id!
  const row = context.table(resource).find(id)
  if (job.ifVersion !== null && row?.version !== job.ifVersion) throw staleVersion(resource, row, job.ifVersion)
  switch (job.action) {
    case 'delete':
      if (row !== null) deleteRow(resource, row, context, time)
      return { kind: 'deleted', found: row !== null, id }
    case 'replace':
      if (row === null) return answer(job, createRowAt(resource, id, job.set, context, time), true, context)
      return answer(job, changeRow(resource, row, replacement(resource, job.set), context, time), false, context)
    case 'update':
      if (row === null) throw new Fault('NOT_FOUND', `There is no ${resource.name} with the id "${id}".`)
      return answer(job, changeRow(resource, row, job.set, context, time), false, context)
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

// What a write asks of the row as it is before it touches it (RFC 9110, 13.1): inside the transaction, so that of two
// writers who saw the same row only one goes on. A row that the viewer can't read is none.

import { Fault } from '#base'
import type { Resource, StoredField } from '#model'
import type { WriteJob } from './job.ts'
import type { StoredRow } from './table-access.ts'
import type { WriterContext } from './writer-context.ts'

export function requireGiven(job: WriteJob, resource: Resource, row: StoredRow | null, context: WriterContext): void {
  const { ifVersion, given } = job
  const { name } = resource
  if (ifVersion !== null && row?.version !== ifVersion) throw staleVersion(name, row, String(ifVersion))
  if (given === null) return
  const { presence, versions, otherVersions, unmodified } = given
  if (presence === 'there' && row === null) throw failed(`There is no such ${name}.`, 'it is not there.')
  if (presence === 'none' && row !== null) throw failed(`There is such a ${name} already.`, 'it is there.')
  if (versions !== null && (row === null || !versions.includes(row.version))) {
    throw staleVersion(name, row, versions.join(' or '))
  }
  if (otherVersions !== null && row !== null && otherVersions.includes(row.version)) {
    throw failed(`The ${name} has version ${row.version}.`, `it has version ${row.version}.`)
  }
  if (unmodified === null || row === null) return
  const field = resource.fields.get(unmodified.by) as StoredField
  const updated = String(context.table(resource).decode(field, row))
  if (wholeSecond(updated) > unmodified.since) {
    throw failed(`The ${name} was changed at ${updated}.`, `it was changed at ${updated}.`)
  }
}

/** HTTP says times in seconds. */
function wholeSecond(moment: string): string {
  return `${moment.slice(0, 19)}.000Z`
}

function staleVersion(name: string, row: StoredRow | null, wanted: string): Fault {
  const found = row === null ? 'it is not there' : `it has version ${row.version}`
  return failed(`The ${name} was to have version ${wanted}, but ${found}.`, `expected version ${wanted}, but ${found}.`)
}

function failed(sentence: string, message: string): Fault {
  return new Fault('PRECONDITION_FAILED', sentence, {
    hint: 'Read it again, and repeat the write with the version that it has now.',
    problems: [{ path: '', code: 'VERSION', message }],
  })
}

// The preconditions of a write (RFC 9110, 13.1). The writer checks them inside the transaction, so that only one of two
// clients that read the same version succeeds. A row that the viewer can't read counts as missing.

import { ApiError } from '#base'
import type { Resource, StoredField } from '#model'
import type { StoredRow } from '../access/stored-row.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { WriteJob } from '../steps/write-job.ts'

/** Preconditions on a versioned row; null: none. */
export interface VersionPreconditions {
  presence: 'there' | 'none' | null
  versions: readonly number[] | null
  otherVersions: readonly number[] | null
}

export function requirePreconditions(
  job: WriteJob,
  resource: Resource,
  row: StoredRow | null,
  context: WriterContext,
): void {
  const { ifVersion, preconditions } = job
  const { name } = resource
  if (ifVersion !== null && row?.version !== ifVersion) throw staleVersion(name, row, String(ifVersion))
  if (preconditions === null) return
  requireVersion(name, row, preconditions)
  const { unmodified } = preconditions
  if (unmodified === null || row === null) return
  const field = resource.fields.get(unmodified.by) as StoredField
  requireUnmodified(name, String(context.table(resource).decode(field, row)), unmodified.since)
}

export function requireVersion(
  name: string,
  found: { version: number } | null,
  { presence, versions, otherVersions }: VersionPreconditions,
): void {
  if (presence === 'there' && found === null) throw preconditionFailed(`There is no such ${name}.`, 'it is not there.')
  if (presence === 'none' && found !== null)
    throw preconditionFailed(`There is such a ${name} already.`, 'it is there.')
  if (versions !== null && (found === null || !versions.includes(found.version))) {
    throw staleVersion(name, found, versions.join(' or '))
  }
  if (otherVersions !== null && found !== null && otherVersions.includes(found.version)) {
    throw preconditionFailed(`The ${name} has version ${found.version}.`, `it has version ${found.version}.`)
  }
}

/** Both times are RFC 3339 in UTC with milliseconds. */
export function requireUnmodified(name: string, updated: string, since: string): void {
  if (truncateToSecond(updated) <= since) return
  throw preconditionFailed(`The ${name} was changed at ${updated}.`, `it was changed at ${updated}.`)
}

/** HTTP dates have whole seconds. */
function truncateToSecond(moment: string): string {
  return `${moment.slice(0, 19)}.000Z`
}

function staleVersion(name: string, row: { version: number } | null, wanted: string): ApiError {
  const found = row === null ? 'it is not there' : `it has version ${row.version}`
  return preconditionFailed(
    `The ${name} was to have version ${wanted}, but ${found}.`,
    `expected version ${wanted}, but ${found}.`,
  )
}

function preconditionFailed(sentence: string, message: string): ApiError {
  return new ApiError('PRECONDITION_FAILED', sentence, {
    hint: 'Read it again, and repeat the write with the version that it has now.',
    problems: [{ path: '', code: 'VERSION', message }],
  })
}

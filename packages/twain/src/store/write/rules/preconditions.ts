// The preconditions of a write (RFC 9110, 13.1). The writer checks them inside the transaction, so that only one of two
// clients that read the same version succeeds. A row that the viewer can't read counts as missing.

import { ApiError } from '#base'
import type { Resource, StoredField } from '#model'
import type { StoredRow } from '../access/stored-row.ts'
import type { WriterContext } from '../access/writer-context.ts'
import type { Step } from '../steps/query-step.ts'
import type { WriteJob } from '../steps/write-job.ts'
import { rowName } from './row-name.ts'
import type { WriteState } from './write-state.ts'

/** Preconditions on a versioned row; null: none. */
export interface VersionPreconditions {
  presence: 'there' | 'none' | null
  versions: readonly number[] | null
  otherVersions: readonly number[] | null
}

export function* requirePreconditions(
  job: WriteJob,
  resource: Resource,
  row: StoredRow | null,
  state: Pick<WriteState, 'context' | 'rules'>,
): Step<void> {
  const failure = failedPrecondition(job, resource, row, state.context)
  if (failure !== null) throw failure(row === null ? resource.name : yield* rowName(resource, row, state))
}

/** The error of a precondition that is false, once the row has its name for the message. */
type PreconditionFailure = (name: string) => ApiError

function failedPrecondition(
  { ifVersion, preconditions }: WriteJob,
  resource: Resource,
  row: StoredRow | null,
  context: WriterContext,
): PreconditionFailure | null {
  if (ifVersion !== null && row?.version !== ifVersion) return staleVersion(row, String(ifVersion))
  if (preconditions === null) return null
  const failure = failedVersion(row, preconditions)
  const { unmodified } = preconditions
  if (failure !== null || unmodified === null || row === null) return failure
  const field = resource.fields.get(unmodified.by) as StoredField
  return failedUnmodified(String(context.table(resource).decode(field, row)), unmodified.since)
}

export function requireVersion(
  name: string,
  found: { version: number } | null,
  preconditions: VersionPreconditions,
): void {
  const failure = failedVersion(found, preconditions)
  if (failure !== null) throw failure(name)
}

function failedVersion(
  found: { version: number } | null,
  { presence, versions, otherVersions }: VersionPreconditions,
): PreconditionFailure | null {
  if (presence === 'there' && found === null) {
    return (name) => preconditionFailed(`There is no such ${name}.`, 'it is not there.')
  }
  if (presence === 'none' && found !== null) {
    return (name) => preconditionFailed(`There is such a ${name} already.`, 'it is there.')
  }
  if (versions !== null && (found === null || !versions.includes(found.version))) {
    return staleVersion(found, versions.join(' or '))
  }
  if (otherVersions !== null && found !== null && otherVersions.includes(found.version)) {
    const has = `has version ${found.version}.`
    return (name) => preconditionFailed(`The ${name} ${has}`, `it ${has}`)
  }
  return null
}

/** Both times are RFC 3339 in UTC with milliseconds. */
export function requireUnmodified(name: string, updated: string, since: string): void {
  const failure = failedUnmodified(updated, since)
  if (failure !== null) throw failure(name)
}

function failedUnmodified(updated: string, since: string): PreconditionFailure | null {
  if (truncateToSecond(updated) <= since) return null
  const changed = `was changed at ${updated}.`
  return (name) => preconditionFailed(`The ${name} ${changed}`, `it ${changed}`)
}

/** HTTP dates have whole seconds. */
function truncateToSecond(moment: string): string {
  return `${moment.slice(0, 19)}.000Z`
}

function staleVersion(row: { version: number } | null, wanted: string): PreconditionFailure {
  const found = row === null ? 'it is not there' : `it has version ${row.version}`
  return (name) =>
    preconditionFailed(
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

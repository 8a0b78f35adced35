// The fields that a reversion sets: those in which the row differs from an earlier version of it. They are then changed like the
// fields of any other update.

import { isDeepStrictEqual } from 'node:util'
import { ApiError, type Problem, validationError } from '#base'
import { checkConstraint, type ReferenceField, type Resource, type StoredField } from '#model'
import { checkValue, unknownEnumValues } from '#plan'
import { resultTooLarge } from '../../read/read-result.ts'
import { isFileReference } from '../../sql/version-read.ts'
import { fillId, type StoredRow } from '../access/stored-row.ts'
import type { WriteState } from '../rules/write-state.ts'
import type { Step } from '../steps/query-step.ts'
import type { JobField, JobReversion } from '../steps/write-job.ts'

/** As `sql/version-read.ts` returns it. */
interface VersionValue {
  field: string
  value: unknown
}

/** The version of the row as it is changes nothing. */
export function* versionFields(
  resource: Resource,
  row: StoredRow,
  { version, read }: JobReversion,
  { context }: WriteState,
): Step<JobField[]> {
  if (version === row.version) return []
  if (version > row.version || version < 1) throw noSuchVersion(resource, version, row.version)
  const [rows] = yield [fillId(read, row.id)]
  const [found] = rows!
  if (found === undefined) throw versionGone(resource, version)
  if (found[0] === null) throw resultTooLarge()
  const problems: Problem[] = []
  const fields = (JSON.parse(found[0] as string) as VersionValue[]).flatMap(({ field: name, value }) => {
    const field = resource.fields.get(name)!
    if (field === context.account?.login) return []
    if (field.kind === 'links') return [{ field: name, value, merge: false }]
    if (field.kind === 'reference') return [referenceField(field, value)]
    return storedField(field as StoredField, value)
  })
  if (problems.length > 0) throw validationError(problems)
  return fields

  /** The schema may have changed since the version: a value that the row has not got is checked again. */
  function storedField(field: StoredField, value: unknown): JobField[] {
    if (value === null) return [{ field: field.name, value, merge: false }]
    const present = context.table(resource).decode(field, row)
    const found: Problem[] = []
    const moreEnumValues = unknownEnumValues(field.type, present)
    const canonical = checkValue(field.type, value, field.name, found, { moreEnumValues })
    checkConstraint(field.constraint, field.type, canonical, field.name, found)
    if (found.length === 0) return [{ field: field.name, value: canonical, merge: false }]
    if (!isDeepStrictEqual(present, value)) problems.push(...found)
    return []
  }
}

function referenceField(field: ReferenceField, value: unknown): JobField {
  return { field: field.name, value, merge: false, ...(isFileReference(field) && { isFileOfRow: true }) }
}

function noSuchVersion({ name }: Resource, version: number, newest: number): ApiError {
  return new ApiError('NOT_FOUND', `This ${name} has no version ${version}; its newest is ${newest}.`, {
    hint: historyHint,
  })
}

/** The same answer for a version that the log has lost and for one that the viewer can't read. */
function versionGone({ name }: Resource, version: number): ApiError {
  return new ApiError(
    'GONE',
    `Version ${version} of this ${name} can't be put back: its values are not kept any more.`,
    {
      hint: historyHint,
    },
  )
}

const historyHint = 'Its history lists the versions that you can read: GET …/changes, or _changes in GraphQL.'

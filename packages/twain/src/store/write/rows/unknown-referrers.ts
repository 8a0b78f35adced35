// References to a deleted row that the served schema does not know: those of a newer version of the schema that other nodes
// serve or that was rolled back, and those of fields and types that were removed.

import { ApiError } from '#base'

/** Names no type and no field: the rules that say who may read them are unknown too. */
export function referredByUnknown(subject: string, cause?: unknown): ApiError {
  const message = 'Rows of a type or field that this version of the schema does not know refer to it.'
  return new ApiError('CONFLICT', `${subject} can't be deleted: ${message}`, {
    hint:
      'Delete or change those rows through the version of the schema that has them. If the type or field was removed for ' +
      'good, twain migrate --drop removes its data.',
    problems: [{ path: '', code: 'REFERENCE', message }],
    cause,
  })
}

// `uploadFile(file: Upload!)`: creates the row of a file of the request, and reads it back.

import { ApiError, validationError } from '#base'
import { ReceivedFile } from '#files'
import type { PlannedField } from '../plan/plan-operation.ts'
import type { PlannedUpload } from '../plan/plan-system-fields.ts'
import type { ExecutionContext } from './execution-context.ts'

/** The JSON text of the root field. */
export async function uploadText(root: PlannedField & PlannedUpload, context: ExecutionContext): Promise<string> {
  const { variables, viewer, engine, uploads, idempotency } = context
  const file = root.bindArguments(variables).value('file')
  if (uploads === null || !(file instanceof ReceivedFile)) {
    throw validationError([{ path: 'file', code: 'TYPE', message: 'must be a file of a multipart request.' }])
  }
  const { id, replayed } =
    idempotency === null
      ? { id: await uploads.store(file), replayed: false }
      : await uploads.storeIdempotently(file, idempotency.keyFor(root.key))
  if (idempotency !== null) idempotency[replayed ? 'replayed' : 'executed']++
  const result = await engine.execute({ plan: root.plan, values: [id], places: root.places }, viewer)
  if (result.kind !== 'one') throw new Error(`the engine answered "${result.kind}" to a read of one row`)
  if (result.text === null && replayed) {
    throw new ApiError('NOT_FOUND', 'The file that was uploaded with this Idempotency-Key is deleted.')
  }
  if (result.text === null) throw new Error('an uploaded file can not be read by its uploader')
  if (!replayed) uploads.markUsed([file])
  return result.text
}

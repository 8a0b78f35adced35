// `uploadFile(file: Upload!)`: a root field that makes a file of the request a row, and reads it back.

import { ApiError, validationError } from '#base'
import { ReceivedFile } from '#files'
import type { Resource } from '#model'
import type { Limits, RowRead } from '#plan'
import { type SelectedField, subselections } from '../document/selection.ts'
import type { VariableValues } from '../input/argument-values.ts'
import { FieldArguments, type PlanContext } from '../plan/plan-context.ts'
import type { PlannedField } from '../plan/plan-operation.ts'
import { planSelections } from '../plan/plan-selection.ts'
import type { ExecutionContext } from './execute.ts'

export interface PlannedUpload {
  kind: 'upload'
  plan: RowRead
  places: readonly string[]
  /** The field's arguments with the variables of a request. */
  bindArguments(variables: VariableValues): FieldArguments
}

export function planUpload(of: Resource, field: SelectedField, context: PlanContext, limits: Limits): PlannedUpload {
  const { builder } = context
  const idType = { kind: 'scalar', name: 'ID' } as const
  const id = builder.parameter({ kind: 'type', type: idType }, '', `${field.key}.file`)
  const selection = planSelections(of, subselections(field), context, field.key)
  builder.finish(limits)
  const definitions = context.schema.getMutationType()?.getFields()[field.name]?.args ?? []
  return {
    kind: 'upload',
    plan: { kind: 'one', of, id, selections: selection },
    places: builder.places,
    bindArguments: (variables) => new FieldArguments(field.node, definitions, variables),
  }
}

/** The JSON text of the root field. */
export async function uploadText(root: PlannedField & PlannedUpload, run: ExecutionContext): Promise<string> {
  const { variables, viewer, engine, uploads, idempotency } = run
  const file = root.bindArguments(variables).value('file')
  if (uploads === null || !(file instanceof ReceivedFile)) {
    throw validationError([{ path: 'file', code: 'TYPE', message: 'must be a file of a multipart request.' }])
  }
  const { id, replayed } =
    idempotency === null
      ? { id: await uploads.store(file), replayed: false }
      : await uploads.storeIdempotently(file, idempotency.keyFor(root.key))
  if (idempotency !== null) idempotency[replayed ? 'replayed' : 'executed']++
  const answer = await engine.execute({ plan: root.plan, values: [id], places: root.places }, viewer)
  if (answer.kind !== 'one') throw new Error(`the engine answered with "${answer.kind}", which was not asked for`)
  if (answer.text === null && replayed) {
    throw new ApiError('NOT_FOUND', 'The file that was made under this Idempotency-Key is gone.')
  }
  if (answer.text === null) throw new Error('an uploaded file can not be read by its uploader')
  if (!replayed) uploads.markUsed([file])
  return answer.text
}

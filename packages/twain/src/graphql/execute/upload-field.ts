// `uploadFile(file: Upload!)`: a root field that makes a file of the request a row, and reads it back.

import { ApiError, validationError } from '#base'
import { ReceivedFile } from '#files'
import type { Resource } from '#model'
import type { Limits, RowRead } from '#plan'
import type { Variables } from '../document/argument-values.ts'
import { below, type Selected } from '../document/selection.ts'
import { Arguments, type PlanContext } from '../plan/plan-context.ts'
import type { Root } from '../plan/plan-operation.ts'
import { planPicks } from '../plan/plan-selection.ts'
import type { Run } from './execute.ts'

export interface UploadRoot {
  kind: 'upload'
  plan: RowRead
  places: readonly string[]
  /** The field's arguments with the variables of a request. */
  given(variables: Variables): Arguments
}

export function planUpload(of: Resource, field: Selected, context: PlanContext, limits: Limits): UploadRoot {
  const { draft: builder } = context
  const idType = { kind: 'scalar', name: 'ID' } as const
  const id = builder.parameter({ kind: 'type', type: idType }, '', `${field.key}.file`)
  const selection = planPicks(of, below(field), context, field.key)
  builder.finish(limits)
  const definitions = context.schema.getMutationType()?.getFields()[field.name]?.args ?? []
  return {
    kind: 'upload',
    plan: { kind: 'one', of, id, selections: selection },
    places: builder.places,
    given: (variables) => new Arguments(field.node, definitions, variables),
  }
}

/** The JSON text of the root field. */
export async function uploadText(root: Root & UploadRoot, run: Run): Promise<string> {
  const { variables, viewer, engine, uploads, once } = run
  const file = root.given(variables).value('file')
  if (uploads === null || !(file instanceof ReceivedFile)) {
    throw validationError([{ path: 'file', code: 'TYPE', message: 'must be a file of a multipart request.' }])
  }
  const { id, replayed } =
    once === null ? { id: await uploads.keep(file), replayed: false } : await uploads.keepOnce(file, once.of(root.key))
  if (once !== null) once[replayed ? 'replayed' : 'made']++
  const answer = await engine.execute({ plan: root.plan, values: [id], places: root.places }, viewer)
  if (answer.kind !== 'one') throw new Error(`the engine answered with "${answer.kind}", which was not asked for`)
  if (answer.text === null && replayed) {
    throw new ApiError('NOT_FOUND', 'The file that was made under this Idempotency-Key is gone.')
  }
  if (answer.text === null) throw new Error('an uploaded file can not be read by its uploader')
  if (!replayed) uploads.want([file])
  return answer.text
}
